/**
 * One chat, opened with the server. Everything about it goes out in the order in which it happened; each piece takes
 * the list of messages along where it changed, so that nothing depends on an earlier piece having arrived.
 *
 * @typedef {import('./connection.js').Connection} Connection
 * @typedef {import('./protocol.js').Attached} Attached
 * @typedef {import('./protocol.js').ChatIdentity} ChatIdentity
 * @typedef {import('./protocol.js').CopyHead} CopyHead
 * @typedef {import('./protocol.js').Json} Json
 * @typedef {import('./protocol.js').JsonObject} JsonObject
 * @typedef {import('./protocol.js').Recalled} Recalled
 * @typedef {import('./protocol.js').Text} Text
 * @typedef {import('./transcript.js').ChatMessage} ChatMessage
 * @typedef {import('./transcript.js').Line} Line
 *
 * @typedef {{ chat: readonly ChatMessage[], lines: readonly (Line|null)[] }} Snapshot the chat at one moment
 * @typedef {{ page: string, settings: JsonObject, head: CopyHead|null, copy: JsonObject|undefined,
 *     deleted: boolean }} Opening
 */

import { Refused } from './protocol.js';
import { EMPTY_VIEW, inChunks, patchList, readTranscript, textAt } from './transcript.js';
import { logDebug } from './log.js';
import { childController } from './wait.js';

const ATTACH_TIMEOUT_MS = 20_000;
const EVENT_TIMEOUT_MS = 5000;
// Three bytes a character at most in what people write, so that a piece stays below 1 MiB.
const CHUNK_CHARACTERS = 300_000;

/**
 * @param {readonly ChatMessage[]} chat
 * @param {number} streamingFloor
 * @returns {Snapshot}
 */
export function takeSnapshot(chat, streamingFloor) {
    return { chat: chat.slice(), lines: readTranscript(chat, streamingFloor) };
}

export class Attachment {
    lineage = '';
    /** The chat is open in another page with other messages, and the server follows that one. */
    isElsewhere = false;
    #page = '';
    #connection;
    #view = EMPTY_VIEW;
    /** Keys whose text the server has. @type {Set<string>} */
    #known = new Set();
    #swipesSent = '';
    /** @type {Promise<unknown>} */
    #queue = Promise.resolve();
    #ended = new AbortController();

    /**
     * @param {Connection} connection
     * @param {ChatIdentity} identity
     */
    constructor(connection, identity) {
        this.#connection = connection;
        this.identity = identity;
    }

    /**
     * Open the chat; the texts that the server lacks follow in the background.
     * @param {Snapshot} snapshot
     * @param {Opening} opening
     * @returns {Promise<Attached>}
     */
    async attach(snapshot, { page, settings, head, copy, deleted }) {
        const change = patchList(snapshot.lines, EMPTY_VIEW);
        const messages = change?.messages ?? { keep: 0, base: EMPTY_VIEW.chains[0], names: [], rows: [] };
        const body = { page, chat: this.identity, messages, settings, copy_head: head, deleted };
        const options = { signal: this.#ended.signal, timeoutMs: ATTACH_TIMEOUT_MS };
        /** @type {Attached} */
        let answer = await this.#connection.command('chat/attach', body, options);
        if (answer.need_copy && copy) {
            // As text, so that the server can keep also what it cannot read.
            const whole = { ...body, copy_state: JSON.stringify(copy) };
            answer = await this.#connection.command('chat/attach', whole, options);
        }
        this.#page = page;
        this.lineage = answer.lineage;
        this.isElsewhere = answer.elsewhere;
        this.#view = answer.elsewhere ? EMPTY_VIEW : change?.view ?? EMPTY_VIEW;
        for (const line of snapshot.lines) if (line) this.#known.add(line.key);
        this.#supply(snapshot, answer.need);
        return answer;
    }

    /**
     * Forward something that happened.
     * @param {string} event
     * @param {Json[]} args
     * @param {Snapshot} snapshot
     * @param {{ onlyIfChanged: boolean }} condition whether it is worth sending only with a changed list
     * @returns {Promise<boolean>} whether it was sent
     */
    async forward(event, args, snapshot, { onlyIfChanged }) {
        const options = { signal: this.#ended.signal, timeoutMs: EVENT_TIMEOUT_MS };
        return await this.#inTurn(async () => {
            if (onlyIfChanged && patchList(snapshot.lines, this.#view) === null) return false;
            await this.#post('chat/event', { event, args }, snapshot, options);
            return true;
        });
    }

    /**
     * @param {JsonObject} question
     * @param {Snapshot} snapshot
     * @param {AbortSignal} signal
     * @returns {Promise<Recalled>}
     */
    async recall(question, snapshot, signal) {
        const either = childController(signal, this.#ended.signal);
        return await this.#inTurn(() => this.#post('chat/recall', question, snapshot, { signal: either.signal }));
    }

    /**
     * Go on with the chat in this page, whatever another page says.
     * @param {Snapshot} snapshot
     */
    async takeSeat(snapshot) {
        const options = { signal: this.#ended.signal, timeoutMs: ATTACH_TIMEOUT_MS };
        await this.#inTurn(() => {
            this.#view = EMPTY_VIEW;
            return this.#post('chat/seat', {}, snapshot, options);
        });
    }

    /**
     * A command about this chat that neither waits for others nor holds them up.
     * @param {string} command
     * @param {object} [body]
     * @param {import('./transport.js').Options} [options]
     * @returns {Promise<any>}
     */
    async ask(command, body = {}, options = {}) {
        return await this.#connection.command(command, { lineage: this.lineage, page: this.#page, ...body }, {
            signal: this.#ended.signal,
            ...options,
        });
    }

