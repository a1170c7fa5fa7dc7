/**
 * What the chat model's calls cost today, in one line.
 *
 * @typedef {import('../protocol.js').UsageReport} UsageReport
 */

import { logDebug } from '../log.js';
import { make, show } from './dom.js';
import { say } from './texts.js';

export class Usage {
    #ask;
    element = make('div', { className: 'st-bme-note' });

    /** @param {() => Promise<UsageReport>} ask */
    constructor(ask) {
        this.#ask = ask;
        show(this.element, false);
    }

    /** Show it as it is now. */
    async refresh() {
        try {
            const text = describe(await this.#ask());
            this.element.textContent = text;
            show(this.element, text !== '');
        } catch (error) {
            logDebug('what was used is not known', error);
        }
    }
}

/**
 * @param {UsageReport} report
 * @returns {string} nothing where nothing was asked and there is no budget
 */
export function describe({ calls, tokens, budget }) {
    if (budget > 0) return say('bme.activity.usage.of', { calls, tokens, budget });
    return calls > 0 ? say('bme.activity.usage', { calls, tokens }) : '';
}
