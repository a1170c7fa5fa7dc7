/**
 * What was recorded of a chat, newest first, each with its undo.
 *
 * @typedef {import('../memory.js').Memory} Memory
 * @typedef {import('../protocol.js').RecordEntry} RecordEntry
 * @typedef {import('../protocol.js').Said} Said
 */

import { logWarning } from '../log.js';
import { make, makeButton, show } from './dom.js';
import { page } from './memory-pages.js';
import { describeOperation } from './said.js';
import { keyOr, nameModel, say, sayNumber, sayTime } from './texts.js';

/** What the user does not undo: marks are the undoing itself. */
const HIDDEN = ['mark', 'origin'];

/**
 * @param {Memory} memory
 * @returns {Promise<HTMLElement>}
 */
export async function historyPage(memory) {
    const list = make('ul', { className: 'st-bme-history' });
    const older = makeButton(say('bme.memory.history.older'), () => void addOlder());
    let before = /** @type {number|null} */ (null);
    const addOlder = async () => {
        const { entries, more } = await memory.history(before);
        before = entries.at(-1)?.n ?? before;
        list.append(...entries.filter(({ kind }) => !HIDDEN.includes(kind)).map(entry => entryOf(memory, entry)));
        show(older, more);
    };
    await addOlder();
    const empty = list.children.length > 0 ? [] : [make('p', {}, say('bme.memory.history.none'))];
    return page('bme.memory.history', ...empty, list, older);
}

/**
 * @param {Memory} memory
 * @param {RecordEntry} entry
 * @returns {HTMLElement}
 */
function entryOf(memory, entry) {
    if (entry.comparisons > 0) return comparisonsOf(entry);
    const state = make('span', { className: 'st-bme-help' });
    const button = makeButton('', () => void turn());
    let isOff = entry.state === 'off';
    const draw = () => {
        state.textContent = say(`bme.memory.state.${isOff ? 'off' : entry.state === 'off' ? 'live' : entry.state}`);
        button.textContent = say(isOff ? 'bme.memory.redo' : 'bme.memory.undo');
        item.classList.toggle('st-bme-off', isOff);
    };
    const turn = async () => {
        button.disabled = true;
        try {
            await memory.mark([entry.id], !isOff);
            isOff = !isOff;
        } catch (error) {
            logWarning('it was not undone', error);
        }
        button.disabled = false;
        draw();
    };
    const count = make('summary', {}, say('bme.memory.history.operations', { count: entry.operations.length }));
    const lines = make('ul', {}, ...entry.operations.map(lineOf));
    const details = entry.operations.length > 0 ? [make('details', {}, count, lines)] : [];
    const head = make('div', { className: 'st-bme-row' }, make('b', {}, nameCause(entry)), state, button);
    const item = make('li', {}, head, make('small', { className: 'st-bme-help' }, describe(entry)), ...details);
    draw();
    return item;
}

/**
 * There is nothing to undo in what changed nothing.
 * @param {RecordEntry} entry
 * @returns {HTMLElement}
 */
function comparisonsOf(entry) {
    const said = say('bme.memory.history.comparisons', { task: nameCause(entry), count: entry.comparisons });
    const beside = [said, describe(entry)].filter(Boolean).join(' · ');
    return make('li', {}, make('small', { className: 'st-bme-help' }, beside));
}

/**
 * @param {Said} said
 * @returns {HTMLElement}
 */
function lineOf(said) {
    const line = make('li', {}, describeOperation(said));
    if (said.refused === '') return line;
    const reason = say(keyOr(`bme.refused.${said.refused}`, 'bme.refused.other'));
    line.append(' ', make('small', { className: 'st-bme-help', title: said.detail }, say('bme.memory.history.refused', { reason })));
    return line;
}

/**
 * @param {RecordEntry} entry
 * @returns {string}
 */
function nameCause({ cause }) {
    return say(keyOr(`bme.memory.cause.${cause}`, keyOr(`bme.task.${cause}`, 'bme.memory.cause.other')));
}

/**
 * @param {RecordEntry} entry
 * @returns {string}
 */
function describe({ time, floors, model, tokens }) {
    const ends = floors.length > 1 ? `${floors[0]}–${floors.at(-1)}` : String(floors[0]);
    return [
        time > 0 ? sayTime(time) : '',
        floors.length > 0 ? say('bme.memory.history.floors', { floors: ends }) : '',
        model && nameModel(model),
        tokens > 0 ? `${sayNumber(tokens)} ${say('bme.unit.tokens')}` : '',
    ].filter(Boolean).join(' · ');
}
