/**
 * A drawing that can be moved and zoomed by mouse, touch and keyboard. It knows nodes by their places in a list.
 *
 * @typedef {import('../layout.js').Point} Point
 * @typedef {{ radius: number, label: string, title: string, weight: number, isFaint: boolean,
 *     shape: SVGElement }} Drawn
 * @typedef {{ from: number, to: number, strength: number, isContrary: boolean, title: string }} Line
 */

import { cutToWidth, placeLabels, widthOf } from '../labels.js';
import { layOut } from '../layout.js';
import { makeSvg } from './dom.js';

const LABEL_PX = 12;
/** A line of SillyTavern's font, and the widest label, in the size of the text; on a narrow screen it is a part of it. */
const LINE = 1.42;
const WIDEST_LABEL = 10;
const LABELS_ACROSS = 3.5;
const ZOOM_STEP = 1.3;
const CLOSEST = 6;
/** Room for labels at the edge, above and below. */
const BELOW_PX = 24;
/** As small as a node may become on the screen, by its own size; and how far around it a finger may hit it. */
const SMALLEST = 0.55;
const FINGER_PX = 5;
const DRAG_PX = 4;
/** @type {{ [key: string]: readonly [number, number]|undefined }} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Canvas {
    #choose;
    #scene = makeSvg('g');
    /** @type {Point[]} */
    #points = [];
    /** @type {readonly Drawn[]} */
    #nodes = [];
    /** @type {readonly Line[]} */
    #lines = [];
    /** @type {SVGGElement[]} */
    #elements = [];
    /** @type {SVGTextElement[]} */
    #labels = [];
    /** @type {SVGLineElement[]} */
    #edges = [];
    #view = { x: 0, y: 0, scale: 1 };
    /** Where each finger or button is held down. @type {Map<number, Point>} */
    #held = new Map();
    #moved = 0;

    /**
     * @param {string} label what the drawing is, and how the keyboard moves in it
     * @param {(place: number) => void} choose a node was chosen
     */
    constructor(label, choose) {
        this.#choose = choose;
        this.element = makeSvg('svg', { class: 'st-bme-canvas', role: 'group', 'aria-label': label }, this.#scene);
        this.element.addEventListener('wheel', event => this.#wheel(event), { passive: false });
        this.element.addEventListener('pointerdown', event => this.#press(event));
        this.element.addEventListener('pointermove', event => this.#drag(event));
        for (const end of /** @type {const} */ (['pointerup', 'pointercancel', 'pointerleave'])) {
            this.element.addEventListener(end, event => this.#held.delete(event.pointerId));
        }
        // Its size is known once it is in the page, and changes with the window.
        new ResizeObserver(() => this.fit()).observe(this.element);
        this.element.addEventListener('keydown', event => this.#key(event));
    }

    /**
     * @param {readonly Drawn[]} nodes
     * @param {readonly Line[]} lines
     */
    draw(nodes, lines) {
        this.#nodes = nodes;
        this.#lines = lines;
        const { width, height } = this.#size();
        this.#points = layOut(nodes.map(node => node.radius), lines, width / height);
        this.#edges = lines.map(line => this.#buildLine(line));
        this.#elements = nodes.map((node, place) => this.#buildNode(node, place));
        this.#labels = nodes.map(node => makeSvg('text', { 'text-anchor': 'middle', 'dominant-baseline': 'central', 'aria-hidden': 'true' }, node.label));
        this.#scene.replaceChildren(...this.#edges, ...this.#elements, ...this.#labels);
        this.fit();
    }

    /** Show all of it. */
    fit() {
        const { width, height } = this.#size();
        const reach = { left: 0, right: 0, top: 0, bottom: 0 };
        this.#points.forEach(({ x, y }, place) => {
            const { radius } = this.#nodes[place];
            reach.left = Math.min(reach.left, x - radius);
            reach.right = Math.max(reach.right, x + radius);
            reach.top = Math.min(reach.top, y - radius);
            reach.bottom = Math.max(reach.bottom, y + radius);
        });
        const wide = Math.max(1, width - this.#widestLabel() * LABEL_PX) / Math.max(1, reach.right - reach.left);
        const high = Math.max(1, height - 2 * BELOW_PX) / Math.max(1, reach.bottom - reach.top);
        const scale = Math.min(wide, high, 2);
        this.#show({
            x: width / 2 - scale * (reach.left + reach.right) / 2,
            y: height / 2 - scale * (reach.top + reach.bottom) / 2,
            scale,
        });
    }

    /**
     * @param {number} factor
     * @param {Point} [at] what stays where it is
     */
    zoom(factor, at) {
        const { width, height } = this.#size();
        const { x, y } = at ?? { x: width / 2, y: height / 2 };
        const scale = Math.min(CLOSEST, Math.max(0.02, this.#view.scale * factor));
        const share = scale / this.#view.scale;
        this.#show({ x: x - share * (x - this.#view.x), y: y - share * (y - this.#view.y), scale });
    }

    closer() {
        this.zoom(ZOOM_STEP);
    }

    farther() {
        this.zoom(1 / ZOOM_STEP);
    }

    /**
     * Let a node and what is related to it stand out; none with -1.
     * @param {number} chosen
     */
    mark(chosen) {
        const near = new Set([chosen]);
        this.#lines.forEach(({ from, to }, place) => {
            const isOf = from === chosen || to === chosen;
            if (isOf) near.add(from).add(to);
            this.#edges[place].classList.toggle('st-bme-near', isOf);
        });
        this.element.classList.toggle('st-bme-marking', chosen >= 0);
        this.#elements.forEach((element, place) => {
            element.classList.toggle('st-bme-chosen', place === chosen);
            element.classList.toggle('st-bme-near', near.has(place));
            this.#labels[place].classList.toggle('st-bme-near', near.has(place));
        });
        if (chosen >= 0) this.#makeReachable(chosen);
        this.#placeLabels();
    }

    /** @param {Line} line */
    #buildLine({ from, to, strength, isContrary, title }) {
        const [start, end] = [this.#points[from], this.#points[to]];
        const place = { x1: start.x, y1: start.y, x2: end.x, y2: end.y, 'stroke-width': 0.5 + 1.5 * strength };
        const drawn = makeSvg('line', { ...place, class: isContrary ? 'st-bme-contrary' : '' });
        drawn.append(makeSvg('title', {}, title));
        return drawn;
    }

    /**
     * @param {Drawn} node
     * @param {number} place
     */
    #buildNode({ title, shape, radius, isFaint }, place) {
        const attributes = {
            class: `st-bme-node${isFaint ? ' st-bme-faint' : ''}`,
            role: 'button', tabindex: place === 0 ? 0 : -1, 'aria-label': title,
        };
        const around = makeSvg('circle', { r: radius + FINGER_PX, fill: 'transparent' });
        const element = makeSvg('g', attributes, makeSvg('title', {}, title), around, shape);
        element.addEventListener('click', () => {
            if (this.#moved <= DRAG_PX) this.#choose(place);
        });
        return element;
    }

    #size() {
        const { clientWidth, clientHeight } = this.element;
        return { width: clientWidth || 600, height: clientHeight || 400 };
    }

    /** @param {{ x: number, y: number, scale: number }} view */
    #show(view) {
        this.#view = view;
        this.#scene.setAttribute('transform', `translate(${view.x} ${view.y}) scale(${view.scale})`);
        const size = Math.max(1, SMALLEST / view.scale);
        this.#points.forEach(({ x, y }, place) =>
            this.#elements[place].setAttribute('transform', `translate(${x} ${y}) scale(${size})`));
        this.#placeLabels();
    }

    /** Labels are as large at any scale; those that find no room are hidden, the least important first. */
    #placeLabels() {
        const { scale } = this.#view;
        const size = LABEL_PX / scale;
        const nodes = this.#points.map(({ x, y }, place) => {
            const width = 2 * this.#nodes[place].radius * Math.max(1, SMALLEST / scale);
            return { x, y, width, height: width };
        });
        const order = this.#byImportance();
        const texts = order.map(place => cutToWidth(this.#nodes[place].label, this.#widestLabel()));
        const choices = order.map((place, turn) => placesBeside(nodes[place], widthOf(texts[turn]) * size, LINE * size));
        placeLabels(choices, nodes).forEach((box, turn) => {
            const label = this.#labels[order[turn]];
            label.textContent = texts[turn];
            label.setAttribute('visibility', box ? 'visible' : 'hidden');
            if (!box) return;
            label.setAttribute('x', String(box.x));
            label.setAttribute('y', String(box.y));
            label.setAttribute('font-size', String(size));
        });
    }

    /** @returns {number[]} places, those near the chosen node first */
    #byImportance() {
        const isNear = (/** @type {number} */ place) => this.#elements[place].classList.contains('st-bme-near');
        return this.#nodes.map((_, place) => place).sort((one, other) =>
            Number(isNear(other)) - Number(isNear(one)) || this.#nodes[other].weight - this.#nodes[one].weight);
    }

    /** In the size of the text. */
    #widestLabel() {
        return Math.min(WIDEST_LABEL, this.#size().width / LABEL_PX / LABELS_ACROSS);
    }

    /** @param {WheelEvent} event */
    #wheel(event) {
        event.preventDefault();
        const box = this.element.getBoundingClientRect();
        this.zoom(Math.exp(-event.deltaY / 400), { x: event.clientX - box.left, y: event.clientY - box.top });
    }

    /** @param {PointerEvent} event */
    #press(event) {
        if (this.#held.size === 0) this.#moved = 0;
        this.#held.set(event.pointerId, { x: event.clientX, y: event.clientY });
    }

    /** @param {PointerEvent} event */
    #drag(event) {
        const before = this.#held.get(event.pointerId);
        if (!before) return;
        const now = { x: event.clientX, y: event.clientY };
        const other = [...this.#held].find(([pointer]) => pointer !== event.pointerId)?.[1];
        this.#held.set(event.pointerId, now);
        this.#moved += Math.hypot(now.x - before.x, now.y - before.y);
        if (other) {
            const box = this.element.getBoundingClientRect();
            const factor = Math.hypot(now.x - other.x, now.y - other.y) / Math.max(1, Math.hypot(before.x - other.x, before.y - other.y));
            this.zoom(factor, { x: (now.x + other.x) / 2 - box.left, y: (now.y + other.y) / 2 - box.top });
            return;
        }
        const { x, y, scale } = this.#view;
        this.#show({ x: x + now.x - before.x, y: y + now.y - before.y, scale });
    }

    /** @param {KeyboardEvent} event */
    #key(event) {
        const arrow = ARROWS[event.key];
        const place = this.#elements.findIndex(element => element === event.target);
        if (arrow && place >= 0) this.#step(place, arrow);
        else if (event.key === '+' || event.key === '=') this.closer();
        else if (event.key === '-') this.farther();
        else if (event.key === '0') this.fit();
        else if ((event.key === 'Enter' || event.key === ' ') && place >= 0) this.#choose(place);
        else return;
        event.preventDefault();
        event.stopPropagation();
    }

    /**
     * Go to the nearest node in a direction.
     * @param {number} place
     * @param {readonly [number, number]} direction
     */
    #step(place, [right, down]) {
        const from = this.#points[place];
        let best = -1;
        let least = Infinity;
        this.#points.forEach((point, other) => {
            const along = (point.x - from.x) * right + (point.y - from.y) * down;
            const aside = Math.abs((point.x - from.x) * down) + Math.abs((point.y - from.y) * right);
            if (other === place || along <= 0 || along + 2 * aside >= least) return;
            least = along + 2 * aside;
            best = other;
        });
        if (best < 0) return;
        this.#makeReachable(best);
        this.#elements[best].focus();
    }

    /**
     * The tab key leads to one node, arrows from there on.
     * @param {number} place
     */
    #makeReachable(place) {
        this.#elements.forEach((element, other) => element.setAttribute('tabindex', other === place ? '0' : '-1'));
    }
}

/**
 * Where the label of a node may stand: below it, else above.
 * @param {import('../labels.js').Box} node
 * @param {number} width
 * @param {number} height
 */
function placesBeside({ x, y, height: across }, width, height) {
    const away = (across + 1.1 * height) / 2;
    return [{ x, y: y + away, width, height }, { x, y: y - away, width, height }];
}
