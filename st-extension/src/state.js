/**
 * The copy of the graph in the chat's metadata: put there at once, carried to disk by SillyTavern's own saves.
 *
 * @typedef {import('./attachment.js').Attachment} Attachment
 * @typedef {import('./protocol.js').CopyHead} CopyHead
 * @typedef {import('./protocol.js').JsonObject} JsonObject
 * @typedef {import('./protocol.js').StatePatch} StatePatch
 * @typedef {import('./protocol.js').WholeState} WholeState
 *
 * @typedef {object} CopyHost
 * @property {() => JsonObject|undefined} readCopy
 * @property {(copy: JsonObject) => void} writeCopy
 * @property {() => string} chatMark
 * @property {() => Promise<void>} saveChat
 * @property {() => number} streamingFloor
 * @property {() => boolean} isPageHidden
 * @property {() => number} now as `performance.now()` counts
 */

import { wellFormed } from './hash.js';
import { logDebug, logWarning } from './log.js';
import { PatchFailed, applySteps } from './state-patch.js';

// Ids and names are no longer anywhere; the server refuses a command that says otherwise.
const ID_LENGTH = 40;
const NAME_LENGTH = 1000;
const KEY_LENGTH = 8;
const QUIET_BEFORE_SAVE_MS = 60_000;
const TURNS_BETWEEN_SAVES = 20;
const SAVES_PER_100_TURNS = 5;
// SillyTavern writes the chat down a moment before it sends it.
const SAVE_MARGIN_MS = 250;

/**
 * @param {JsonObject|undefined} copy
 * @returns {CopyHead|null} what the copy says of itself
 */
export function headOf(copy) {
    if (!copy) return null;
    const chat = /** @type {JsonObject} */ (Object(copy.chat));
    return {
        version: Number.isSafeInteger(copy.version) ? Number(copy.version) : 0,
        lineage: shortText(copy.lineage, ID_LENGTH),
        chat: shortText(chat.name, NAME_LENGTH),
        owner: shortText(chat.owner, NAME_LENGTH),
        rev: Number.isSafeInteger(copy.rev) ? Number(copy.rev) : 0,
        head: shortText(copy.head, ID_LENGTH),
        messages: typeof copy.known === 'string' ? Math.floor(copy.known.length / KEY_LENGTH) : 0,
    };
}

/**
 * @param {JsonObject|undefined} copy
 * @returns {string} the mark of the chat that the copy was put into, "" for none
 */
export function markOf(copy) {
    return shortText(Object(copy?.chat).mark, KEY_LENGTH);
}

/**
 * @param {unknown} value
 * @param {number} most characters that the server takes
 * @returns {string} "" for anything else, which then is no copy of this chat
 */
function shortText(value, most) {
    return typeof value === 'string' && value.length <= most ? wellFormed(value) : '';
}

/**
 * @param {unknown} nodes
 * @returns {boolean}
 */
function isEmpty(nodes) {
    return !Array.isArray(nodes) || nodes.length === 0;
}

export class ChatCopy {
    #host;
    #openNow;
    /**
     * What was put into the metadata and is not known to be on disk, oldest first.
     * @type {{ attachment: Attachment, rev: number, setAt: number }[]}
     */
    #unsaved = [];
    #turns = 0;
    /** Turns at which a save was added. @type {number[]} */
    #added = [];
    #timer = 0;
    #isFetching = false;
    /** Asked for while it was being fetched: what comes may be older. */
    #fetchesAgain = false;

    /**
     * @param {CopyHost} host
     * @param {() => Attachment|null} openNow the attachment of the chat that is open at this moment
     */
    constructor(host, openNow) {
        this.#host = host;
        this.#openNow = openNow;
    }

    /** @returns {number} rev of the copy that waits for a save, -1 for none */
    get unsavedRev() {
        return this.#unsaved.at(-1)?.rev ?? -1;
    }

