/**
 * Message keys and the running chain: the same functions, with the same vectors, as the server's `history/keys.py`.
 *
 * SHA-256 is written out here because `crypto.subtle` does not exist on plain HTTP and answers late.
 */

const SEPARATOR = '\x1f';
export const EMPTY_CHAIN = 'AAAAAAAA';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const ENCODER = new TextEncoder();
const BLOCK_BYTES = 64;
const LENGTH_BYTES = 8;

/** First 32 bits of the fractional parts of the square (power 1/2) or cube roots of the first primes: FIPS 180-4. */
const [INITIAL, ROUND] = constants();

/**
 * @returns {[Int32Array, Int32Array]} the initial hash value and the round constants
 */
function constants() {
    const initial = new Int32Array(8);
    const round = new Int32Array(64);
    let found = 0;
    for (let candidate = 2; found < round.length; candidate++) {
        if (!isPrime(candidate)) continue;
        if (found < initial.length) initial[found] = fraction(Math.sqrt(candidate));
        round[found++] = fraction(Math.cbrt(candidate));
    }
    return [initial, round];
}

/**
 * @param {number} number
 * @returns {boolean}
 */
function isPrime(number) {
    for (let divisor = 2; divisor * divisor <= number; divisor++) {
        if (number % divisor === 0) return false;
    }
    return true;
}

/**
 * @param {number} root
 * @returns {number} 32 bits after the point
 */
function fraction(root) {
    return ((root - Math.floor(root)) * 2 ** 32) | 0;
}

/**
 * @param {number} word
 * @param {number} bits
 * @returns {number}
 */
function rotate(word, bits) {
    return (word >>> bits) | (word << (32 - bits));
}

const schedule = new Int32Array(64);

/**
 * @param {Int32Array} state changed in place
 * @param {DataView} blocks
 * @param {number} offset
 */
function compress(state, blocks, offset) {
    for (let t = 0; t < 16; t++) schedule[t] = blocks.getInt32(offset + 4 * t);
    for (let t = 16; t < 64; t++) {
        const early = schedule[t - 15];
        const late = schedule[t - 2];
        const sigma0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
        const sigma1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
        schedule[t] = schedule[t - 16] + sigma0 + schedule[t - 7] + sigma1;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let t = 0; t < 64; t++) {
        const sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
        const first = (h + sum1 + ((e & f) ^ (~e & g)) + ROUND[t] + schedule[t]) | 0;
        const sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
        const second = (sum0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
        [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
}

/**
 * The first 64 bits of SHA-256, as two words.
 * @param {Uint8Array} bytes
 * @returns {[number, number]}
 */
function digestStart(bytes) {
    const padded = new Uint8Array(Math.ceil((bytes.length + 1 + LENGTH_BYTES) / BLOCK_BYTES) * BLOCK_BYTES);
    padded.set(bytes);
    padded[bytes.length] = 0x80;
    const view = new DataView(padded.buffer);
    view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
    view.setUint32(padded.length - 4, bytes.length << 3);
    const state = INITIAL.slice();
    for (let offset = 0; offset < padded.length; offset += BLOCK_BYTES) compress(state, view, offset);
    return [state[0], state[1]];
}

/**
 * 48 bits of SHA-256 over UTF-8, as 8 base64url characters.
 * @param {string} text
 * @returns {string}
 */
export function shortHash(text) {
    const [high, low] = digestStart(ENCODER.encode(text));
    const middle = ((high & 0xff) << 16) | (low >>> 16);
    return fourCharacters(high >>> 8) + fourCharacters(middle);
}

/**
 * @param {number} bits 24 of them
 * @returns {string}
 */
function fourCharacters(bits) {
    return ALPHABET[bits >>> 18] + ALPHABET[(bits >>> 12) & 63] + ALPHABET[(bits >>> 6) & 63] + ALPHABET[bits & 63];
}

/**
 * The text with every lone surrogate replaced by U+FFFD. Everything that is hashed or sent goes through here.
 * @param {string} text
 * @returns {string}
 */
export function wellFormed(text) {
    // With the u flag paired surrogates are one character, so that only lone ones match.
    return text.replace(/[\uD800-\uDFFF]/gu, '\uFFFD');
}

/**
 * Well-formed Unicode, newlines unified, ends trimmed: edits of these are no edits of the story.
 * @param {string} text
 * @returns {string}
 */
export function normalizeText(text) {
    return wellFormed(text).replace(/\r\n?/g, '\n').trim();
}

/**
 * Key of a message with this role and raw text.
 * @param {'user'|'assistant'|'narrator'} role
 * @param {string} text
 * @returns {string} 8 characters
 */
export function messageKey(role, text) {
    return shortHash(role + SEPARATOR + normalizeText(text));
}

/**
 * The chain after one more entry.
 * @param {string} chain
 * @param {string} entry
 * @returns {string}
 */
export function chainStep(chain, entry) {
    return shortHash(chain + SEPARATOR + entry);
}
