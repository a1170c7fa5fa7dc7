/**
 * Reading what is not remembered yet of a long chat: its price first, then start, pause, resume and cancel.
 *
 * @typedef {import('../protocol.js').CatchUpState} CatchUpState
 * @typedef {import('../protocol.js').Job} Job
 * @typedef {{ first: number, last: number|null, batch: number, again: boolean }} Span
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
    /** Also what is remembered already is to be read. */
    #again = false;

    /** @param {Reader} reader */
    constructor(reader) {
        this.#reader = reader;
        const look = makeButton(say('bme.catch_up.look'), () => this.offer(false));
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

    /**
     * Show what it would cost to read what is to be read.
     * @param {boolean} again also what is remembered already
     */
    offer(again) {
        this.#again = again;
        void this.#show(() => this.#reader.price(this.#wanted()));
        this.element.scrollIntoView({ block: 'nearest' });
    }

    /** Another chat is open. */
    clear() {
        this.#again = false;
        this.#line.textContent = '';
        for (const part of [this.#span, this.#line, this.#buttons]) show(part, false);
    }

    /** @param {Job} job */
    follow(job) {
        if (job.task === 'catch_up' && ['done', 'cancelled'].includes(job.state)) this.#again = false;
        if (job.task === 'catch_up' && !this.#line.hidden) void this.#show(() => this.#reader.price(this.#wanted()));
    }

    /** @returns {Span} */
    #wanted() {
        return {
            first: whole(this.#first, 0),
            last: this.#last.value.trim() === '' ? null : whole(this.#last, 0),
            batch: Math.min(20, Math.max(1, whole(this.#batch, 1))),
            again: this.#again,
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
        this.#line.textContent = state === ''
            ? sayPrice({ messages, calls, tokens }, this.#again)
            : say(`bme.catch_up.${state}`, { done, total, reason });
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
 * @param {{ messages: number, calls: number, tokens: number }} price
 * @param {boolean} again
 * @returns {string}
 */
function sayPrice(price, again) {
    if (price.messages === 0) return say(again ? 'bme.catch_up.again.nothing' : 'bme.catch_up.nothing');
    const isFree = price.calls === 0;
    if (!again) return say(isFree ? 'bme.catch_up.free' : 'bme.catch_up.price', price);
    return `${say('bme.catch_up.again')} ${say(isFree ? 'bme.catch_up.again.free' : 'bme.catch_up.again.price', price)}`;
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
