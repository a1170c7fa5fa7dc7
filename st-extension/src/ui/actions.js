/**
 * What the user can see and do of the memory of the open chat, in the panel.
 *
 * @typedef {import('../memory.js').Memory} Memory
 * @typedef {import('./texts.js').TextKey} TextKey
 *
 * @typedef {object} ActionsUser
 * @property {Memory} memory
 * @property {() => boolean} hasModel whether a model writes memories
 * @property {() => import('../protocol.js').Recalled|null} lastInjection
 * @property {() => void} rebuild offer to read everything again
 * @property {(content: HTMLElement) => void} showPopup
 *
 * @typedef {{ text: string, undo?: readonly string[], redo?: readonly string[] }} Outcome what came of it, and the
 *     records that can be undone, or redone
 */

import { logWarning } from '../log.js';
import { Refused } from '../protocol.js';
import { make, makeButton, show } from './dom.js';
import { Graph } from './graph.js';
import { historyPage } from './history.js';
import { injectionPage, numbersPage } from './memory-pages.js';
import { say } from './texts.js';
import { Transfer } from './transfer.js';

/** Tasks of upkeep in the order in which they follow each other, and whether they ask a model. */
const TASKS = /** @type {const} */ ([
    ['consolidate', true], ['summarise', true], ['synopsis', true], ['reflect', true], ['compress', true],
    ['tidy', false], ['forget', false],
]);

export class Actions {
    #user;
    #line = make('div', { className: 'st-bme-note', role: 'status' });
    #undo = make('span');
    /** What the line says. @type {Outcome} */
    #outcome = { text: '' };
    #transfer;
    /** Buttons by what must be there for them. @type {{ button: HTMLButtonElement, needsModel: boolean }[]} */
    #buttons = [];
    #isBusy = false;

    /** @param {ActionsUser} user */
    constructor(user) {
        this.#user = user;
        const run = (/** @type {string} */ name, /** @type {() => Promise<Outcome>} */ work) => void this.#run(name, work);
        this.#transfer = new Transfer(user.memory, run);
        const pages = this.#row(
            this.#button('bme.memory.graph', () => this.#showGraph()),
            this.#button('bme.memory.numbers', () => this.#showPage('bme.memory.numbers', async () => numbersPage(await user.memory.count()))),
            this.#button('bme.memory.injection', () => user.showPopup(injectionPage(user.lastInjection()))),
            this.#button('bme.memory.history', () => this.#showPage('bme.memory.history', () => historyPage(user.memory))),
        );
        const outcome = make('div', { className: 'st-bme-row' }, this.#line, this.#undo);
        const title = make('b', {}, say('bme.memory.title'));
        this.element = make(
            'div', { className: 'st-bme-actions' }, title, pages, this.#buildNow(), this.#buildMore(),
            this.#transfer.element, outcome,
        );
        this.clear();
    }

    /** Another chat is open. */
    clear() {
        this.#tell({ text: '' });
        this.#transfer.clear();
        this.refresh();
    }

    /** Show what is possible now. */
    refresh() {
        const { memory, hasModel } = this.#user;
        const isModelThere = hasModel();
        for (const { button, needsModel } of this.#buttons) {
            button.disabled = this.#isBusy || !memory.isOpen || (needsModel && !isModelThere);
            button.title = this.#whyNot(needsModel && !isModelThere);
        }
    }

    /**
     * @param {boolean} lacksModel
     * @returns {string}
     */
    #whyNot(lacksModel) {
        if (!this.#user.memory.isOpen) return say('bme.memory.unavailable');
        return lacksModel ? say('bme.memory.needs_model') : '';
    }

