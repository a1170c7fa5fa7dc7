/**
 * One colour, one line why, and how to mend it.
 *
 * @typedef {import('../connection.js').Status} Status
 * @typedef {import('../counters.js').Outcome} Outcome
 * @typedef {import('./texts.js').TextKey} TextKey
 *
 * @typedef {object} Facts
 * @property {Status} status of the connection
 * @property {boolean} hasChat SillyTavern has a chat open that it keeps
 * @property {boolean} isAttached
 * @property {string} problem code for which the chat is not attached
 * @property {Outcome|''} lastOutcome of the interceptor in this chat
 * @property {boolean} isRelayOffline memory work waits for SillyTavern's own connection, and there is none
 * @property {import('../model-trouble.js').Trouble|null} trouble its task in words
 * @property {string} serverUrl
 * @property {string} pageOrigin
 * @property {string} folder name of the folder that the extension lies in
 *
 * @typedef {'green'|'amber'|'red'|'grey'} Color
 * @typedef {{ color: Color, key: TextKey, gaps: { [gap: string]: string }, command: string, link: string,
 *     asksCode: boolean, offersSeat: boolean }} Badge
 */

import { DEFAULT_SERVER_URL } from '../protocol.js';
import { keyOr } from './texts.js';

/** @type {{ [phase: string]: Color }} */
const COLORS = { off: 'grey', connecting: 'amber', unpaired: 'amber', down: 'red', up: 'green' };

/** The server lies beside the page's part: SillyTavern cloned both into one folder of the user's extensions. */
const SERVER_PLACE = 'data/default-user/extensions';

/**
 * @param {Facts} facts
 * @returns {Badge}
 */
export function badgeOf(facts) {
    const { phase, reason, detail } = facts.status;
    if (phase === 'up') return connectedBadge(facts);
    /** @type {TextKey} */
    const key = phase === 'off' ? 'bme.badge.off' : keyOr(`bme.badge.${reason}`, 'bme.badge.unknown');
    return {
        color: COLORS[phase],
        key,
        gaps: { reason, detail },
        command: commandFor(reason, facts),
        link: linkFor(reason, facts),
        asksCode: phase === 'unpaired',
        offersSeat: false,
    };
}

/**
 * @param {Facts} facts
 * @returns {Badge}
 */
function connectedBadge({ hasChat, isAttached, problem, lastOutcome, isRelayOffline, trouble }) {
    /** @type {Badge} */
    const badge = {
        color: 'green', key: 'bme.badge.ready', gaps: {}, command: '', link: '', asksCode: false, offersSeat: false,
    };
    if (problem !== '') {
        const key = keyOr(`bme.problem.${problem}`, 'bme.problem.other');
        return { ...badge, color: 'amber', key, gaps: { reason: problem }, offersSeat: problem === 'open_elsewhere' };
    }
    if (!hasChat) return { ...badge, key: 'bme.badge.no_chat' };
    if (!isAttached) return { ...badge, color: 'amber', key: 'bme.badge.opening' };
    if (isRelayOffline) return { ...badge, color: 'amber', key: 'bme.badge.relay_offline' };
    if (trouble !== null) {
        const key = keyOr(`bme.trouble.${trouble.code}`, 'bme.trouble.model_failed');
        return { ...badge, color: 'amber', key, gaps: { task: trouble.task, reason: trouble.reason } };
    }
    if (lastOutcome === 'late') return { ...badge, color: 'amber', key: 'bme.badge.late' };
    if (lastOutcome === 'failed') return { ...badge, color: 'amber', key: 'bme.badge.failed' };
    return badge;
}

/**
 * @param {string} reason
 * @param {Facts} facts
 * @returns {string} something to copy, "" for nothing
 */
function commandFor(reason, { pageOrigin, serverUrl, folder }) {
    const start = `python3 "${SERVER_PLACE}/${folder}/server/start.py"${portOption(serverUrl)}`;
    switch (reason) {
        case 'server_off':
            return start;
        case 'server_off_or_refused':
        case 'blocked_origin':
            return `${start} --allow-origin ${pageOrigin}`;
        case 'wrong_host':
            return `${start} --allow-host ${new URL(serverUrl).hostname}`;
        case 'blocked_mixed_content':
        case 'blocked_other_machine':
            return 'enableCorsProxy: true';
        default:
            return '';
    }
}

/**
 * @param {string} serverUrl what the user entered, perhaps no address at all
 * @returns {string} the option with which a server listens there, "" where it does so by itself
 */
function portOption(serverUrl) {
    const port = portOf(serverUrl);
    return port && port !== portOf(DEFAULT_SERVER_URL) ? ` --port ${port}` : '';
}

/**
 * @param {string} url
 * @returns {string} the port that it names, "" for none
 */
function portOf(url) {
    return /^\w+:\/\/[^/]*:(\d+)(?:\/|$)/.exec(url)?.[1] ?? '';
}

/**
 * @param {string} reason
 * @param {Facts} facts
 * @returns {string} a page that the user opens, "" for none
 */
function linkFor(reason, { status, pageOrigin, serverUrl }) {
    const isWaiting = reason === 'pairing_waits' || reason === 'wrong_code';
    if (isWaiting && /^https?:\/\//.test(status.detail)) return status.detail;
    if (reason === 'blocked_origin') return `${serverUrl}/allow?origin=${encodeURIComponent(pageOrigin)}`;
    return '';
}
