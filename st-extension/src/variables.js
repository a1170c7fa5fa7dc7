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
