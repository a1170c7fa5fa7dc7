/**
 * The counts of a chat and its last injection, as they are shown over the page.
 *
 * @typedef {import('../protocol.js').Recalled} Recalled
 * @typedef {import('../protocol.js').Statistics} Statistics
 * @typedef {import('./texts.js').TextKey} TextKey
 */

import { make } from './dom.js';
import { nameType, say, sayNumber } from './texts.js';

/**
 * @param {Statistics} told
 * @returns {HTMLElement}
 */
export function numbersPage(told) {
    const rows = [
        row('bme.numbers.messages', told.messages),
        row('bme.numbers.pending', told.pending, true),
        row('bme.numbers.last_floor', told.last_floor < 0 ? '–' : told.last_floor),
        row('bme.numbers.active', told.active),
        ...Object.entries(told.by_type).map(([type, count]) => line(nameType(type), count, true)),
        row('bme.numbers.pinned', told.pinned, true),
        row('bme.numbers.archived', told.archived, true),
        row('bme.numbers.edges', told.edges),
        row('bme.numbers.summaries', told.summaries),
        row('bme.numbers.records', told.records),
        ...(told.texts > 0 ? [row('bme.numbers.texts', told.texts), row('bme.numbers.vectors', told.vectors, true)] : []),
    ];
    return page('bme.memory.numbers', make('table', { className: 'st-bme-numbers' }, make('tbody', {}, ...rows)));
}

/**
 * @param {Recalled|null} recalled
 * @returns {HTMLElement}
 */
export function injectionPage(recalled) {
    if (recalled === null) return page('bme.memory.injection', make('p', {}, say('bme.memory.injection.none')));
    const { steady, text, items, tokens } = recalled;
    const size = say('bme.memory.injection.size', { memories: items.length, tokens });
    const parts = [steady, text].filter(Boolean).map(part => make('pre', { className: 'st-bme-text' }, part));
    return page('bme.memory.injection', make('p', {}, size), ...parts);
}

/**
 * @param {TextKey} title
 * @param {...Node} content
 * @returns {HTMLElement}
 */
export function page(title, ...content) {
    return make('div', { className: 'st-bme st-bme-page' }, make('h3', {}, say(title)), ...content);
}

/**
 * @param {TextKey} key
 * @param {number|string} value
 * @param {boolean} [isPart] of what stands above it
 */
function row(key, value, isPart = false) {
    return line(say(key), value, isPart);
}

/**
 * @param {string} name
 * @param {number|string} value
 * @param {boolean} isPart
 * @returns {HTMLElement}
 */
function line(name, value, isPart) {
    const number = typeof value === 'number' ? sayNumber(value) : value;
    return make('tr', { className: isPart ? 'st-bme-part' : '' }, make('th', { scope: 'row' }, name), make('td', {}, number));
}
