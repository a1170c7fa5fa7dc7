/**
 * Reading what is not remembered yet of a long chat: its price first, then start, pause, resume and cancel.
 *
 * @typedef {import('../protocol.js').CatchUpState} CatchUpState
 * @typedef {import('../protocol.js').Job} Job
 * @typedef {{ first: number, last: number|null, batch: number }} Span
 * @typedef {{
 *     price: (span: Span) => Promise<CatchUpState>,
 *     start: (span: Span) => Promise<CatchUpState>,
 *     steer: (action: 'pause'|'resume'|'cancel') => Promise<CatchUpState>,
 * }} Reader
 */

import { logWarning } from '../log.js';
import { make, makeButton, show } from './dom.js';
import { say } from './texts.js';

export class CatchUp {
    #reader;
    #line = make('div', { className: 'st-bme-note', role: 'status' });
    #first = numberField('0', 0);
    #last = numberField('', 0);
    #batch = numberField('1', 1);
    #span = make('div', { className: 'st-bme-row' });
    #buttons = make('div', { className: 'st-bme-row' });
    #start;
    #pause;
    #resume;
    #cancel;

    /** @param {Reader} reader */
    constructor(reader) {
        this.#reader = reader;
        const look = makeButton(say('bme.catch_up.look'), () => void this.#show(() => reader.price(this.#wanted())));
        this.#start = makeButton(say('bme.catch_up.start'), () => void this.#show(() => reader.start(this.#wanted())));
        this.#pause = makeButton(say('bme.catch_up.pause'), () => void this.#show(() => reader.steer('pause')));
        this.#resume = makeButton(say('bme.catch_up.resume'), () => void this.#show(() => reader.steer('resume')));
        this.#cancel = makeButton(say('bme.catch_up.cancel'), () => void this.#show(() => reader.steer('cancel')));
        this.#last.placeholder = say('bme.catch_up.end');
        this.#span.append(
            make('label', {}, say('bme.catch_up.first'), this.#first),
            make('label', {}, say('bme.catch_up.last'), this.#last),
            make('label', {}, say('bme.catch_up.batch'), this.#batch),
        );
        for (const field of [this.#first, this.#last, this.#batch]) {
            field.addEventListener('change', () => void this.#show(() => reader.price(this.#wanted())));
        }
        this.#buttons.append(this.#start, this.#pause, this.#resume, this.#cancel);
        this.element = make('div', { className: 'st-bme-catch-up' }, look, this.#span, this.#line, this.#buttons);
        this.clear();
    }

    /** Another chat is open. */
    clear() {
        this.#line.textContent = '';
        for (const part of [this.#span, this.#line, this.#buttons]) show(part, false);
    }

    /** @param {Job} job */
    follow(job) {
        if (job.task === 'catch_up' && !this.#line.hidden) void this.#show(() => this.#reader.price(this.#wanted()));
    }

    /** @returns {Span} */
    #wanted() {
        return {
            first: whole(this.#first, 0),
            last: this.#last.value.trim() === '' ? null : whole(this.#last, 0),
            batch: Math.min(20, Math.max(1, whole(this.#batch, 1))),
        };
    }

    /** @param {() => Promise<CatchUpState>} ask */
    async #show(ask) {
        try {
            this.#draw(await ask());
        } catch (error) {
            logWarning('catching up was not possible', error);
            this.#line.textContent = say('bme.catch_up.unavailable');
            show(this.#line, true);
        }
    }

    /** @param {CatchUpState} state */
    #draw({ messages, calls, tokens, state, done, total, reason }) {
        this.#line.textContent = state === '' ? sayPrice(messages, calls, tokens) : say(`bme.catch_up.${state}`, { done, total, reason });
        show(this.#line, true);
        show(this.#span, state === '');
        show(this.#buttons, state !== '' || messages > 0);
        show(this.#start, state === '');
        show(this.#pause, state === 'running');
        show(this.#resume, state === 'paused');
        show(this.#cancel, state !== '');
    }
}

/**
 * @param {number} messages
 * @param {number} calls
 * @param {number} tokens
 * @returns {string}
 */
function sayPrice(messages, calls, tokens) {
    if (messages === 0) return say('bme.catch_up.nothing');
    if (calls === 0) return say('bme.catch_up.free', { messages });
    return say('bme.catch_up.price', { messages, calls, tokens });
}

/**
 * @param {string} value
 * @param {number} min
 * @returns {HTMLInputElement}
 */
function numberField(value, min) {
    return make('input', { className: 'text_pole', type: 'number', min: String(min), value });
}

/**
 * @param {HTMLInputElement} field
 * @param {number} otherwise
 * @returns {number}
 */
function whole(field, otherwise) {
    const number = Math.trunc(Number(field.value));
    return Number.isFinite(number) && number >= 0 ? number : otherwise;
}
