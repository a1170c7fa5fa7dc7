/**
 * The server's events: one stream a browser, since HTTP/1.1 allows six connections to a host. The tab that holds the
 * lock reads it and passes everything on to the others.
 */

import { FrameReader } from './protocol.js';
import { logDebug } from './log.js';
import { childController, sleep } from './wait.js';

/**
 * @typedef {import('./protocol.js').ServerEvent} ServerEvent
 *
 * @typedef {object} StreamUser
 * @property {(lastId: number, signal: AbortSignal) => Promise<Response>} open lastId -1: from now on
 * @property {(event: ServerEvent) => void} event
 * @property {() => void} gap events were lost
 * @property {() => void} lost the stream ended; whoever still wants it starts again
 */

const SHARED_NAME = 'st_bme_bridge.events';

// The server sends something every 15 s; twice nothing is an accident, thrice a dead line.
export const SILENCE_LIMIT_MS = 40_000;

export class EventStream {
    #user;
    #last = -1;
    #heardAt = 0;
    /** @type {BroadcastChannel|null} */
    #channel = null;

    /** @param {StreamUser} user */
    constructor(user) {
        this.#user = user;
    }

    /**
     * Follow the events until the signal aborts or they end.
     * @param {string} serverUrl tabs share a stream only to the same server
     * @param {AbortSignal} signal
     * @returns {Promise<void>} when events flow
     */
    async start(serverUrl, signal) {
        const name = `${SHARED_NAME}:${serverUrl}`;
        const session = childController(signal);
        // Web Locks exist only in secure contexts: elsewhere each tab has a stream of its own.
        const shares = typeof navigator === 'object' && Boolean(navigator.locks) && typeof BroadcastChannel === 'function';
        if (!shares) {
            await new Promise((resolve, reject) => {
                this.#lead(session, () => resolve(undefined)).catch(reject);
            });
            return;
        }
        this.#listen(name, session);
        await new Promise((resolve, reject) => {
            this.#share(name, session, () => resolve(undefined)).catch(reject);
        });
    }

    /**
     * @param {string} name
     * @param {AbortController} session
     */
    #listen(name, session) {
        const channel = new BroadcastChannel(name);
        channel.onmessage = ({ data }) => {
            this.#heardAt = Date.now();
            if (data.event) this.#take(data.event);
            if (data.lost) this.#end(session);
        };
        session.signal.addEventListener('abort', () => channel.close());
        this.#channel = channel;
    }

    /**
     * Lead if no other tab does, else follow and stand in line.
     * @param {string} name
     * @param {AbortController} session
     * @param {() => void} flowing
     */
    async #share(name, session, flowing) {
        const lead = async (/** @type {Lock|null} */ lock) => {
            if (lock !== null && !session.signal.aborted) await this.#lead(session, flowing);
            return lock !== null;
        };
        if (await navigator.locks.request(name, { ifAvailable: true }, lead)) return;
        flowing();
        this.#heardAt = Date.now();
        void this.#watch(session);
        try {
            await navigator.locks.request(name, { signal: session.signal }, lead);
        } catch (error) {
            if (session.signal.aborted) return;
            logDebug('the event stream could not be taken over', error);
            this.#end(session);
        }
    }

    /**
     * Open the stream and read it to its end.
     * @param {AbortController} session
     * @param {() => void} flowing
     */
    async #lead(session, flowing) {
        const response = await this.#user.open(this.#last, session.signal);
        this.#heardAt = Date.now();
        flowing();
        void this.#watch(session);
        try {
            await this.#read(response, session.signal);
        } catch (error) {
            if (!session.signal.aborted) logDebug('the event stream broke', error);
        }
        if (session.signal.aborted) return;
        this.#channel?.postMessage({ lost: true });
        this.#end(session);
    }

    /**
     * @param {Response} response
     * @param {AbortSignal} signal
     */
    async #read(response, signal) {
        if (!response.body) return;
        const frames = new FrameReader();
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        signal.addEventListener('abort', () => void reader.cancel().catch(() => {}));
        for (;;) {
            const { done, value } = await reader.read();
            if (done || signal.aborted) return;
            this.#heardAt = Date.now();
            const events = frames.push(value);
            // A heartbeat holds no event, but tells the followers that this tab still reads.
            if (events.length === 0) this.#channel?.postMessage({ beat: true });
            for (const event of events) {
                this.#channel?.postMessage({ event });
                this.#take(event);
            }
        }
    }

    /**
     * End the session when nothing was heard for too long.
     * @param {AbortController} session
     */
    async #watch(session) {
        while (!session.signal.aborted) {
            const left = this.#heardAt + SILENCE_LIMIT_MS - Date.now();
            if (left <= 0) this.#end(session);
            else await sleep(left, session.signal);
        }
    }

    /** @param {AbortController} session */
    #end(session) {
        if (session.signal.aborted) return;
        session.abort();
        this.#user.lost();
    }

    /** @param {ServerEvent} event */
    #take(event) {
        const expected = event.name === 'ready' ? this.#last : this.#last + 1;
        const isFirst = this.#last < 0;
        this.#last = event.id;
        if (event.name === 'gap' || (!isFirst && event.id !== expected)) this.#user.gap();
        if (event.name !== 'gap' && event.name !== 'ready') this.#user.event(event);
    }
}
