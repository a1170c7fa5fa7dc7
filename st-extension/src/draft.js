/**
 * What the user is typing is looked at before it is sent, so that the wait before the reply is shorter.
 *
 * @typedef {object} Parts
 * @property {() => boolean} isWanted
 * @property {() => string} inputText
 * @property {() => { ask: (command: string, body: object) => Promise<unknown> }|null} attachment
 */

import { logDebug } from './log.js';

const PAUSE_MS = 700;
const SHORTEST = 8;
const LONGEST = 2000;

export class Draft {
    #parts;
    #timer = 0;
    #last = '';

    /** @param {Parts} parts */
    constructor(parts) {
        this.#parts = parts;
    }

    /** The text changed: once the user pauses the server is told. */
    changed() {
        clearTimeout(this.#timer);
        if (this.#parts.isWanted()) this.#timer = Number(setTimeout(() => this.#tell(), PAUSE_MS));
    }

    #tell() {
        const text = this.#parts.inputText().trim();
        const attachment = this.#parts.attachment();
        if (attachment === null || text === this.#last || text.length < SHORTEST || text.length > LONGEST) return;
        this.#last = text;
        attachment.ask('recall/prepare', { text }).catch(error => logDebug('the draft was not looked at', error));
    }
}
