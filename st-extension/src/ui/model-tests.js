/**
 * Buttons that try the models, and what came of it.
 *
 * @typedef {import('../protocol.js').ModelTested} ModelTested
 * @typedef {'chat'|'embedding'} What
 * @typedef {(what: What) => Promise<ModelTested>} TestModel
 */

import { logWarning } from '../log.js';
import { Refused } from '../protocol.js';
import { make, makeButton } from './dom.js';
import { keyOr, nameModel, say } from './texts.js';

export class ModelTests {
    #test;
    #result = make('div', { className: 'st-bme-note', role: 'status' });

    /** @param {TestModel} test */
    constructor(test) {
        this.#test = test;
        const chat = makeButton(say('bme.test.chat'), () => void this.#run('chat', chat));
        const embedding = makeButton(say('bme.test.embedding'), () => void this.#run('embedding', embedding));
        const buttons = make('div', { className: 'st-bme-row' }, chat, embedding);
        this.element = make('div', { className: 'st-bme-setting st-bme-tests' }, buttons, this.#result);
    }

    /**
     * @param {What} what
     * @param {HTMLButtonElement} button
     */
    async #run(what, button) {
        button.disabled = true;
        this.#result.classList.remove('st-bme-fault');
        this.#result.textContent = say('bme.test.running');
        const { text, isFine } = await this.#ask(what);
        this.#result.classList.toggle('st-bme-fault', !isFine);
        this.#result.textContent = text;
        button.disabled = false;
    }

    /**
     * @param {What} what
     * @returns {Promise<{ text: string, isFine: boolean }>}
     */
    async #ask(what) {
        try {
            const tested = await this.#test(what);
            return { text: describeTest(tested, what), isFine: tested.ok };
        } catch (error) {
            logWarning('the test of a model came to no end', error);
            const reason = error instanceof Refused ? error.message : '';
            return { text: say('bme.test.unanswered', { reason }), isFine: false };
        }
    }
}

/**
 * @param {ModelTested} tested
 * @param {What} what
 * @returns {string}
 */
function describeTest({ ok, model, ms, dimension, code, reason }, what) {
    const task = say(what === 'chat' ? 'bme.task.extraction' : 'bme.task.embedding');
    if (!ok) return say(keyOr(`bme.trouble.${code}`, 'bme.trouble.model_failed'), { task, reason });
    const key = dimension > 0 ? 'bme.test.fine_with_dimension' : 'bme.test.fine';
    return say(key, { task, model: nameModel(model), ms: Math.round(ms), dimension });
}
