/**
 * The chat that is open, and its attachment to the server. Opening is never awaited by SillyTavern; of several
 * openings in a row the last one wins.
 *
 * @typedef {import('./connection.js').Connection} Connection
 * @typedef {import('./protocol.js').Attached} Attached
 * @typedef {import('./protocol.js').ChatIdentity} ChatIdentity
 * @typedef {import('./protocol.js').CopyHead} CopyHead
 * @typedef {import('./protocol.js').JsonObject} JsonObject
 * @typedef {import('./attachment.js').Snapshot} Snapshot
 *
 * @typedef {object} ChatHost
 * @property {() => ChatIdentity|null} chatIdentity
 * @property {(avatar: string) => boolean} hasCharacter
 * @property {() => Snapshot} snapshot
 * @property {() => JsonObject|undefined} readCopy
 * @property {() => string} chatMark
 * @property {(identity: ChatIdentity, name: string) => Promise<boolean>} hasChat
 * @property {() => JsonObject} settings values that differ from the defaults
 *
 * @typedef {object} ChatUser
 * @property {(answer: Attached) => void} attached
 * @property {() => void} changed what `problem` or `attachment` says changed
 */

import { Attachment } from './attachment.js';
import { Refused, randomId } from './protocol.js';
import { headOf, markOf } from './state.js';
import { logDebug, logWarning } from './log.js';
import { sleep } from './wait.js';

// CHAT_RENAMED comes after the CHAT_CHANGED of the new name, when SillyTavern has drawn the chat.
const RENAME_WAIT_MS = 1500;
const RETRY_AFTER_MS = 5000;

export class OpenChat {
    /** This page among those that use the server. */
    page = randomId();
    #connection;
    #host;
    #user;
    /** @type {Attachment|null} */
    #current = null;
    #turn = 0;
    #failedAt = -Infinity;
    /** @type {Promise<void>} */
    #opening = Promise.resolve();
    #isOpening = false;
    #problem = '';
    /** The chat opened last, to tell a rename from a copy. */
    #last = { name: '', owner: '', mark: '' };
    #renameSeen = new AbortController();
    #renamedTo = '';
    /** The chat in which messages were deleted without the server knowing. @type {ChatIdentity|null} */
    #deletedIn = null;

    /**
     * @param {Connection} connection
     * @param {ChatHost} host
     * @param {ChatUser} user
     */
    constructor(connection, host, user) {
        this.#connection = connection;
        this.#host = host;
        this.#user = user;
    }

    /** Code of what keeps the open chat from having memory, "" for nothing. */
    get problem() {
        return this.#problem || (this.attachment?.isElsewhere ? 'open_elsewhere' : '');
    }

    get isOpening() {
        return this.#isOpening;
    }

    /**
     * The attachment of the chat that is open at this moment; null while SillyTavern is between two chats.
     * @returns {Attachment|null}
     */
    get attachment() {
        const identity = this.#host.chatIdentity();
        const current = this.#current;
        if (identity === null || current === null) return null;
        return identity.name === current.identity.name && identity.owner === current.identity.owner ? current : null;
    }

    /** Let the old chat go and attach the one that is open now, if there is one and the server is there. */
    reopen() {
        const turn = ++this.#turn;
        this.leave();
        this.#failedAt = -Infinity;
        if (!this.#connection.isUp) return;
        this.#isOpening = true;
        this.#opening = this.#open(turn).finally(() => {
            if (turn === this.#turn) this.#isOpening = false;
            this.#user.changed();
        });
    }

    /** Let the chat go, since another one comes or memory is off. */
    leave() {
        this.#current?.close();
        this.#current = null;
        this.#problem = '';
    }

    /** The connection is gone, and with it what was under way. */
    drop() {
        this.#turn += 1;
        this.#isOpening = false;
        this.#current?.drop();
        this.#current = null;
    }

