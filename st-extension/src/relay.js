/**
 * Model calls that the server asks this page for, since SillyTavern has the user's connections and their keys. The
 * active profile, preset and lengths stay as they are. While a reply is being made only that is asked which it waits for.
 *
 * @typedef {import('./connection.js').Connection} Connection
 * @typedef {import('./host-models.js').ModelAnswer} ModelAnswer
 * @typedef {import('./host-models.js').ModelPrompt} ModelPrompt
 * @typedef {import('./protocol.js').LlmRequest} LlmRequest
 *
 * @typedef {object} RelayHost
 * @property {() => boolean} isOnline
 * @property {() => boolean} isGenerating
 * @property {() => { id: string, name: string }[]} connectionProfiles
 * @property {(profile: string, prompt: ModelPrompt, signal: AbortSignal) => Promise<ModelAnswer>} askProfile
 * @property {(prompt: ModelPrompt) => Promise<ModelAnswer>} askCurrent
 *
 * @typedef {{ cancelled: AbortController, wasStopped: boolean }} Call
 * @typedef {{ text?: string, model?: string, prompt_tokens?: number, completion_tokens?: number,
 *     error?: 'failed'|'aborted', message?: string }} Result
 */

import { wellFormed } from './hash.js';
import { logDebug } from './log.js';
import { orAborted, sleep } from './wait.js';

const GENERATION_POLL_MS = 200;
const RESULT_TIMEOUT_MS = 30_000;
const MESSAGE_LIMIT = 300;
const TEXT_LIMIT = 2_000_000;
const NAME_LIMIT = 200;
const KEY_LIKE = /\bsk-[\w*-]+|[A-Za-z0-9_]{24,}/g;

export class Relay {
    #page;
    #host;
    #connection;
    /** Under way, by request. @type {Map<string, Call>} */
    #calls = new Map();
    #announced = '';

    /**
     * @param {string} page
     * @param {RelayHost} host
     * @param {Pick<Connection, 'command'|'isUp'>} connection
     */
    constructor(page, host, connection) {
        this.#page = page;
        this.#host = host;
        this.#connection = connection;
    }

    /** Tell the server what this page can do for it. The page that said so last is the one that is asked. */
    announce() {
        const state = this.#state();
        this.#announced = JSON.stringify(state);
        if (!this.#connection.isUp) return;
        this.#connection.command('host/state', state).catch(error => logDebug('host/state', error));
    }

    /** @returns {boolean} whether there was news to tell */
    announceNews() {
        if (JSON.stringify(this.#state()) === this.#announced) return false;
        this.announce();
        return true;
    }

    /** @param {LlmRequest} request */
    async take(request) {
        if (request.page !== this.#page || this.#calls.has(request.request)) return;
        const call = { cancelled: new AbortController(), wasStopped: false };
        this.#calls.set(request.request, call);
        try {
            const result = await orAborted(this.#ask(request, call), call.cancelled.signal);
            if (result === undefined) return;
            const body = { request: request.request, ...result };
            await this.#connection.command('llm/result', body, { timeoutMs: RESULT_TIMEOUT_MS });
        } catch (error) {
            logDebug('the answer of a model reached nobody', error);
        } finally {
            this.#calls.delete(request.request);
        }
    }

    /**
     * Nobody waits for this answer any more.
     * @param {string} request
     */
    cancel(request) {
        this.#calls.get(request)?.cancelled.abort();
    }

    /** Memory was turned off. */
    cancelAll() {
        for (const call of this.#calls.values()) call.cancelled.abort();
    }

    /** The user pressed Stop, which takes down each call over the current connection too. */
    noteStop() {
        for (const call of this.#calls.values()) call.wasStopped = true;
    }

    #state() {
        const profiles = this.#host.connectionProfiles().map(({ id, name }) => ({ id, name: wellFormed(name) }));
        return { page: this.#page, online: this.#host.isOnline(), profiles };
    }

    /**
     * @param {LlmRequest} request
     * @param {Call} call
     * @returns {Promise<Result|undefined>} nothing where the call was cancelled
     */
    async #ask({ profile, system, user, max_tokens: maxTokens, temperature, urgent }, call) {
        const { signal } = call.cancelled;
        while (!urgent && this.#host.isGenerating() && !signal.aborted) await sleep(GENERATION_POLL_MS, signal);
        if (signal.aborted) return undefined;
        if (profile === '' && !this.#host.isOnline()) {
            return { error: 'failed', message: 'SillyTavern is not connected to a model' };
        }
        call.wasStopped = false;
        const prompt = { system, user, maxTokens, temperature };
        try {
            const answer = await (profile === '' ? this.#host.askCurrent(prompt) : this.#host.askProfile(profile, prompt, signal));
            return resultOf(answer);
        } catch (error) {
            return { error: call.wasStopped ? 'aborted' : 'failed', message: reasonOf(error) };
        }
    }
}

/**
 * @param {ModelAnswer} answer
 * @returns {Result}
 */
function resultOf({ text, model, promptTokens, completionTokens }) {
    if (text.trim() === '') return { error: 'failed', message: 'the answer was empty' };
    return {
        text: wellFormed(text.slice(0, TEXT_LIMIT)),
        model: wellFormed(model.slice(0, NAME_LIMIT)),
        prompt_tokens: countOf(promptTokens),
        completion_tokens: countOf(completionTokens),
    };
}

/**
 * @param {number} tokens as a provider told it
 * @returns {number}
 */
function countOf(tokens) {
    return Number.isSafeInteger(tokens) && tokens > 0 ? tokens : 0;
}

/**
 * What went wrong in a few words. SillyTavern throws errors, errors around errors, and what the provider sent.
 * @param {any} error
 * @returns {string} without anything that looks like a key
 */
export function reasonOf(error) {
    const inner = error?.cause ?? error?.error ?? error;
    const text = String(inner?.message ?? (typeof inner === 'string' ? inner : ''));
    const isTold = text !== '' && !text.includes('[object Object]');
    return isTold ? wellFormed(text.replace(KEY_LIKE, '…').slice(0, MESSAGE_LIMIT)) : 'it failed without saying why';
}
