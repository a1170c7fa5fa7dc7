/**
 * How much of the chat the coming prompt holds. SillyTavern knows that only of the last one, and a long message pushes
 * out more than a short one, so that it is reckoned by size.
 *
 * @typedef {import('./transcript.js').Line} Line
 * @typedef {{ first: number|undefined, length: number }} LastPrompt first floor that the last prompt held, if there was
 *     one, and how long the chat was then
 */

/** Of English text about four bytes make a token, of Chinese about three; the rest is room for the card. */
const BYTES_A_TOKEN = 3;

/** Of a preset's own instructions, in tokens. */
const INSTRUCTIONS = 300;

const encoder = new TextEncoder();

/**
 * About how many tokens of a prompt are taken by all that is no message.
 * @param {string} cardText
 * @returns {number}
 */
export function fixedTokens(cardText) {
    return INSTRUCTIONS + Math.ceil(encoder.encode(cardText).length / BYTES_A_TOKEN);
}

export class ContextWindow {
    /**
     * First floor that the coming prompt surely holds; undefined if nothing is known of an earlier prompt. In doubt a
     * message counts as gone: what stands in a prompt twice costs some tokens, what stands in it nowhere is forgotten.
     * It is the length of the chat where not even the last message may fit.
     * @type {number|undefined}
     */
    first;
    #sizes;
    #room;

    /**
     * @param {readonly (Line|null)[]} lines the chat as it is now
     * @param {LastPrompt} last
     * @param {number} contextTokens room for the whole prompt
     */
    constructor(lines, { first, length }, contextTokens) {
        this.#sizes = lines.map(sizeInPrompt);
        const held = first === undefined ? 0 : sum(this.#sizes.slice(first, length));
        const wasWhole = first === undefined || sum(this.#sizes.slice(0, first)) === 0;
        this.#room = wasWhole ? Math.max(held, contextTokens * BYTES_A_TOKEN) : held;
        this.first = first === undefined ? undefined : this.#firstWithin(this.#room);
    }

    /**
     * Depth at which a text surely stays in a chat completion prompt: that is filled from its end, and what no longer
     * fits is left out, texts of extensions among it.
     * @param {{ tokens: number, depth: number }} text and the depth that is wanted
     * @returns {number}
     */
    safeDepth({ tokens, depth }) {
        const newest = this.#sizes.slice(this.#firstWithin(this.#room - tokens * BYTES_A_TOKEN));
        // The message that is answered comes before everything else.
        return Math.min(depth, Math.max(1, newest.filter(size => size > 0).length));
    }

    /**
     * @param {number} room in bytes
     * @returns {number} floor from which on all fits
     */
    #firstWithin(room) {
        let floor = this.#sizes.length;
        for (let left = room; floor > 0 && this.#sizes[floor - 1] <= left; floor--) left -= this.#sizes[floor - 1];
        return floor;
    }
}

/**
 * @param {Line|null} line
 * @returns {number} in bytes
 */
function sizeInPrompt(line) {
    return line === null || line.hidden ? 0 : encoder.encode(line.text).length;
}

/**
 * @param {readonly number[]} numbers
 * @returns {number}
 */
function sum(numbers) {
    return numbers.reduce((total, number) => total + number, 0);
}
