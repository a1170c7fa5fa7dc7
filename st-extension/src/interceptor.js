/**
 * Between the user's message and the prompt: wait for the memory, but never longer than the limit. SillyTavern itself
 * waits for an interceptor without end, so that every wait here is a race.
 *
 * @typedef {import('./attachment.js').Attachment} Attachment
 * @typedef {import('./attachment.js').Snapshot} Snapshot
 * @typedef {import('./counters.js').Counters} Counters
 * @typedef {import('./counters.js').Outcome} Outcome
 * @typedef {import('./injection.js').Injection} Injection
 * @typedef {import('./protocol.js').JsonObject} JsonObject
 * @typedef {import('./protocol.js').Recalled} Recalled
 *
 * @typedef {object} Parts
 * @property {() => boolean} isEnabled
 * @property {{ isUp: boolean, giveUp: () => void }} connection
 * @property {{ attachment: Attachment|null, ready: () => Promise<Attachment|null>, reopen: () => void }} chat
 * @property {Injection} injection
 * @property {() => Snapshot} snapshot
 * @property {() => string} speaker
 * @property {() => string} cardText
 * @property {() => number|undefined} lastInContext
 * @property {(text: string) => Promise<number>} countTokens
 * @property {() => boolean} isTextCompletion
 * @property {() => number} choiceLimitMs how much longer than that the user waits for a model to choose; 0 for not at all
 * @property {Counters} counters
 */

import { ContextWindow, fixedTokens } from './context-window.js';
import { count } from './counters.js';
import { logDebug, logWarning } from './log.js';
import { Refused, Unreachable } from './protocol.js';
import { orAborted } from './wait.js';

/** Hard limit of 2.0 s for all but a model's choice, less what the page itself may need around the answer. */
export const ANSWER_LIMIT_MS = 1800;

/** A reply and a message: how far the chat went on since a last prompt that was made before this page was loaded. */
const ONE_TURN = 2;

/** Of so few tokens a ratio says nothing. */
const FEWEST_COMPARED = 50;
const [LEAST_RATIO, MOST_RATIO] = [0.2, 5];

/** Quiet and nameless generations are other extensions' work in the background. */
const RECALLED_TYPES = new Set(['normal', 'swipe', 'regenerate', 'continue', 'impersonate']);

export class Interceptor {
    #parts;
    /** @type {Set<AbortController>} */
    #waiting = new Set();
    /** An opening that was waited for in vain is not waited for again. */
    #openingIsLate = false;
    /** Tokens of SillyTavern's tokenizer for one of the server's. */
    #tokenRatio = 1;
    /** How long the chat was when the last prompt was made. */
    #promptLength = -1;

    /** @param {Parts} parts */
    constructor(parts) {
        this.#parts = parts;
    }

    /**
     * What SillyTavern calls before each prompt that is no dry run.
     * @param {number} contextSize room for the prompt in tokens
     * @param {string|undefined} type
     */
    async run(contextSize, type) {
        const { counters, injection } = this.#parts;
        const started = performance.now();
        /** @type {Outcome} */
        let outcome = 'failed';
        try {
            injection.clear();
            outcome = await this.#inject(contextSize, type);
        } catch (error) {
            logWarning('no memory in this prompt:', error);
        }
        counters.lastInterceptorMs = performance.now() - started;
        counters.longestInterceptorMs = Math.max(counters.longestInterceptorMs, counters.lastInterceptorMs);
        counters.lastOutcome = outcome;
        count(counters.interceptions, outcome);
    }

