/**
 * How much of the chat the coming prompt holds. SillyTavern knows that only of the last one, and a long message pushes
 * out more than a short one, so that it is reckoned by size.
 *
 * @typedef {import('./transcript.js').Line} Line
 */

/** Of English text about four bytes make a token, of Chinese about three; the rest is room for the card. */
const BYTES_A_TOKEN = 3;

const encoder = new TextEncoder();

/**
 * First floor that the coming prompt surely holds. In doubt a message counts as gone: what stands in a prompt twice
 * costs some tokens, what stands in it nowhere is forgotten.
 * @param {readonly (Line|null)[]} lines the chat as it is now
 * @param {{ first: number, length: number }} last first floor that the last prompt held, and how long the chat was then
 * @param {number} contextTokens room for the whole prompt
 * @returns {number} the length of the chat where not even its last message may fit
 */
export function firstInContext(lines, last, contextTokens) {
    const sizes = lines.map(sizeInPrompt);
    const held = sum(sizes.slice(last.first, last.length));
    const wasWhole = sum(sizes.slice(0, last.first)) === 0;
    const room = wasWhole ? Math.max(held, contextTokens * BYTES_A_TOKEN) : held;
    let floor = sizes.length;
    for (let left = room; floor > 0 && sizes[floor - 1] <= left; floor--) left -= sizes[floor - 1];
    return floor;
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
