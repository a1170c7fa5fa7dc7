import './browser-globals.js';

import assert from 'node:assert/strict';
import test from 'node:test';

import { Refused } from '../../st-extension/src/protocol.js';
import { Settings } from '../../st-extension/src/settings.js';
import { clearStorage } from './browser-globals.js';
import { ScriptedConnection } from './fakes.js';

const TOP_K = { key: 'recallTopK', kind: 'int', default: 15, minimum: 1, maximum: 100 };
const KEY = { key: 'llm.apiKey', kind: 'secret', default: '' };
const ANSWER = { groups: [{ id: 'g', label: {} }], settings: [TOP_K, KEY], values: { enabled: true, recallTopK: 20 }, secrets: {} };

function world(answers = {}, stored = {}) {
    clearStorage();
    const connection = new ScriptedConnection({ 'settings/get': ANSWER, 'settings/set': ANSWER, ...answers });
    const host = { storedSettings: () => stored, saveSettings: () => {} };
    return { connection, stored, host, settings: new Settings(host, connection) };
}

test('memory is off until the user turns it on', () => {
    const { settings, stored } = world();
    assert.equal(settings.isEnabled, false);
    settings.isEnabled = true;
    assert.equal(stored.enabled, true);
});

test('a changed value is kept and sent; the default is not kept', async () => {
    const { settings, connection, stored } = world();

    await settings.change(TOP_K, 30);
    assert.deepEqual(stored.settings, { recallTopK: 30 });
    await settings.change(TOP_K, 15);

    assert.deepEqual(stored.settings, {});
    assert.deepEqual(connection.of('settings/set').map(body => body.values), [{ recallTopK: 30 }, { recallTopK: null }]);
});

test('without the server a value is kept for later', async () => {
    const { settings, connection, stored } = world();
    connection.isUp = false;

    await settings.change(TOP_K, 30);

    assert.deepEqual([stored.settings, connection.calls], [{ recallTopK: 30 }, []]);
});

test('a value that the server refuses is taken back and says why', async () => {
    const { settings, stored } = world(
        { 'settings/set': () => Promise.reject(new Refused('bad_request', 'too large')) },
        { settings: { recallTopK: 30 } },
    );

    await settings.change(TOP_K, 40);

    assert.deepEqual([stored.settings, settings.refusal], [{ recallTopK: 30 }, 'too large']);
});

test('a secret goes to the server and is kept nowhere in SillyTavern', async () => {
    const { settings, connection, stored } = world({ 'settings/set': { ...ANSWER, secrets: { 'llm.apiKey': 'wxyz' } } });

    await settings.changeSecret(KEY, 'sk-secret-wxyz');

    assert.deepEqual(connection.of('settings/set')[0].values, { 'llm.apiKey': 'sk-secret-wxyz' });
    assert.doesNotMatch(JSON.stringify(stored), /sk-secret/);
    assert.equal(settings.secretEnd(KEY), 'wxyz');
});

test('an empty secret is taken back', async () => {
    const { settings, connection } = world();

    await settings.changeSecret(KEY, '');

    assert.deepEqual(connection.of('settings/set')[0].values, { 'llm.apiKey': null });
});

test('the schema is kept for when the server is away', async () => {
    const { settings, host, connection } = world();
    await settings.meet();

    const later = new Settings(host, connection);

    assert.deepEqual(later.schema, { groups: ANSWER.groups, settings: ANSWER.settings });
});

test('an unreadable cache is no schema', () => {
    const { host, connection } = world();
    localStorage.setItem('st_bme_bridge.schema', '{"groups":');
    assert.deepEqual(new Settings(host, connection).schema, { groups: [], settings: [] });
});

test('values that were changed elsewhere are taken over, without the switch', async () => {
    const { settings, stored } = world({}, { enabled: true, settings: { recallTopK: 3 } });

    await settings.adopt();

    assert.deepEqual(stored, { enabled: true, settings: { recallTopK: 20 } });
});

test('a server that was told of no values takes none away', async () => {
    const { settings, stored } = world(
        { 'settings/get': { ...ANSWER, values: {}, told: false } },
        { enabled: true, settings: { recallTopK: 3 } },
    );

    await settings.adopt();

    assert.deepEqual(stored, { enabled: true, settings: { recallTopK: 3 } });
});

test('a server with other values gets those of this page, keys left out', async () => {
    const { settings, connection, stored } = world({}, { enabled: true, settings: { recallTopK: 3 } });

    await settings.meet();

    assert.deepEqual(connection.of('settings/set').map(body => body.values), [{ recallTopK: 3 }]);
    assert.deepEqual(stored.settings, { recallTopK: 3 });
});

test('a server with the same values is left alone', async () => {
    const { settings, connection } = world({}, { enabled: true, settings: { recallTopK: 20 } });

    await settings.meet();

    assert.deepEqual(connection.of('settings/set'), []);
});

test('a reset of all values leaves keys and the switch as they are', async () => {
    const { settings, connection, stored } = world({}, { enabled: true, settings: { recallTopK: 20 } });
    await settings.meet();

    await settings.resetAll();

    assert.deepEqual(stored, { enabled: true, settings: {} });
    assert.deepEqual(connection.of('settings/set').at(-1).values, { recallTopK: null });
});

test('a value is asked for by its key', async () => {
    const { settings } = world();
    assert.equal(settings.valueAt('recallTopK'), undefined);
    await settings.meet();
    assert.equal(settings.valueAt('recallTopK'), 15);
});

test('the server is told the switch with the values', () => {
    const { settings } = world({}, { enabled: true, settings: { recallTopK: 3 } });
    assert.deepEqual(settings.sentValues, { recallTopK: 3, enabled: true });
});

for (const broken of [null, 'text', 7, []]) {
    test(`stored settings of ${JSON.stringify(broken)} are taken as none`, () => {
        assert.deepEqual(world({}, { settings: broken }).settings.values, {});
    });
}