    /**
     * Bring the copy up to date, if the patch is for the chat that is open; any other chat gets it when it is opened.
     * @param {StatePatch} patch
     */
    take(patch) {
        const attachment = this.#openNow();
        if (attachment === null || attachment.lineage !== patch.lineage) return;
        const head = headOf(this.#host.readCopy());
        const isSame = head?.lineage === patch.lineage;
        if (isSame && patch.base_rev !== -1 && patch.rev <= head.rev) return;
        if (patch.base_rev !== -1 && !(isSame && head.rev === patch.base_rev)) {
            void this.fetchWhole();
            return;
        }
        try {
            const base = patch.base_rev === -1 ? {} : this.#host.readCopy() ?? {};
            this.#put(attachment, applySteps(base, patch.steps), patch.rev);
        } catch (error) {
            if (!(error instanceof PatchFailed)) throw error;
            logWarning('a patch did not fit the copy; the whole is fetched', error.message);
            void this.fetchWhole();
        }
    }

    /** Replace the copy by the server's. */
    async fetchWhole() {
        const attachment = this.#openNow();
        this.#fetchesAgain = this.#isFetching;
        if (attachment === null || this.#isFetching) return;
        this.#isFetching = true;
        const before = headOf(this.#host.readCopy());
        try {
            const whole = /** @type {WholeState} */ (await attachment.ask('chat/state'));
            const now = headOf(this.#host.readCopy());
            const isOvertaken = now?.lineage === whole.lineage && now.rev > whole.rev && now.rev !== before?.rev;
            if (isOvertaken) {
                this.#fetchesAgain = true;  // a patch was put in meanwhile that this one does not have yet
            } else if (this.#openNow() === attachment && whole.lineage === attachment.lineage) {
                this.#put(attachment, whole.state, whole.rev);
            }
        } catch (error) {
            logDebug('the copy could not be fetched', error);
        } finally {
            this.#isFetching = false;
        }
        if (this.#fetchesAgain) await this.fetchWhole();
    }

    /** A user message was sent. */
    countTurn() {
        this.#turns += 1;
    }

    /**
     * SillyTavern saved a chat.
     * @param {number} startedAt
     */
    noteSave(startedAt) {
        const isIn = (/** @type {{ setAt: number }} */ { setAt }) => setAt + SAVE_MARGIN_MS <= startedAt;
        const saved = this.#unsaved.findLast(isIn);
        if (!saved || this.#openNow() !== saved.attachment) return;
        this.#unsaved = this.#unsaved.filter(put => !isIn(put));
        this.#acknowledge(saved.attachment, saved.rev, 'saved');
    }

    /** Add a save if the copy would else be lost, and if this did not happen too often. */
    saveIfDue() {
        const isStreaming = this.#host.streamingFloor() >= 0;
        const attachment = this.#unsaved.at(-1)?.attachment;
        if (!attachment || isStreaming || this.#openNow() !== attachment) return;
        const recent = this.#added.filter(turn => this.#turns - turn < 100);
        const isQuiet = recent.every(turn => this.#turns - turn >= TURNS_BETWEEN_SAVES);
        if (recent.length >= SAVES_PER_100_TURNS || !(this.#host.isPageHidden() || isQuiet)) return;
        this.#added = [...recent, this.#turns];
        this.#host.saveChat().catch(error => logWarning('the chat could not be saved', error));
    }

    /**
     * @param {Attachment} attachment
     * @param {JsonObject} copy
     * @param {number} rev
     */
    #put(attachment, copy, rev) {
        if (this.#wouldEmpty(attachment, copy)) return;
        const chat = /** @type {JsonObject} */ (copy.chat);
        this.#host.writeCopy({ ...copy, chat: { ...chat, mark: this.#host.chatMark() } });
        const others = this.#unsaved.filter(put => put.attachment === attachment);
        this.#unsaved = [...others, { attachment, rev, setAt: this.#host.now() }];
        clearTimeout(this.#timer);
        this.#timer = Number(setTimeout(() => this.saveIfDue(), QUIET_BEFORE_SAVE_MS));
        this.#acknowledge(attachment, rev, 'set');
    }

    /**
     * A chat that came back without its messages begins anew, but what its file knows of it stays until there is
     * something to put in its place.
     * @param {Attachment} attachment
     * @param {JsonObject} copy
     * @returns {boolean}
     */
    #wouldEmpty({ identity }, copy) {
        const old = this.#host.readCopy();
        const head = headOf(old);
        const isOwn = head?.chat === identity.name && head.owner === identity.owner;
        return isOwn && head.lineage !== copy.lineage && !isEmpty(old?.nodes) && isEmpty(copy.nodes);
    }

    /**
     * @param {Attachment} attachment
     * @param {number} rev
     * @param {'set'|'saved'} stage
     */
    #acknowledge(attachment, rev, stage) {
        attachment.ask('chat/ack', { rev, stage }).catch(error => logDebug('ack', error));
    }
}