    /** Let go of the chat. What the server does at its end goes on without us. */
    close() {
        if (this.#ended.signal.aborted) return;
        this.#ended.abort();
        if (this.lineage === '' || !this.#connection.isUp) return;
        this.ask('chat/close', {}, { signal: undefined, keepalive: true }).catch(error => logDebug('close', error));
    }

    /** Give up what is under way; the connection is gone. */
    drop() {
        this.#ended.abort();
    }

    /**
     * @template T
     * @param {() => Promise<T>} send
     * @returns {Promise<T>}
     */
    #inTurn(send) {
        const turn = this.#queue.then(send);
        this.#queue = turn.catch(() => {});
        return turn;
    }

    /**
     * Send with the list where it changed. If the server's list is not what we took it to be, it gets the whole one.
     * @param {string} command
     * @param {object} body
     * @param {Snapshot} snapshot
     * @param {import('./transport.js').Options} options
     * @returns {Promise<any>}
     */
    async #post(command, body, snapshot, options) {
        try {
            return await this.#postOnce(command, body, snapshot, options);
        } catch (error) {
            if (!(error instanceof Refused) || error.code !== 'view_mismatch') throw error;
            this.#view = EMPTY_VIEW;
            return await this.#postOnce(command, body, snapshot, options);
        }
    }

    /**
     * @param {string} command
     * @param {object} body
     * @param {Snapshot} snapshot
     * @param {import('./transport.js').Options} options
     * @returns {Promise<any>}
     */
    async #postOnce(command, body, snapshot, options) {
        const change = patchList(snapshot.lines, this.#view);
        const texts = this.#newTexts(snapshot, change?.messages.keep ?? snapshot.lines.length);
        const answer = await this.#askForList(command, { ...body, messages: change?.messages, texts }, options);
        if (change) {
            this.#view = change.view;
            this.isElsewhere = false;
        }
        this.#remember(texts);
        this.#supply(snapshot, answer.need ?? []);
        return answer;
    }

    /**
     * @param {string} command
     * @param {object} body
     * @param {import('./transport.js').Options} options
     * @returns {Promise<any>}
     */
    async #askForList(command, body, options) {
        try {
            return await this.ask(command, body, options);
        } catch (error) {
            if (error instanceof Refused && error.code === 'open_elsewhere') this.isElsewhere = true;
            throw error;
        }
    }

    /**
     * Texts that most likely are new to the server; it asks for what is missing beyond that.
     * @param {Snapshot} snapshot
     * @param {number} keep
     * @returns {Text[]}
     */
    #newTexts({ chat, lines }, keep) {
        const fresh = [];
        for (let floor = keep; floor < lines.length; floor++) {
            if (lines[floor] && !this.#known.has(lines[floor]?.key ?? '')) fresh.push(textAt(chat, lines, floor));
        }
        const last = textAt(chat, lines, lines.length - 1);
        const hasNewSwipes = last !== null && swipeSign(last) !== this.#swipesSent;
        if (hasNewSwipes && fresh.at(-1)?.floor !== last.floor) fresh.push(last);
        return inChunks(fresh.filter(text => text !== null), CHUNK_CHARACTERS)[0] ?? [];
    }

    /** @param {Text[]} texts */
    #remember(texts) {
        for (const text of texts) this.#known.add(text.key);
        const last = texts.at(-1);
        if (last) this.#swipesSent = swipeSign(last);
    }

    /**
     * Send what the server asked for.
     * @param {Snapshot} snapshot
     * @param {readonly number[]} floors
     */
    #supply(snapshot, floors) {
        const texts = floors.map(floor => textAt(snapshot.chat, snapshot.lines, floor)).filter(text => text !== null);
        const options = { signal: this.#ended.signal, timeoutMs: ATTACH_TIMEOUT_MS };
        for (const chunk of inChunks(texts, CHUNK_CHARACTERS)) {
            this.#inTurn(async () => {
                await this.ask('chat/messages', { texts: chunk }, options);
                this.#remember(chunk);
            }).catch(error => logDebug('texts', error));
        }
    }
}

/**
 * @param {Text} text
 * @returns {string}
 */
function swipeSign(text) {
    return [text.key, ...text.swipes].join();
}
