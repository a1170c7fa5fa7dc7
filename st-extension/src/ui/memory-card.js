/**
 * All that there is of one memory, with what the user can do to it.
 *
 * @typedef {import('../memory.js').Memory} Memory
 * @typedef {import('../protocol.js').MemoryCard} MemoryCard
 * @typedef {{ choose: (id: string) => void, changed: () => void }} CardUser `changed`: the memory is another one now
 */

import { logWarning } from '../log.js';
import { make, makeButton } from './dom.js';
import { keyOr, nameField, nameType, say } from './texts.js';

export class MemoryCardView {
    #memory;
    #user;
    #asked = 0;
    element = make('div', { className: 'st-bme-card', ariaLive: 'polite' }, say('bme.graph.choose'));

    /**
     * @param {Memory} memory
     * @param {CardUser} user
     */
    constructor(memory, user) {
        this.#memory = memory;
        this.#user = user;
    }

    /** @param {string} id */
    async open(id) {
        const asked = ++this.#asked;
        try {
            const card = await this.#memory.look(id);
            if (asked === this.#asked) this.element.replaceChildren(...this.#build(card));
        } catch (error) {
            logWarning('the memory was not found', error);
            if (asked === this.#asked) this.element.replaceChildren(say('bme.card.gone'));
        }
        this.element.scrollTop = 0;
    }

    /**
     * @param {MemoryCard} card
     * @returns {Node[]}
     */
    #build(card) {
        const signs = [
            nameType(card.type),
            card.by_user ? say('bme.card.by_user') : '',
            card.archived ? say('bme.card.archived') : '',
        ].filter(Boolean).join(' · ');
        const told = Object.entries(card.fields).map(([field, value]) => entry(nameField(field), value));
        const beside = [
            entry(say('bme.card.importance'), String(Math.round(card.importance * 10) / 10)),
            ...card.time ? [entry(say('bme.card.time'), card.time)] : [],
            ...card.place ? [entry(say('bme.card.place'), card.place)] : [],
            ...card.owner ? [entry(say('bme.card.owner'), card.owner)] : [],
        ];
        return [
            make('h4', {}, card.name),
            make('small', { className: 'st-bme-help' }, signs),
            this.#buildButtons(card),
            make('dl', {}, ...[...told, ...beside].flat()),
            make('h5', {}, say('bme.card.sources')),
            sources(card),
            ...this.#buildNeighbours(card),
        ];
    }

    /** @param {MemoryCard} card */
    #buildButtons({ id, pinned, archived }) {
        const pin = makeButton(say(pinned ? 'bme.card.unpin' : 'bme.card.pin'), () => void this.#change(id, () => this.#memory.pin(id, !pinned)));
        const archive = makeButton(
            say(archived ? 'bme.card.wake' : 'bme.card.archive'), () => void this.#change(id, () => this.#memory.archive(id, !archived)),
        );
        return make('div', { className: 'st-bme-row' }, pin, archive);
    }

    /**
     * @param {string} id
     * @param {() => Promise<unknown>} change
     */
    async #change(id, change) {
        try {
            await change();
        } catch (error) {
            logWarning('the memory was not changed', error);
        }
        this.#user.changed();
        await this.open(id);
    }

    /** @param {MemoryCard} card */
    #buildNeighbours({ neighbours }) {
        if (neighbours.length === 0) return [];
        const items = neighbours.map(({ id, type, name, relation, outward }) => {
            const how = say(keyOr(`bme.relation.${relation}`, 'bme.relation.related'));
            const button = makeButton(name, () => this.#user.choose(id));
            button.title = nameType(type);
            return make('li', {}, make('small', { className: 'st-bme-help' }, `${outward ? '→' : '←'} ${how}`), button);
        });
        return [make('h5', {}, say('bme.card.neighbours')), make('ul', { className: 'st-bme-neighbours' }, ...items)];
    }
}

/**
 * @param {string} name
 * @param {string} value
 */
function entry(name, value) {
    return [make('dt', {}, name), make('dd', {}, value)];
}

/** @param {MemoryCard} card */
function sources({ sources: told }) {
    if (told.length === 0) return make('p', { className: 'st-bme-help' }, say('bme.card.sources.hand'));
    const items = told.map(({ floor, name, text }) => make('li', {}, make('b', {}, `#${floor} ${name}`), ` ${text}`));
    return make('ul', { className: 'st-bme-sources' }, ...items);
}
