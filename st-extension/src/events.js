/**
 * SillyTavern's events, forwarded in their order and never awaited: it waits for whoever listens.
 *
 * @typedef {import('./attachment.js').Attachment} Attachment
 * @typedef {import('./attachment.js').Snapshot} Snapshot
 * @typedef {import('./counters.js').Counters} Counters
 * @typedef {import('./injection.js').Injection} Injection
 * @typedef {import('./interceptor.js').Interceptor} Interceptor
 * @typedef {import('./open-chat.js').OpenChat} OpenChat
 * @typedef {import('./protocol.js').Json} Json
 * @typedef {import('./protocol.js').JsonObject} JsonObject
 * @typedef {import('./state.js').ChatCopy} ChatCopy
 *
 * @typedef {object} EventHost
 * @property {(name: string, listener: (...args: any[]) => void, options?: { first?: boolean }) => void} onEvent
 * @property {() => Snapshot} snapshot
 * @property {() => string} inputText
 * @property {() => string} speaker
 *
 * @typedef {object} Listeners
 * @property {EventHost} host
 * @property {() => boolean} isEnabled
 * @property {OpenChat} chat
 * @property {ChatCopy} copy
 * @property {Interceptor} interceptor
 * @property {Injection} injection
 * @property {Counters} counters
 * @property {() => void} changed what the open chat says of itself may have changed
 * @property {(attachment: Attachment|null) => void} beforeReading the server may read messages next
 */

import { count } from './counters.js';
import { wellFormed } from './hash.js';
import { logDebug, logWarning } from './log.js';

/** Events that are forwarded as they are, with the list of messages where it changed. */
const FORWARDED = [
    'MESSAGE_RECEIVED', 'MESSAGE_EDITED', 'MESSAGE_UPDATED', 'MESSAGE_DELETED', 'MESSAGE_SWIPED',
    'MESSAGE_SWIPE_DELETED', 'GROUP_WRAPPER_STARTED', 'GROUP_MEMBER_DRAFTED', 'GROUP_WRAPPER_FINISHED',
    'CHARACTER_RENAMED',
];

const DELETION = 'MESSAGE_DELETED';
/** Ours: the chat changed without an event. */
const COMPARED = 'CHAT_COMPARED';
// Some things are set right only after the end.
const CHECK_AFTER_MS = 1000;
const EARLY_RECALL_TIMEOUT_MS = 15_000;
const TEXT_LIMIT = 1000;

export class Events {
    #parts;
    /** The opening that was not announced yet. @type {Json[]|null} */
    #opened = null;

    /** @param {Listeners} parts */
    constructor(parts) {
        this.#parts = parts;
    }

    /** Begin to listen. SillyTavern has no way to go that would need an end. */
    listen() {
        const { host, chat, copy, interceptor } = this.#parts;
        for (const name of FORWARDED) host.onEvent(name, (...args) => this.#forward(name, args));
        host.onEvent('CHAT_CHANGED', name => this.#changeChat(name));
        host.onEvent('CHAT_RENAMED', names => {
            chat.noteRename(Object(names));
            this.#forward('CHAT_RENAMED', [names]);
        });
        host.onEvent('MESSAGE_SENT', floor => {
            copy.countTurn();
            this.#forward('MESSAGE_SENT', [floor]);
        });
        host.onEvent('GENERATION_AFTER_COMMANDS', (type, options, isDry) => this.#beginGeneration(type, options, isDry));
        host.onEvent('GENERATE_BEFORE_COMBINE_PROMPTS', data => this.#checkPrompt(data));
        host.onEvent('GENERATION_ENDED', length => this.#endGeneration(length), { first: true });
        host.onEvent('GENERATION_STOPPED', () => {
            interceptor.stop();
            this.#forward('GENERATION_STOPPED', []);
        }, { first: true });
    }

    /** The chat was attached: tell the server which event it was. */
    announceOpening() {
        const args = this.#opened;
        this.#opened = null;
        this.#parts.interceptor.forget();
        if (args !== null) this.#forward('CHAT_CHANGED', args);
    }

    /** SillyTavern saved the chat: hiding, moving and duplicating a message end so, and in nothing else. */
    compare() {
        void this.#forward(COMPARED, [], { onlyIfChanged: true });
    }

    /** @param {unknown} name */
    #changeChat(name) {
        const { interceptor, injection, chat, isEnabled, counters } = this.#parts;
        this.#opened = [plain(name)];
        counters.lastOutcome = '';
        interceptor.forget();
        injection.forget();
        if (isEnabled()) chat.reopen();
    }

    /**
     * @param {unknown} type
     * @param {unknown} options
     * @param {unknown} isDry
     */
    #beginGeneration(type, options, isDry) {
        // Dry runs go on beside real generations and tell nothing; quiet ones are other extensions' own.
        if (isDry || type === 'quiet') return;
        const sent = this.#forward('GENERATION_AFTER_COMMANDS', [type, options]);
        const { host, chat } = this.#parts;
        const attachment = chat.attachment;
        const text = host.inputText().trim();
        if (attachment === null || text === '' || type !== 'normal') return;
        const question = { generation: type, text, speaker: host.speaker(), early: true };
        sent.then(() => attachment.ask('chat/recall', question, { timeoutMs: EARLY_RECALL_TIMEOUT_MS }))
            .catch(error => logDebug('the early recall failed', error));
    }

    /** @param {unknown} data */
    #checkPrompt(data) {
        const { injection, counters } = this.#parts;
        if (injection.isEmpty) {
            this.#forward('GENERATE_BEFORE_COMBINE_PROMPTS', []);
            return;
        }
        const isThere = injection.isIn(data);
        if (isThere) counters.injectionsSeen += 1;
        else {
            counters.injectionsMissing += 1;
            logWarning('SillyTavern left the memory text out of this prompt');
        }
        this.#forward('GENERATE_BEFORE_COMBINE_PROMPTS', [{ injected: isThere }]);
    }

    /** @param {unknown} length */
    #endGeneration(length) {
        this.#parts.injection.clear();
        this.#forward('GENERATION_ENDED', [length]);
        setTimeout(() => this.compare(), CHECK_AFTER_MS);
    }

    /**
     * @param {string} event name in SillyTavern, or COMPARED
     * @param {unknown[]} args
     * @param {{ onlyIfChanged?: boolean }} [options]
     * @returns {Promise<void>}
     */
    async #forward(event, args, { onlyIfChanged = false } = {}) {
        const { chat, host, isEnabled, counters, changed, beforeReading } = this.#parts;
        const attachment = isEnabled() ? chat.attachment : null;
        if (!onlyIfChanged) beforeReading(attachment);
        if (attachment === null) {
            if (event === DELETION) chat.noteDeletion();
            return;
        }
        try {
            const isSent = await attachment.forward(event, args.map(plain), host.snapshot(), { onlyIfChanged });
            if (isSent) count(counters.forwarded, event);
        } catch (error) {
            if (event === DELETION) chat.noteDeletion();
            logDebug('not forwarded:', event, error);
        }
        changed();
    }
}

/**
 * What of an argument can be sent: plain values, and of objects their plain members.
 * @param {unknown} value
 * @returns {Json}
 */
function plain(value) {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return plainValue(value);
    return Object.fromEntries(
        Object.entries(value)
            .filter(([, member]) => member !== undefined && member !== null && typeof member !== 'object')
            .map(([name, member]) => [name, plainValue(member)]),
    );
}

/**
 * @param {unknown} value
 * @returns {Json}
 */
function plainValue(value) {
    if (typeof value === 'string') return wellFormed(value.slice(0, TEXT_LIMIT));
    if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value;
    return null;
}
