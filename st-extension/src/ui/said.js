/**
 * What an operation said, in the words of the reader.
 *
 * @typedef {import('../protocol.js').Said} Said
 * @typedef {import('../protocol.js').Subject} Subject
 */

import { cutToWidth } from '../labels.js';
import { keyOr, nameField, nameType, say } from './texts.js';

/** Of the other end a beginning is enough: a summary is told whole where it was made, and stands beside all that it sums up. */
const WIDEST_OTHER = 24;

/**
 * @param {Said} said
 * @returns {string}
 */
export function describeOperation(said) {
    const { about, to, relation, owner, action } = said;
    const words = say(keyOr(`bme.said.${action}.${formOf(said)}`, keyOr(`bme.said.${action}`, 'bme.said.update')), {
        about: nameSubject(about),
        to: to ? nameSubject({ ...to, name: cutToWidth(to.name, WIDEST_OTHER) }) : '',
        relation: say(keyOr(`bme.relation.${relation}`, 'bme.relation.related')),
        owner,
    });
    // A variable goes by the name that the user gave it, also where a field is called so.
    const name = action === 'set' ? String : nameField;
    const fields = Object.entries(said.fields).map(([field, value]) => say('bme.said.field', { field: name(field), value }));
    return fields.length > 0 ? say('bme.said.with', { said: words, fields: fields.join(' · ') }) : words;
}

/**
 * Which of the texts of an action fits.
 * @param {Said} said
 * @returns {string}
 */
function formOf({ action, on, to, relation, owner }) {
    if (action === 'know') return relation;
    if (action === 'region') return owner ? 'owner' : '';
    if (!on) return 'off';
    return to ? 'to' : '';
}

/**
 * @param {Subject} subject
 * @returns {string}
 */
function nameSubject({ type, name }) {
    if (type === '') return name;
    return name === '' ? nameType(type) : say('bme.said.memory', { type: nameType(type), name });
}
