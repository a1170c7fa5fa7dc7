/**
 * Whether the server can be used: who it is, whether this browser is paired, and the breaker. After a failure the
 * server counts as down until a check in the background says otherwise, so that no reply waits for it in vain.
 *
 * @typedef {import('./protocol.js').Hello} Hello
 * @typedef {import('./protocol.js').PairAnswer} PairAnswer
 * @typedef {import('./protocol.js').ServerEvent} ServerEvent
 * @typedef {import('./transport.js').Target} Target
 * @typedef {import('./transport.js').Options} Options
 *
 * @typedef {'off'|'connecting'|'up'|'unpaired'|'down'} Phase
 * @typedef {{ phase: Phase, reason: string, detail: string, hello: Hello|null, way: string }} Status
 *
 * @typedef {object} ConnectionUser
 * @property {() => void} changed the status changed
 * @property {() => void} up
 * @property {() => void} down
 * @property {(event: ServerEvent) => void} event
 * @property {() => void} gap
 */

import { diagnose, isLoopback } from './diagnose.js';
import { logInfo } from './log.js';
import { API_VERSION, Refused, Unreachable } from './protocol.js';
import { EventStream } from './stream.js';
import { askHello, cleanUrl, open, request } from './transport.js';
import { childController, sleep } from './wait.js';

const TOKEN_KEY = 'st_bme_bridge.token:';
const HELLO_TIMEOUT_MS = 3000;
const FIRST_WAIT_MS = 500;
// Whoever starts the server looks at the badge: it must not take long to turn green.
const LONGEST_WAIT_MS = 5000;
const PAIR_EVERY_MS = 3000;
// The user may have gone away: after ten minutes the server is asked rarely.
const EAGER_PAIR_TRIES = 200;
const PATIENT_PAIR_EVERY_MS = 30_000;

export class Connection {
    #user;
    #stream;
    /** @type {Status} */
    #status = { phase: 'off', reason: 'disabled', detail: '', hello: null, way: '' };
    /** @type {Target|null} */
    #target = null;
    #running = new AbortController();
    #endSession = () => {};
    #codeTyped = () => {};
    #code = '';

