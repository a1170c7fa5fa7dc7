/**
 * Which of SillyTavern's chats is which.
 *
 * @typedef {import('./protocol.js').ChatIdentity} ChatIdentity
 */

import { shortHash } from './hash.js';
import { context } from './host.js';

const LIST_TIMEOUT_MS = 5000;

/**
 * What tells this chat from its branches whatever it is called: kept by a rename, another one for a branch. Older
 * versions of SillyTavern give a branch the integrity of its parent, but all say whose branch it is.
 * @returns {string} "" where SillyTavern has no mark of it
 */
export function chatMark() {
    const { integrity, main_chat: parent } = context().chatMetadata;
    return integrity ? shortHash(`${integrity}\x1f${parent ?? ''}`) : '';
}

/**
 * @param {ChatIdentity} identity a chat of the same character or group
 * @param {string} name
 * @returns {Promise<boolean>} whether there is a chat of this name, as far as one can tell
 */
export async function hasChat({ owner, group }, name) {
    const { groups, getRequestHeaders } = context();
    if (group) return groups.find(({ id }) => id === owner)?.chats.includes(name) ?? true;
    const body = JSON.stringify({ avatar_url: owner, simple: true });
    const signal = AbortSignal.timeout(LIST_TIMEOUT_MS);
    const response = await fetch('/api/characters/chats', { method: 'POST', headers: getRequestHeaders(), body, signal });
    const found = response.ok ? await response.json() : null;
    return !Array.isArray(found) || found.some(({ file_name: file }) => file === `${name}.jsonl`);
}
