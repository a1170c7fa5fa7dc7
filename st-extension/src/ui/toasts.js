/**
 * One toast at a time, for what the user can mend and only once it has lasted.
 *
 * @typedef {import('./badge.js').Badge} Badge
 */

import { showToast } from '../host.js';
import { say } from './texts.js';

/** A page that is just loading, or a server that is started anew, is not worth a word. */
const LASTING_MS = 5000;

const MENDABLE = new Set([
    'bme.badge.bad_url', 'bme.badge.server_off', 'bme.badge.server_off_or_refused', 'bme.badge.wrong_server',
    'bme.badge.blocked_mixed_content', 'bme.badge.blocked_other_machine', 'bme.badge.blocked_permission',
    'bme.badge.blocked_origin', 'bme.badge.wrong_host', 'bme.badge.version_mismatch', 'bme.badge.pairing_waits',
    'bme.badge.relay_offline', 'bme.trouble.key_wrong', 'bme.trouble.host_key_wrong', 'bme.trouble.endpoint_refused',
    'bme.trouble.request_refused',
]);

export class Toasts {
    #key = '';
    #timer = 0;
    /** What was told since all was well. @type {Set<string>} */
    #told = new Set();
    #takeAway = () => {};

    /** @param {Badge} badge as it is now */
    follow(badge) {
        if (badge.color === 'green' || badge.color === 'grey') {
            this.#told.clear();
            this.#takeAway();
        }
        if (badge.key === this.#key) return;
        this.#key = badge.key;
        clearTimeout(this.#timer);
        if (!MENDABLE.has(badge.key) || this.#told.has(badge.key)) return;
        this.#timer = Number(setTimeout(() => this.#tell(badge), LASTING_MS));
    }

    /** @param {Badge} badge */
    #tell({ key, gaps, command }) {
        this.#takeAway();
        this.#told.add(key);
        this.#takeAway = showToast(say('bme.title'), [say(key, gaps), command].filter(Boolean).join(' '));
    }
}
