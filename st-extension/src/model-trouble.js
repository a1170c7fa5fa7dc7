/**
 * What is wrong with the models, from what the server tells: it stands until the same work succeeds.
 *
 * @typedef {import('./protocol.js').Job} Job
 * @typedef {import('./protocol.js').Notice} Notice
 * @typedef {{ code: string, task: string, reason: string }} Trouble
 */

/** The server refuses an endpoint a moment before it tells that settings changed, or that a chat is attached. */
const OF_THIS_CHANGE_MS = 3000;

const CODES = new Set([
    'model_failed', 'answer_unusable', 'model_timeout', 'endpoint_refused', 'key_wrong', 'host_key_wrong', 'rate_limited',
    'request_refused',
]);

export class ModelTrouble {
    /**
     * By task; an endpoint that is refused before any work has the task "".
     * @type {Map<string, { trouble: Trouble, at: number }>}
     */
    #standing = new Map();
    #now;

    /** @param {() => number} [now] in milliseconds */
    constructor(now = () => performance.now()) {
        this.#now = now;
    }

    /** @returns {Trouble|null} the newest that stands */
    get current() {
        return [...this.#standing.values()].at(-1)?.trouble ?? null;
    }

    /**
     * @param {Notice} notice
     * @returns {boolean} whether it is about a model
     */
    note({ code, data }) {
        if (!CODES.has(code)) return false;
        const task = String(data.task ?? (data.floor === undefined ? '' : 'extraction'));
        this.#standing.delete(task);
        this.#standing.set(task, { trouble: { code, task, reason: String(data.reason ?? '') }, at: this.#now() });
        return true;
    }

    /** @param {Job} job that ended well only if something came of it: the server says of no work too that it is done */
    follow({ task, state, done }) {
        if (state === 'done' && done > 0) this.#standing.delete(task);
    }

    /** Settings changed or another chat is open: other models may be in use now. */
    forgetOld() {
        const since = this.#now() - OF_THIS_CHANGE_MS;
        for (const [task, { at }] of this.#standing) if (at < since) this.#standing.delete(task);
    }
}
