/** The few things of a browser that Node lacks. Imported before what needs them. */

const stored = new Map();

globalThis.localStorage = {
    getItem: key => stored.get(key) ?? null,
    setItem: (key, value) => void stored.set(key, String(value)),
    removeItem: key => void stored.delete(key),
};
globalThis.location = new URL('http://127.0.0.1:8000/');

/** Forget what was stored. */
export function clearStorage() {
    stored.clear();
}