    /** The user pressed Stop: whoever waits here returns at once. */
    stop() {
        for (const waiting of this.#waiting) waiting.abort();
        this.#parts.injection.clear();
    }

    /** The chat changed or was attached anew. */
    forget() {
        this.#openingIsLate = false;
        this.#promptLength = -1;
    }

    /**
     * @param {number} contextSize
     * @param {string|undefined} type
     * @returns {Promise<Outcome>}
     */
    async #inject(contextSize, type) {
        const { isEnabled, connection, injection, chat, choiceLimitMs } = this.#parts;
        if (!isEnabled()) return 'off';
        if (type === undefined || !RECALLED_TYPES.has(type)) return 'background';
        if (!connection.isUp) return 'offline';
        if (chat.attachment === null && this.#openingIsLate) return 'no_chat';
        const waiting = new AbortController();
        let isLate = false;
        const timer = setTimeout(() => {
            isLate = true;
            waiting.abort();
        }, ANSWER_LIMIT_MS + choiceLimitMs());
        this.#waiting.add(waiting);
        try {
            const answer = await orAborted(this.#ask(contextSize, type, waiting.signal), waiting.signal);
            if (waiting.signal.aborted || answer === undefined) return this.#give(isLate);
            if (!connection.isUp) return 'offline';
            if (answer === null || answer.attachment !== chat.attachment) return 'no_chat';
            injection.show(answer.recalled);
            void this.#compareTokenizers(answer.recalled);
            return injection.isEmpty ? 'nothing' : 'injected';
        } finally {
            clearTimeout(timer);
            this.#waiting.delete(waiting);
        }
    }

    /**
     * @param {boolean} isLate
     * @returns {Outcome}
     */
    #give(isLate) {
        if (!isLate) return 'stopped';
        if (this.#parts.chat.attachment === null) this.#openingIsLate = true;
        else this.#parts.connection.giveUp();
        return 'late';
    }

    /**
     * @param {number} contextSize
     * @param {string} type
     * @param {AbortSignal} signal
     * @returns {Promise<{ attachment: Attachment, recalled: Recalled }|null>}
     */
    async #ask(contextSize, type, signal) {
        const { snapshot, speaker, cardText, isTextCompletion } = this.#parts;
        // The chat is read at once: it must be the one that this prompt is made from.
        const now = snapshot();
        const contextWindow = this.#look(now, contextSize);
        /** @type {JsonObject} */
        const question = { generation: type, speaker: speaker() };
        if (contextWindow.first !== undefined) question.in_context_from = contextWindow.first;
        if (contextSize > 0) question.context_tokens = Math.floor(contextSize);
        question.fixed_tokens = fixedTokens(cardText());
        question.token_ratio = this.#tokenRatio;
        const started = performance.now();
        const answer = await this.#askReady(question, now, signal);
        if (answer === null) return null;
        const { attachment, recalled } = answer;
        this.#note(recalled, performance.now() - started);
        const depth = isTextCompletion() ? recalled.depth : contextWindow.safeDepth(recalled);
        return { attachment, recalled: { ...recalled, depth } };
    }

    /**
     * @param {JsonObject} question
     * @param {Snapshot} now
     * @param {AbortSignal} signal
     * @returns {Promise<{ attachment: Attachment, recalled: Recalled }|null>}
     */
    async #askReady(question, now, signal) {
        const { chat } = this.#parts;
        for (let attachment = await chat.ready(); attachment !== null && !signal.aborted; attachment = await chat.ready()) {
            try {
                return { attachment, recalled: await attachment.recall(question, now, signal) };
            } catch (error) {
                if (error instanceof Unreachable && error.kind === 'stopped') return null;
                if (!(error instanceof Refused && error.code === 'unknown_chat')) throw error;
                // The server was started anew behind an open connection, for instance that of a proxy.
                chat.reopen();
            }
        }
        return null;
    }

    /**
     * @param {Snapshot} now
     * @param {number} contextSize
     * @returns {ContextWindow} of the coming prompt
     */
    #look({ lines }, contextSize) {
        const first = this.#parts.lastInContext();
        const length = this.#promptLength < 0 ? Math.max(0, lines.length - ONE_TURN) : this.#promptLength;
        this.#promptLength = lines.length;
        return new ContextWindow(lines, { first, length }, contextSize);
    }

    /**
     * SillyTavern's tokenizer may be another one than the server's, and its count is the one that matters. It may have
     * to ask its own server for it: the coming prompt profits.
     * @param {Recalled} recalled
     */
    async #compareTokenizers({ text, steady, tokens }) {
        if (tokens < FEWEST_COMPARED) return;
        try {
            const counted = await this.#parts.countTokens(`${steady}\n${text}`);
            if (counted > 0) this.#tokenRatio = Math.min(MOST_RATIO, Math.max(LEAST_RATIO, counted / tokens));
        } catch (error) {
            logDebug('tokens were not counted', error);
        }
    }

    /**
     * @param {Recalled} recalled
     * @param {number} ms
     */
    #note({ items, tokens }, ms) {
        this.#parts.counters.lastRecall = { memories: items.length, tokens, ms };
    }
}
