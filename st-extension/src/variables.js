/**
 * Values that the user has followed through the story, as the copy in the chat file has them.
 *
 * @typedef {import('./protocol.js').JsonObject} JsonObject
 */

/**
 * All values by name.
 * @param {JsonObject|undefined} copy
 * @returns {{ [name: string]: string }}
 */
export function variablesOf(copy) {
    const listed = Array.isArray(copy?.variables) ? copy.variables : [];
    /** @type {{ [name: string]: string }} */
    const values = {};
    for (const entry of listed) {
        if (entry !== null && typeof entry === 'object' && !Array.isArray(entry)) {
            values[String(entry.name)] = String(entry.value);
        }
    }
    return values;
}

/**
 * The value of one, whatever the case of its name; "" where there is none.
 * @param {JsonObject|undefined} copy
 * @param {string} name
 * @returns {string}
 */
export function variableOf(copy, name) {
    const wanted = name.trim().toLowerCase();
    const found = Object.entries(variablesOf(copy)).find(([known]) => known.toLowerCase() === wanted);
    return found?.[1] ?? '';
}

/**
 * Names in the setting that says what is followed: one a line, before a colon.
 * @param {unknown} setting
 * @returns {string[]}
 */
export function trackedNames(setting) {
    return String(setting ?? '').split('\n').map(line => line.split(/[:：]/)[0].trim()).filter(Boolean);
}

/**
 * What is to change among the chat's own variables when the copy changes: new values, and those to take away (null).
 * What did not change in the story stays as whoever set it there.
 * @param {JsonObject|undefined} before
 * @param {JsonObject|undefined} after
 * @param {{ [name: string]: unknown }} present the chat's variables as they are
 * @returns {{ [name: string]: string|null }}
 */
export function exportedVariables(before, after, present) {
    const old = variablesOf(before);
    const now = variablesOf(after);
    /** @type {{ [name: string]: string|null }} */
    const changes = {};
    for (const [name, value] of Object.entries(now)) {
        if (old[name] !== value || !Object.hasOwn(present, name)) changes[name] = value;
    }
    for (const [name, value] of Object.entries(old)) {
        // What the user has changed since is theirs.
        if (!Object.hasOwn(now, name) && present[name] === value) changes[name] = null;
    }
    return changes;
}