    /**
     * The attachment, after waiting for one that is on its way. A chat that could not be opened is tried again.
     * @returns {Promise<Attachment|null>}
     */
    async ready() {
        const isDue = !this.#isOpening && Date.now() - this.#failedAt > RETRY_AFTER_MS;
        if (isDue && this.attachment === null && this.#host.chatIdentity() !== null) this.reopen();
        await this.#opening;
        return this.attachment;
    }

    /**
     * SillyTavern renamed a chat.
     * @param {{ oldFileName?: string }} names
     */
    noteRename({ oldFileName }) {
        if (oldFileName !== `${this.#last.name}.jsonl`) return;
        this.#renamedTo = this.#host.chatIdentity()?.name ?? '';
        this.#renameSeen.abort();
    }

    /** Messages of the open chat were deleted, and the server was not told. */
    noteDeletion() {
        this.#deletedIn = this.#host.chatIdentity();
    }

    /** @param {number} turn */
    async #open(turn) {
        // A burst of openings ends here but for its last; and SillyTavern waits for what is done before this.
        await sleep(0);
        const identity = this.#host.chatIdentity();
        if (identity === null || turn !== this.#turn) return;
        const renamed = await this.#wasRenamed(identity);
        if (turn !== this.#turn) return;
        this.#last = { name: identity.name, owner: identity.owner, mark: this.#host.chatMark() };
        await this.#attach(identity, renamed, turn);
    }

    /**
     * @param {ChatIdentity} identity
     * @param {boolean} renamed
     * @param {number} turn
     */
    async #attach(identity, renamed, turn) {
        const attachment = new Attachment(this.#connection, identity);
        const copy = this.#host.readCopy();
        const head = headOf(copy);
        if (head && renamed) head.chat = identity.name;
        if (head && await this.#lostItsName(head, markOf(copy), identity)) head.chat_gone = true;
        if (turn !== this.#turn) return;
        if (head && !identity.group) head.owner_gone = !this.#host.hasCharacter(head.owner);
        const deleted = this.#deletedIn?.name === identity.name && this.#deletedIn.owner === identity.owner;
        const opening = { page: this.page, settings: this.#host.settings(), head, copy, deleted };
        try {
            const answer = await attachment.attach(this.#host.snapshot(), opening);
            const now = this.#host.chatIdentity();
            if (turn !== this.#turn || now?.name !== identity.name || now.owner !== identity.owner) {
                attachment.close();
                return;
            }
            if (answer.read_only) {
                this.#problem = 'newer_state';
                this.#failedAt = Infinity;
                return;
            }
            if (deleted) this.#deletedIn = null;
            this.#current = attachment;
            this.#user.attached(answer);
        } catch (error) {
            attachment.drop();
            if (turn === this.#turn) this.#fail(error);
        }
    }

    /**
     * Whether this is the chat that the copy names, which was renamed while nobody looked: it bears the same mark, and
     * there is none of the old name. An import bears it as well, but beside the chat that it was made of.
     * @param {CopyHead} head
     * @param {string} mark of the chat that the copy was put into
     * @param {ChatIdentity} identity
     * @returns {Promise<boolean>}
     */
    async #lostItsName(head, mark, identity) {
        if (head.owner !== identity.owner || head.chat === identity.name) return false;
        if (mark === '' || mark !== this.#host.chatMark()) return false;
        return !(await this.#host.hasChat(identity, head.chat).catch(() => true));
    }

    /** @param {unknown} error */
    #fail(error) {
        this.#failedAt = Date.now();
        if (!(error instanceof Refused)) {
            logDebug('the chat was not opened', error);
            return;
        }
        this.#problem = error.code;
        logWarning('the server did not open this chat:', error.code, error.message);
    }

    /**
     * Whether this is the chat that was open just now, under a new name. A copy under another name looks the same
     * until SillyTavern says that it renamed.
     * @param {ChatIdentity} identity
     * @returns {Promise<boolean>}
     */
    async #wasRenamed(identity) {
        const last = this.#last;
        const mark = this.#host.chatMark();
        const isKin = mark !== '' && mark === last.mark && identity.owner === last.owner;
        if (!isKin || identity.name === last.name) return false;
        this.#renameSeen = new AbortController();
        if (this.#renamedTo !== identity.name) await sleep(RENAME_WAIT_MS, this.#renameSeen.signal);
        const renamed = this.#renamedTo === identity.name;
        this.#renamedTo = '';
        return renamed;
    }
}
