/**
 * What goes into the memory of a chat as a whole and comes out of it: files, other chats, new vectors. What changes
 * something asks first.
 *
 * @typedef {import('../memory.js').Memory} Memory
 * @typedef {import('./actions.js').Outcome} Outcome
 */

import { make, makeButton, show } from './dom.js';
import { say } from './texts.js';

export class Transfer {
    #memory;
    #run;
    #file = make('input', { type: 'file', accept: '.json,application/json', hidden: true });
    #question = make('div', { className: 'st-bme-note' });

    /**
     * @param {Memory} memory
     * @param {(name: string, work: () => Promise<Outcome>) => void} run
     */
    constructor(memory, run) {
        this.#memory = memory;
        this.#run = run;
        this.#file.addEventListener('change', () => this.#takeFile());
        this.element = make('div', {}, this.#file, this.#question);
    }

    /** Another chat is open. */
    clear() {
        this.#ask();
    }

    /** Ask whether new vectors are to be made. */
    offerVectors() {
        this.#run(say('bme.memory.vectors'), async () => {
            const { texts, model, is_local: isLocal } = await this.#memory.renewVectors(false);
            if (texts === 0) return { text: say('bme.memory.vectors.off') };
            const question = say(isLocal ? 'bme.memory.vectors.sure' : 'bme.memory.vectors.costs', { texts, model });
            this.#ask(question, makeButton(say('bme.memory.go'), () => this.#renewVectors()));
            return { text: '' };
        });
    }

    #renewVectors() {
        this.#ask();
        this.#run(say('bme.memory.vectors'), async () => {
            await this.#memory.renewVectors(true);
            return { text: say('bme.memory.vectors.started') };
        });
    }

    /** Ask which chat's memories are to be taken over. */
    offerChats() {
        this.#run(say('bme.memory.bring'), async () => {
            const chats = await this.#memory.others();
            if (chats.length === 0) return { text: say('bme.memory.bring.none') };
            const options = chats.map(({ lineage, name, messages }) =>
                make('option', { value: lineage }, say('bme.memory.bring.chat', { name, messages })));
            const choice = make('select', { className: 'text_pole', ariaLabel: say('bme.memory.bring.choose') }, ...options);
            this.#ask(say('bme.memory.bring.choose'), choice, makeButton(say('bme.memory.go'), () => this.#bring(choice.value)));
            return { text: '' };
        });
    }

    /** @param {string} source */
    #bring(source) {
        this.#ask();
        this.#run(say('bme.memory.bring'), async () => {
            const brought = await this.#memory.bring(source);
            if (brought.record === '') return { text: say('bme.memory.bring.nothing') };
            return { text: say('bme.memory.bring.done', { ...brought }), undo: [brought.record] };
        });
    }

    /**
     * Let the user keep the memory as a file.
     * @param {boolean} original as the original ST-BME reads it
     */
    save(original) {
        this.#run(say('bme.memory.export'), async () => {
            const text = await this.#memory.exported(original);
            const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
            const day = new Date().toISOString().slice(0, 10);
            make('a', { href: url, download: `${original ? 'st-bme' : 'memory'}-${day}.json` }).click();
            URL.revokeObjectURL(url);
            return { text: say('bme.memory.export.done') };
        });
    }

    /** Let the user choose a file to be taken in. */
    choose() {
        this.#file.click();
    }

    #takeFile() {
        const file = this.#file.files?.[0];
        this.#file.value = '';
        if (!file) return;
        this.#run(say('bme.memory.import'), async () => {
            const state = readObject(await file.text());
            if (state === null) return { text: say('bme.memory.import.not_json') };
            const taken = await this.#memory.take(state);
            const rest = { resting: taken.resting, bring: say('bme.memory.bring') };
            const resting = taken.resting > 0 ? ` ${say('bme.memory.import.resting', rest)}` : '';
            const off = taken.off.length > 0 ? ` ${say('bme.memory.import.off', { off: taken.off.length })}` : '';
            const text = say('bme.memory.import.done', { ...taken }) + resting + off;
            return { text, undo: taken.made, redo: taken.off };
        });
    }

    /**
     * @param {string} [text] "" for no question
     * @param {...HTMLElement} answers
     */
    #ask(text = '', ...answers) {
        this.#question.replaceChildren(text, make('div', { className: 'st-bme-row' }, ...answers));
        show(this.#question, text !== '');
    }
}

/**
 * @param {string} text
 * @returns {import('../protocol.js').JsonObject|null} null where it is no JSON object
 */
function readObject(text) {
    try {
        const value = JSON.parse(text);
        return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
    } catch {
        return null;
    }
}
