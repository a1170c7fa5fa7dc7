import assert from 'node:assert/strict';
import test from 'node:test';

import { choicesOf, inWords, shownGroups } from '../../st-extension/src/ui/settings-view.js';

const words = en => ({ en, zh: `${en}的` });
const setting = (key, rest = {}) => ({ key, group: 'models', default: '', label: words(key), help: words(''), choices: [], ...rest });

const SCHEMA = {
    groups: [{ id: 'general', label: words('General') }, { id: 'models', label: words('Models') }],
    settings: [
        setting('enabled', { group: 'general' }),
        setting('source', { default: 'relay' }),
        setting('profile', { show_if: ['source', 'relay'] }),
        setting('url', { show_if: ['source', 'endpoint'], help: words('Where the model answers') }),
        setting('limit', { advanced: true, help: words('How long an answer may be') }),
    ],
};
const shown = (values = {}, view = {}) =>
    shownGroups(SCHEMA, spec => values[spec.key] ?? spec.default, { search: '', isAdvanced: false, ...view })
        .map(({ id, settings }) => [id, settings.map(({ key }) => key)]);

for (const [what, values, view, expected] of [
    ['at first', {}, {}, ['source', 'profile']],
    ['where another setting asks for it', { source: 'endpoint' }, {}, ['source', 'url']],
    ['in the advanced view', {}, { isAdvanced: true }, ['source', 'profile', 'limit']],
    ['by a word of its help', {}, { search: 'ANSWER' }, ['limit']],
    ['by all words of a search', { source: 'endpoint' }, { search: 'model answers' }, ['url']],
    ['by a word in the other language', {}, { search: 'profile的' }, ['profile']],
]) {
    test(`settings are shown ${what}`, () => {
        assert.deepEqual(shown(values, view), [['models', expected]]);
    });
}

test('a group without settings to show is left out', () => {
    assert.deepEqual(shown({}, { search: 'nothing has this word' }), []);
});

test('a setting that the server adds is shown without a change here', () => {
    const schema = { ...SCHEMA, settings: [...SCHEMA.settings, setting('brand_new', { group: 'general' })] };

    const groups = shownGroups(schema, spec => spec.default, { search: 'brand', isAdvanced: false });

    assert.deepEqual(groups.map(({ id, settings }) => [id, settings[0].key]), [['general', 'brand_new']]);
});

test('profiles of SillyTavern join the choices of a setting that asks for them', () => {
    const spec = setting('profile', { choices: [{ value: '', label: words('The one in use') }] });
    const profiles = [{ id: 'p1', name: 'Local' }];

    const own = [{ value: '', label: 'The one in use' }];
    assert.deepEqual(choicesOf({ ...spec, choices_from: 'profiles' }, profiles, 'en'), [...own, { value: 'p1', label: 'Local' }]);
    assert.deepEqual(choicesOf({ ...spec, choices_from: '' }, profiles, 'en'), own);
});

test('words are in the language of the page, else in English', () => {
    assert.deepEqual(['zh', 'en', 'fr'].map(language => inWords(words('Depth'), language)), ['Depth的', 'Depth', 'Depth']);
});