    /** @returns {HTMLElement} */
    #buildNow() {
        const read = this.#button('bme.memory.read', () => void this.#run(say('bme.task.extraction'), () => this.#read()));
        const tasks = TASKS.map(([task, needsModel]) =>
            this.#button(`bme.task.${task}`, () => void this.#run(say(`bme.task.${task}`), () => this.#tend(task)), needsModel));
        const help = make('small', { className: 'st-bme-help' }, say('bme.memory.now.help'));
        return make('details', {}, make('summary', {}, say('bme.memory.now')), help, this.#row(read, ...tasks));
    }

    /** @returns {HTMLElement} */
    #buildMore() {
        const transfer = this.#transfer;
        const row = this.#row(
            this.#button('bme.memory.rebuild', () => this.#user.rebuild()),
            this.#button('bme.memory.vectors', () => transfer.offerVectors()),
            this.#button('bme.memory.bring', () => transfer.offerChats()),
            this.#button('bme.memory.export', () => transfer.save(false)),
            this.#button('bme.memory.export.original', () => transfer.save(true)),
            this.#button('bme.memory.import', () => transfer.choose()),
        );
        return make('details', {}, make('summary', {}, say('bme.memory.more')), row);
    }

    /** @param {...HTMLElement} buttons */
    #row(...buttons) {
        return make('div', { className: 'st-bme-row' }, ...buttons);
    }

    /**
     * @param {TextKey} label
     * @param {() => void} press
     * @param {boolean} [needsModel]
     */
    #button(label, press, needsModel = false) {
        const button = makeButton(say(label), press);
        this.#buttons.push({ button, needsModel });
        return button;
    }

    #showGraph() {
        const graph = new Graph(this.#user.memory);
        this.#user.showPopup(graph.element);
        graph.open();
    }

    /**
     * Looking changes nothing: what was done last can still be read, and undone.
     * @param {TextKey} name
     * @param {() => Promise<HTMLElement>} build
     */
    #showPage(name, build) {
        const before = this.#outcome;
        void this.#run(say(name), async () => {
            this.#user.showPopup(await build());
            return before;
        });
    }

    /** @returns {Promise<Outcome>} */
    async #read() {
        const extracted = await this.#user.memory.read();
        return { text: say(extracted.failed ? 'bme.memory.read.failed' : 'bme.memory.read.done', extracted) };
    }

    /**
     * @param {typeof TASKS[number][0]} task
     * @returns {Promise<Outcome>}
     */
    async #tend(task) {
        const tended = await this.#user.memory.tend(task);
        const gaps = { ...tended, changes: tended.made.length, task: say(`bme.task.${task}`) };
        return { text: say(outcomeOf(tended), gaps), undo: tended.made };
    }

    /**
     * Do something, one at a time, and say what came of it.
     * @param {string} task
     * @param {() => Promise<Outcome>} work
     */
    async #run(task, work) {
        this.#isBusy = true;
        this.refresh();
        this.#tell({ text: say('bme.memory.working', { task }) });
        try {
            this.#tell(await work());
        } catch (error) {
            logWarning('an action failed:', error);
            const reason = error instanceof Refused ? error.message : '';
            this.#tell({ text: say('bme.memory.failed', { task, reason }) });
        }
        this.#isBusy = false;
        this.refresh();
    }

    /** @param {Outcome} outcome */
    #tell(outcome) {
        const { text, undo = [], redo = [] } = outcome;
        this.#outcome = outcome;
        this.#line.textContent = text;
        show(this.#line, text !== '');
        const [name, work] = undo.length > 0
            ? [say('bme.memory.undo'), () => this.#takeBack(undo)]
            : [say('bme.memory.redo'), () => this.#bringBack(redo)];
        const button = makeButton(name, () => void this.#run(name, work));
        this.#undo.replaceChildren(...(undo.length + redo.length > 0 ? [button] : []));
    }

    /**
     * @param {readonly string[]} records
     * @returns {Promise<Outcome>}
     */
    async #takeBack(records) {
        await this.#user.memory.mark(records, true);
        return { text: say('bme.memory.undone'), redo: records };
    }

    /**
     * @param {readonly string[]} records
     * @returns {Promise<Outcome>}
     */
    async #bringBack(records) {
        await this.#user.memory.mark(records, false);
        return { text: say('bme.memory.redone'), undo: records };
    }
}

/**
 * @param {import('../protocol.js').Tended} tended
 * @returns {TextKey}
 */
function outcomeOf({ records, failed, made }) {
    if (failed > 0) return 'bme.memory.tended.failed';
    if (made.length > 0) return 'bme.memory.tended';
    return records > 0 ? 'bme.memory.tended.kept' : 'bme.memory.tended.nothing';
}
