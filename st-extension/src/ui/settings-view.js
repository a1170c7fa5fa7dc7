/**
 * Which settings are shown, and with which choices: decided from schema and values alone.
 *
 * @typedef {import('../protocol.js').Json} Json
 * @typedef {import('../protocol.js').SettingSpec} SettingSpec
 * @typedef {import('../protocol.js').Words} Words
 * @typedef {import('../settings.js').Schema} Schema
 * @typedef {{ search: string, isAdvanced: boolean }} View
 * @typedef {{ id: string, label: Words, settings: SettingSpec[] }} ShownGroup
 */

/** The switch above all settings has a place of its own in the panel. */
const DRAWN_ELSEWHERE = new Set(['enabled']);

/**
 * Groups with at least one setting that the search and the view ask for. A search finds advanced settings too.
 * @param {Schema} schema
 * @param {(spec: SettingSpec) => Json} valueOf
 * @param {View} view
 * @returns {ShownGroup[]}
 */
export function shownGroups({ groups, settings }, valueOf, { search, isAdvanced }) {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
    const isWanted = (/** @type {SettingSpec} */ spec) =>
        words.length === 0 ? isAdvanced || !spec.advanced : words.every(word => searchText(spec).includes(word));
    const shown = settings.filter(spec => !DRAWN_ELSEWHERE.has(spec.key) && applies(spec, settings, valueOf) && isWanted(spec));
    return groups
        .map(group => ({ ...group, settings: shown.filter(spec => spec.group === group.id) }))
        .filter(group => group.settings.length > 0);
}

/**
 * @param {SettingSpec} spec
 * @returns {string}
 */
function searchText({ key, label, help }) {
    return [key, ...Object.values(label), ...Object.values(help)].join(' ').toLowerCase();
}

/**
 * A setting may depend on another one, for instance a key on where the models are, and that one on a third.
 * @param {SettingSpec} spec
 * @param {SettingSpec[]} settings
 * @param {(spec: SettingSpec) => Json} valueOf
 * @returns {boolean}
 */
function applies({ show_if: condition }, settings, valueOf) {
    if (!condition) return true;
    const other = settings.find(spec => spec.key === condition[0]);
    return other !== undefined && String(valueOf(other)) === condition[1] && applies(other, settings, valueOf);
}

/**
 * The choices of the schema, and those that only SillyTavern knows.
 * @param {SettingSpec} spec
 * @param {{ id: string, name: string }[]} profiles
 * @param {string} language
 * @returns {{ value: string, label: string }[]}
 */
export function choicesOf({ choices, choices_from: source }, profiles, language) {
    const known = choices.map(({ value, label }) => ({ value, label: inWords(label, language) }));
    const added = source === 'profiles' ? profiles.map(({ id, name }) => ({ value: id, label: name })) : [];
    return [...known, ...added];
}

/**
 * @param {Words} words
 * @param {string} language
 * @returns {string}
 */
export function inWords(words, language) {
    return words[language] ?? words.en ?? '';
}
