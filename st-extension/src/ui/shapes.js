/** How the types of memories look in a drawing: a colour and a shape each, so that neither is needed alone. */

import { makeSvg } from './dom.js';

/** Colours that can be told apart on SillyTavern's dark and light themes. */
const LOOKS = /** @type {{ [type: string]: readonly [string, number, number]|undefined }} */ ({
    // colour, corners (0: a circle), and by how much of a turn the shape is turned
    event: ['#5aa9f2', 0, 0],
    character: ['#f0a23c', 4, 1 / 8],
    location: ['#58b368', 3, 0],
    rule: ['#e8668c', 4, 0],
    thread: ['#a97be0', 6, 0],
    synopsis: ['#d8bf3a', 5, 0],
    reflection: ['#3fb8b4', 8, 1 / 16],
    pov_memory: ['#e2764a', 3, 1 / 2],
});
/** Types of the user's own take these in turn. */
const OTHER_COLORS = ['#9aa7b1', '#b98f6b', '#7fa37a', '#b07aa1'];
const OTHER_CORNERS = 7;

/**
 * @param {string} type
 * @param {readonly string[]} types all that are there, in an order that stays
 * @returns {string}
 */
export function colorOf(type, types) {
    const others = types.filter(other => !LOOKS[other]);
    return LOOKS[type]?.[0] ?? OTHER_COLORS[Math.max(0, others.indexOf(type)) % OTHER_COLORS.length];
}

/**
 * @param {string} type
 * @param {number} radius
 * @param {string} color
 * @returns {SVGElement}
 */
export function shapeOf(type, radius, color) {
    const [, corners, turn] = LOOKS[type] ?? ['', OTHER_CORNERS, 0];
    if (corners === 0) return makeSvg('circle', { r: radius, fill: color });
    // A shape with few corners looks smaller than a circle of the same radius.
    const reach = radius * (1 + 0.9 / corners);
    const points = Array.from({ length: corners }, (_, corner) => {
        const angle = 2 * Math.PI * (corner / corners + turn) - Math.PI / 2;
        return `${(reach * Math.cos(angle)).toFixed(2)},${(reach * Math.sin(angle)).toFixed(2)}`;
    });
    return makeSvg('polygon', { points: points.join(' '), fill: color });
}
