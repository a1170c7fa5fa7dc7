/**
 * What this page did since it was loaded: for `/bme-status`, bug reports and tests. No chat text in it.
 *
 * @typedef {'off'|'background'|'offline'|'no_chat'|'late'|'stopped'|'failed'|'nothing'|'injected'} Outcome
 *
 * @typedef {object} Counters
 * @property {{ [event: string]: number }} forwarded events that were sent to the server, by name
 * @property {{ [outcome: string]: number }} interceptions by outcome
 * @property {Outcome|''} lastOutcome
 * @property {number} lastInterceptorMs
 * @property {number} longestInterceptorMs
 * @property {{ memories: number, tokens: number, ms: number }|null} lastRecall
 * @property {number} injectionsSeen prompts of text completion in which the memory text was found
 * @property {number} injectionsMissing prompts of text completion in which it was not
 */

/** @returns {Counters} */
export function newCounters() {
    return {
        forwarded: {},
        interceptions: {},
        lastOutcome: '',
        lastInterceptorMs: 0,
        longestInterceptorMs: 0,
        lastRecall: null,
        injectionsSeen: 0,
        injectionsMissing: 0,
    };
}

/**
 * @param {{ [name: string]: number }} table
 * @param {string} name
 */
export function count(table, name) {
    table[name] = (table[name] ?? 0) + 1;
}
