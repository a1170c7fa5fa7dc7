/**
 * What of SillyTavern's chat array goes to the server: a list of keys, and texts where the server lacks them.
 *
 * @typedef {import('./protocol.js').MessageList} MessageList
 * @typedef {import('./protocol.js').Text} Text
 *
 * @typedef {object} ChatMessage one message as SillyTavern keeps it; only what is read here
 * @property {string} [mes]
 * @property {string} [name]
 * @property {boolean} [is_user]
 * @property {boolean} [is_system] hidden from the prompt, nothing else
 * @property {number} [swipe_id]
 * @property {string[]} [swipes]
 * @property {{ type?: string, tool_invocations?: unknown }} [extra]
 *
 * @typedef {object} Line a message that counts
 * @property {string} key
 * @property {0|1|2} role
 * @property {string} name
 * @property {boolean} hidden
 * @property {string} entry what the digest of the list is made of
 * @property {string} text
 *
 * @typedef {object} View a list as the server has it
 * @property {readonly string[]} entries
 * @property {readonly string[]} chains `chains[n]` is the digest of the first n entries
 */

import { EMPTY_CHAIN, chainStep, messageKey, wellFormed } from './hash.js';

const SEPARATOR = '\x1f';
// Longest name and text that the server reads.
const NAME_LIMIT = 1000;
const TEXT_LIMIT = 2_000_000;
const ROLES = /** @type {const} */ (['user', 'assistant', 'narrator']);

/** Values of `extra.type` that SillyTavern gives to notes of its own: they are no part of the story. */
const NOT_STORY = new Set([
    'comment', 'help', 'welcome', 'welcome_prompt', 'empty', 'generic', 'group_generate', 'slash_commands',
    'formatting', 'hotkeys', 'macros', 'assistant_note',
]);

/** @type {View} */
export const EMPTY_VIEW = { entries: [], chains: [EMPTY_CHAIN] };

/** Hashing is the only cost of a long chat: a line is kept as long as nothing of its message changed.
 * @type {WeakMap<ChatMessage, { name: unknown, line: Line }>} */
const knownLines = new WeakMap();

/**
 * The chat as lines, null at each floor that does not count.
 * @param {readonly ChatMessage[]} chat
 * @param {number} [unfinishedFloor] floor of the reply that is being streamed: it counts once it is complete
 * @returns {(Line|null)[]}
 */
export function readTranscript(chat, unfinishedFloor = -1) {
    const last = chat.length - 1;
    return chat.map((message, floor) => {
        if (floor === unfinishedFloor || (floor === last && awaitsSwipe(message))) return null;
        return readLine(message);
    });
}

/**
 * @param {ChatMessage} message
 * @returns {Line|null}
 */
function readLine(message) {
    const text = message.mes;
    const type = message.extra?.type;
    if (typeof text !== 'string' || message.extra?.tool_invocations || NOT_STORY.has(type ?? '')) return null;
    if (text.trim() === '') return null;
    const role = message.is_user ? 0 : type === 'narrator' ? 2 : 1;
    const hidden = message.is_system === true;
    const known = knownLines.get(message);
    const isSame = known?.line.text === text && known.line.role === role && known.line.hidden === hidden;
    if (isSame && known.name === message.name) return known.line;
    const line = makeLine(text, role, wellFormed(String(message.name ?? '').slice(0, NAME_LIMIT)), hidden);
    knownLines.set(message, { name: message.name, line });
    return line;
}

/**
 * @param {string} text
 * @param {0|1|2} role
 * @param {string} name
 * @param {boolean} hidden
 * @returns {Line}
 */
function makeLine(text, role, name, hidden) {
    const key = messageKey(ROLES[role], text);
    return { key, role, name, hidden, entry: [key, ROLES[role], hidden ? 1 : 0, name].join(SEPARATOR), text };
}

/**
 * A swipe to the right of the last one: SillyTavern already counts the new reply, but still shows the old text.
 * @param {ChatMessage} message
 * @returns {boolean}
 */
function awaitsSwipe(message) {
    return !message.is_user && Array.isArray(message.swipes) && message.swipes.length > 0
        && message.swipe_id === message.swipes.length;
}

/**
 * What turns the server's list into this one; null if they are equal.
 * @param {readonly (Line|null)[]} lines
 * @param {View} view
 * @returns {{ messages: MessageList, view: View }|null}
 */
export function patchList(lines, view) {
    const entries = lines.map(line => line?.entry ?? '');
    let keep = 0;
    while (keep < entries.length && keep < view.entries.length && entries[keep] === view.entries[keep]) keep++;
    if (keep === entries.length && keep === view.entries.length) return null;
    const chains = view.chains.slice(0, keep + 1);
    for (let floor = keep; floor < entries.length; floor++) chains.push(chainStep(chains[floor], entries[floor]));
    return { messages: writeList(lines.slice(keep), keep, chains[keep]), view: { entries, chains } };
}

/**
 * @param {readonly (Line|null)[]} lines
 * @param {number} keep
 * @param {string} base
 * @returns {MessageList}
 */
function writeList(lines, keep, base) {
    /** @type {Map<string, number>} */
    const names = new Map();
    const rows = lines.map(line => {
        if (line === null) return null;
        const name = names.get(line.name) ?? names.size;
        names.set(line.name, name);
        return { key: line.key, role: line.role, name, hidden: line.hidden };
    });
    return { keep, base, names: [...names.keys()], rows };
}

/**
 * The text at a floor; of the last message also the keys of its other swipes.
 * @param {readonly ChatMessage[]} chat
 * @param {readonly (Line|null)[]} lines
 * @param {number} floor
 * @returns {Text|null} null where no message counts, or one too long to send
 */
export function textAt(chat, lines, floor) {
    const line = lines[floor];
    if (!line || line.text.length > TEXT_LIMIT) return null;
    const swipes = floor === chat.length - 1 ? otherSwipes(chat[floor], line) : [];
    return { floor, key: line.key, text: wellFormed(line.text), swipes };
}

/**
 * @param {ChatMessage} message
 * @param {Line} line
 * @returns {string[]}
 */
function otherSwipes(message, line) {
    const texts = (message.swipes ?? []).filter(text => typeof text === 'string' && text.trim() !== '');
    const keys = new Set(texts.map(text => messageKey(ROLES[line.role], text)));
    keys.delete(line.key);
    return [...keys];
}

/**
 * Texts in pieces that the server reads at once. A single longer text is a piece of its own.
 * @param {readonly Text[]} texts
 * @param {number} limit characters
 * @returns {Text[][]}
 */
export function inChunks(texts, limit) {
    /** @type {Text[][]} */
    const chunks = [];
    let room = 0;
    for (const text of texts) {
        if (chunks.length === 0 || room < text.text.length) {
            chunks.push([]);
            room = limit;
        }
        chunks[chunks.length - 1].push(text);
        room -= text.text.length;
    }
    return chunks;
}
