/**
 * What an extraction sees beside the messages, if the user wants it: who plays, and the world info of the last prompt.
 *
 * @typedef {import('./attachment.js').Attachment} Attachment
 *
 * @typedef {object} Parts
 * @property {(name: string, listener: (...args: any[]) => void) => void} onEvent
 * @property {() => { persona: string, card: string }} descriptions
 * @property {(key: string) => unknown} valueAt of a setting
 */

import { wellFormed } from './hash.js';
import { logDebug } from './log.js';

const PERSONA_LIMIT = 2000;
const TEXT_LIMIT = 8000;
const NOTHING = JSON.stringify({ persona: '', card: '', world_info: '' });

export class Background {
    #parts;
    #worldInfo = '';
    #told = NOTHING;
    /** @type {Pick<Attachment, 'ask'>|null} */
    #toldTo = null;

    /** @param {Parts} parts */
    constructor(parts) {
        this.#parts = parts;
    }

    listen() {
        this.#parts.onEvent('WORLD_INFO_ACTIVATED', entries => this.#noteWorldInfo(entries));
    }

    /**
     * Tell the server what has changed since it was told last.
     * @param {Pick<Attachment, 'ask'>|null} attachment
     */
    tell(attachment) {
        if (attachment === null) return;
        if (attachment !== this.#toldTo) this.#told = NOTHING;
        this.#toldTo = attachment;
        const body = this.#body();
        const text = JSON.stringify(body);
        if (text === this.#told) return;
        this.#told = text;
        attachment.ask('chat/background', body).catch(error => {
            this.#told = '';
            logDebug('the background was not taken', error);
        });
    }

    #body() {
        const { descriptions, valueAt } = this.#parts;
        const { persona, card } = valueAt('extractIncludeCard') === true ? descriptions() : { persona: '', card: '' };
        const worldInfo = valueAt('extractIncludeWorldInfo') === true ? this.#worldInfo : '';
        return {
            persona: wellFormed(persona.slice(0, PERSONA_LIMIT)),
            card: wellFormed(card.slice(0, TEXT_LIMIT)),
            world_info: wellFormed(worldInfo.slice(0, TEXT_LIMIT)),
        };
    }

    /** @param {unknown} entries that SillyTavern put into the prompt */
    #noteWorldInfo(entries) {
        const listed = Array.isArray(entries) ? entries : [];
        this.#worldInfo = listed.map(entry => String(Object(entry).content ?? '').trim()).filter(Boolean).join('\n');
    }
}
