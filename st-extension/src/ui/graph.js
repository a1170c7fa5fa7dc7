/**
 * The memories of a chat as a drawn graph: search, legend, drawing, and the card of the memory that was chosen.
 *
 * @typedef {import('../memory.js').Memory} Memory
 * @typedef {import('../protocol.js').Drawing} Drawing
 * @typedef {import('../protocol.js').DrawnNode} DrawnNode
 * @typedef {import('./canvas.js').Drawn} Drawn
 */

import { logWarning } from '../log.js';
import { Canvas } from './canvas.js';
import { make, makeButton, makeSvg, show } from './dom.js';
import { MemoryCardView } from './memory-card.js';
import { colorOf, shapeOf } from './shapes.js';
import { keyOr, nameType, say, sayNumber } from './texts.js';

/** More cannot be told apart on a screen. */
const MOST_DRAWN = 250;
const SEARCH_WAIT_MS = 300;

export class Graph {
    #memory;
    #canvas = new Canvas(say('bme.graph.label'), place => this.#choose(this.#drawing?.nodes[place]?.id ?? ''));
    #card;
    #search = make('input', { className: 'text_pole', type: 'search' });
    #legend = make('div', { className: 'st-bme-row st-bme-legend' });
    #line = make('small', { className: 'st-bme-help', role: 'status' });
    /** @type {Drawing|null} */
    #drawing = null;
    /** Types that are not to be shown. @type {Set<string>} */
    #hidden = new Set();
    #chosen = '';
    #asked = 0;
    #timer = 0;

    /** @param {Memory} memory */
    constructor(memory) {
        this.#memory = memory;
        this.#card = new MemoryCardView(memory, { choose: id => this.#choose(id), changed: () => void this.#load() });
        this.#search.placeholder = say('bme.graph.search');
        this.#search.ariaLabel = say('bme.graph.search');
        this.#search.addEventListener('input', () => {
            clearTimeout(this.#timer);
            this.#timer = Number(setTimeout(() => void this.#load(), SEARCH_WAIT_MS));
        });
        const tools = make(
            'div', { className: 'st-bme-row st-bme-tools' }, this.#search,
            this.#tool('−', 'bme.graph.farther', () => this.#canvas.farther()),
            this.#tool('+', 'bme.graph.closer', () => this.#canvas.closer()),
            makeButton(say('bme.graph.fit'), () => this.#canvas.fit()),
        );
        const board = make('div', { className: 'st-bme-board' }, this.#canvas.element, this.#card.element);
        this.element = make('div', { className: 'st-bme st-bme-graph' }, tools, this.#legend, board, this.#line);
    }

    /** Draw what there is; the element is in the page by now, so that its size is known. */
    open() {
        void this.#load();
    }

    /**
     * @param {string} sign
     * @param {import('./texts.js').TextKey} label
     * @param {() => void} press
     */
    #tool(sign, label, press) {
        const button = makeButton(sign, press);
        button.title = say(label);
        button.ariaLabel = say(label);
        return button;
    }

    async #load() {
        const asked = ++this.#asked;
        const query = this.#search.value.trim();
        const known = Object.keys(this.#drawing?.types ?? {});
        const types = this.#hidden.size > 0 ? known.filter(type => !this.#hidden.has(type)) : [];
        try {
            const drawing = await this.#memory.draw({ most: MOST_DRAWN, query, types });
            if (asked === this.#asked) this.#draw(drawing, query);
        } catch (error) {
            logWarning('the graph was not drawn', error);
            this.#line.textContent = say('bme.command.unavailable');
        }
    }

    /**
     * @param {Drawing} drawing
     * @param {string} query
     */
    #draw(drawing, query) {
        this.#drawing = drawing;
        const types = Object.keys(drawing.types).sort();
        const places = new Map(drawing.nodes.map(({ id }, place) => [id, place]));
        const lines = drawing.edges.map(edge => ({
            from: places.get(edge.from_id) ?? 0,
            to: places.get(edge.to_id) ?? 0,
            strength: edge.strength,
            isContrary: edge.relation === 'contradicts',
            title: say(keyOr(`bme.relation.${edge.relation}`, 'bme.relation.related')),
        }));
        this.#canvas.draw(drawing.nodes.map(node => drawn(node, types)), lines);
        this.#drawLegend(types);
        this.#line.textContent = describe(drawing, query);
        this.#canvas.mark(places.get(this.#chosen) ?? -1);
    }

    /** @param {readonly string[]} types */
    #drawLegend(types) {
        const buttons = types.map(type => {
            const sign = makeSvg('svg', { viewBox: '-12 -12 24 24', class: 'st-bme-sign', 'aria-hidden': 'true' },
                shapeOf(type, 9, colorOf(type, types)));
            const button = makeButton('', () => this.#toggle(type));
            button.append(sign, `${nameType(type)} ${this.#drawing?.types[type] ?? 0}`);
            button.title = say('bme.graph.show_type', { type: nameType(type) });
            button.ariaPressed = String(!this.#hidden.has(type));
            return button;
        });
        this.#legend.replaceChildren(...buttons);
        show(this.#legend, buttons.length > 0);
    }

    /** @param {string} type */
    #toggle(type) {
        if (!this.#hidden.delete(type)) this.#hidden.add(type);
        // With nothing left to show all is shown again.
        if (this.#hidden.size === Object.keys(this.#drawing?.types ?? {}).length) this.#hidden.clear();
        void this.#load();
    }

    /** @param {string} id */
    #choose(id) {
        this.#chosen = id;
        this.#canvas.mark(this.#drawing?.nodes.findIndex(node => node.id === id) ?? -1);
        void this.#card.open(id);
    }
}

/**
 * @param {DrawnNode} node
 * @param {readonly string[]} types
 * @returns {Drawn}
 */
function drawn(node, types) {
    const { type, name, importance, edges, found, pinned, archived } = node;
    const radius = 6 + 0.9 * importance;
    const shape = shapeOf(type, radius, colorOf(type, types));
    if (pinned) shape.classList.add('st-bme-pinned');
    if (archived) shape.classList.add('st-bme-archived');
    return {
        radius,
        shape,
        label: name,
        title: say('bme.graph.node', { type: nameType(type), name, edges }),
        weight: importance + edges,
        isFaint: !found,
    };
}

/**
 * @param {Drawing} drawing
 * @param {string} query
 * @returns {string}
 */
function describe({ nodes, total, types }, query) {
    if (Object.keys(types).length === 0) return say('bme.graph.empty');
    if (query !== '' && total === 0) return say('bme.graph.nothing');
    const found = nodes.filter(node => node.found).length;
    if (found < total) return say('bme.graph.some', { shown: sayNumber(found), total: sayNumber(total) });
    return query === '' ? say('bme.graph.of', { shown: nodes.length }) : say('bme.graph.found', { found });
}