    /** @param {ConnectionUser} user */
    constructor(user) {
        this.#user = user;
        this.#stream = new EventStream({
            open: (lastId, signal) => this.#openEvents(lastId, signal),
            event: event => user.event(event),
            gap: () => user.gap(),
            lost: () => this.#endSession(),
        });
    }

    get status() {
        return this.#status;
    }

    get isUp() {
        return this.#status.phase === 'up';
    }

    /**
     * Connect, and stay connected until `stop`. Starting again begins anew.
     * @param {string} address
     */
    start(address) {
        this.stop();
        this.#running = new AbortController();
        const url = cleanUrl(address);
        if (url === null) {
            this.#set('down', 'bad_url', address);
            return;
        }
        this.#set('connecting', 'connecting');
        void this.#run(url, this.#running.signal);
    }

    stop() {
        this.#running.abort();
        this.#endSession();
        this.#target = null;
        this.#set('off', 'disabled');
    }

    /** The server did not answer in time: it counts as down until it says hello again. */
    giveUp() {
        this.#endSession();
    }

    /** Ask anew what models there are and how much waits; what the panel shows of the server. */
    async refreshHello() {
        const target = this.#target;
        if (!this.isUp || target === null) return;
        try {
            const hello = /** @type {Hello} */ (await request(target, '/v1/hello', { timeoutMs: HELLO_TIMEOUT_MS }));
            if (target === this.#target) this.#status = { ...this.#status, hello };
            this.#user.changed();
        } catch (error) {
            this.#judge(error, target);
        }
    }

    /**
     * Pair by the six digits that the server's console shows.
     * @param {string} code
     */
    pairWithCode(code) {
        this.#code = code.trim();
        this.#codeTyped();
    }

    /**
     * @param {string} name for instance `chat/recall`
     * @param {object} body
     * @param {Options} [options]
     * @returns {Promise<any>}
     */
    async command(name, body, options = {}) {
        const target = this.#target;
        if (!this.isUp || target === null) throw new Unreachable('network', 'the server is not connected');
        try {
            return await request(target, `/v1/${name}`, { ...options, body });
        } catch (error) {
            if (target === this.#target) this.#judge(error, target);
            throw error;
        }
    }

    /**
     * @param {unknown} error
     * @param {Target} target
     */
    #judge(error, target) {
        const isDead = error instanceof Unreachable && error.kind !== 'stopped';
        const isStranger = error instanceof Refused && error.code === 'not_paired';
        if (isStranger) localStorage.removeItem(TOKEN_KEY + target.url);
        if (isDead || isStranger) this.#endSession();
    }

    /**
     * @param {string} url
     * @param {AbortSignal} signal
     */
    async #run(url, signal) {
        let wait = FIRST_WAIT_MS;
        while (!signal.aborted) {
            try {
                await this.#reach(url, signal);
                await this.#serve(url, signal);
                wait = FIRST_WAIT_MS;
            } catch (error) {
                const reason = await reasonOf(error, url);
                if (!signal.aborted) this.#set('down', reason, error instanceof Error ? error.message : '');
            }
            await sleep(wait * (0.75 + Math.random() / 2), signal);
            wait = Math.min(2 * wait, LONGEST_WAIT_MS);
        }
    }

    /**
     * Find a way to the server and pair if need be.
     * @param {string} url
     * @param {AbortSignal} signal
     */
    async #reach(url, signal) {
        const token = localStorage.getItem(TOKEN_KEY + url) ?? '';
        const { target, hello } = await findWay({ url, way: 'direct', token }, signal);
        if (API_VERSION < hello.api_min || API_VERSION > hello.api_max) {
            throw new Refused('version_mismatch', `server ${hello.version}`);
        }
        this.#target = hello.paired ? target : await this.#pair({ ...target, token: '' }, signal);
        const known = hello.paired ? hello : await askHello(this.#target, { signal, timeoutMs: HELLO_TIMEOUT_MS });
        this.#status = { ...this.#status, hello: known, way: target.way };
    }

    /**
     * @param {Target} target
     * @param {AbortSignal} signal
     * @returns {Promise<Target>} with a token
     */
    async #pair(target, signal) {
        for (let tries = 0; !signal.aborted; tries++) {
            const code = this.#code;
            this.#code = '';
            const answer = await askToken(target, code, signal);
            if (answer.token) {
                localStorage.setItem(TOKEN_KEY + target.url, answer.token);
                return { ...target, token: answer.token };
            }
            this.#set('unpaired', answer.reason, answer.detail);
            const asked = childController(signal);
            this.#codeTyped = () => asked.abort();
            await sleep(tries < EAGER_PAIR_TRIES ? PAIR_EVERY_MS : PATIENT_PAIR_EVERY_MS, asked.signal);
        }
        throw new Unreachable('stopped', 'no longer wanted');
    }

    /**
     * Be up until the session ends.
     * @param {string} url
     * @param {AbortSignal} signal
     */
    async #serve(url, signal) {
        const session = childController(signal);
        /** @type {Promise<void>} */
        const ended = new Promise(resolve => {
            this.#endSession = resolve;
            signal.addEventListener('abort', () => resolve());
        });
        try {
            await Promise.race([this.#stream.start(url, session.signal), ended]);
            if (signal.aborted) return;
            this.#set('up', 'connected');
            logInfo('connected to', url, this.#status.way);
            this.#user.up();
            await ended;
        } finally {
            session.abort();
            this.#endSession = () => {};
            if (this.isUp && !signal.aborted) this.#set('down', 'lost');
            this.#user.down();
        }
    }

    /**
     * @param {number} lastId
     * @param {AbortSignal} signal
     * @returns {Promise<Response>}
     */
    async #openEvents(lastId, signal) {
        if (this.#target === null) throw new Unreachable('stopped', 'no longer wanted');
        /** @type {{ [name: string]: string }} */
        const headers = lastId < 0 ? {} : { 'Last-Event-ID': String(lastId) };
        const response = await open(this.#target, '/v1/events', { signal, headers });
        if (!response.ok) throw new Unreachable('not_ours', `the events answered with status ${response.status}`);
        return response;
    }

    /**
     * @param {Phase} phase
     * @param {string} reason
     * @param {string} [detail]
     */
    #set(phase, reason, detail = '') {
        this.#status = { ...this.#status, phase, reason, detail };
        this.#user.changed();
    }
}

/**
 * Straight, else through SillyTavern where the browser may be what is in the way.
 * @param {Target} target
 * @param {AbortSignal} signal
 * @returns {Promise<{ target: Target, hello: Hello }>}
 */
async function findWay(target, signal) {
    const options = { signal, timeoutMs: HELLO_TIMEOUT_MS };
    try {
        return { target, hello: await askHello(target, options) };
    } catch (error) {
        const isBlocked = error instanceof Unreachable && error.kind !== 'not_ours' && mayBeBlocked(target.url);
        if (!isBlocked || signal.aborted) throw error;
        const detour = /** @type {Target} */ ({ ...target, way: 'proxy' });
        try {
            return { target: detour, hello: await askHello(detour, options) };
        } catch {
            throw error;
        }
    }
}

/**
 * @param {string} url
 * @returns {boolean} false where page and server are both on this machine
 */
function mayBeBlocked(url) {
    return !(isLoopback(location.hostname) && isLoopback(new URL(url).hostname));
}

/**
 * @param {Target} target
 * @param {string} code
 * @param {AbortSignal} signal
 * @returns {Promise<{ token: string, reason: string, detail: string }>}
 */
async function askToken(target, code, signal) {
    try {
        const answer = /** @type {PairAnswer} */ (await request(target, '/v1/pair', { signal, body: { code } }));
        return { token: answer.token ?? '', reason: 'pairing_waits', detail: answer.allow_url ?? '' };
    } catch (error) {
        if (error instanceof Refused && error.code === 'wrong_code') {
            return { token: '', reason: 'wrong_code', detail: `${target.url}/allow` };
        }
        throw error;
    }
}

/**
 * @param {unknown} error
 * @param {string} url
 * @returns {Promise<string>}
 */
async function reasonOf(error, url) {
    if (error instanceof Refused) return error.code;
    if (!(error instanceof Unreachable)) return 'internal';
    if (error.kind === 'not_ours') return 'wrong_server';
    if (error.kind === 'stopped') return 'disabled';
    return await diagnose(url);
}
