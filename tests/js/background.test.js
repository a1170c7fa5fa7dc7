import assert from 'node:assert/strict';
import test from 'node:test';

import { Background } from '../../st-extension/src/background.js';

function world() {
    const at = { wanted: {}, card: 'a clockmaker', activate: () => {} };
    const background = new Background({
        onEvent: (name, listener) => { if (name === 'WORLD_INFO_ACTIVATED') at.activate = listener; },
        descriptions: () => ({ persona: 'a sailor', card: at.card }),
        valueAt: key => at.wanted[key] ?? false,
    });
    background.listen();
    return { at, background };
}

function attached() {
    const told = [];
    return { told, ask: (command, body) => { told.push([command, body]); return Promise.resolve({}); } };
}

const EMPTY = { persona: '', card: '', world_info: '' };

test('nothing is told that is not wanted', () => {
    const { at, background } = world();
    const attachment = attached();
    at.activate([{ content: 'The tide rules.' }]);

    background.tell(attachment);

    assert.deepEqual(attachment.told, []);
});

test('what is wanted is told once, and again when it changed', () => {
    const { at, background } = world();
    const attachment = attached();
    at.wanted = { extractIncludeCard: true, extractIncludeWorldInfo: true };
    at.activate([{ content: ' The tide rules. ' }, { content: '' }, null, { content: 'Gulls talk.' }]);

    background.tell(attachment);
    background.tell(attachment);
    at.card = 'a smith';
    background.tell(attachment);

    const first = { persona: 'a sailor', card: 'a clockmaker', world_info: 'The tide rules.\nGulls talk.' };
    assert.deepEqual(attachment.told, [['chat/background', first], ['chat/background', { ...first, card: 'a smith' }]]);
});

test('what is not wanted any more is taken back, and another chat is told anew', () => {
    const { at, background } = world();
    const [first, second] = [attached(), attached()];
    at.wanted = { extractIncludeCard: true };
    background.tell(first);
    background.tell(second);
    at.wanted = {};
    background.tell(second);
    background.tell(null);

    assert.equal(first.told.length, 1);
    assert.deepEqual(second.told.map(([, { card }]) => card), ['a clockmaker', '']);
    assert.deepEqual(second.told[1][1], EMPTY);
});

test('long texts are cut, and what was not taken is told again', async () => {
    const { at, background } = world();
    at.wanted = { extractIncludeCard: true };
    at.card = 'x'.repeat(9000);
    const bodies = [];
    const failing = { ask: (_, body) => { bodies.push(body); return Promise.reject(new Error('down')); } };

    background.tell(failing);
    await Promise.resolve();
    await Promise.resolve();
    background.tell(failing);

    assert.deepEqual(bodies.map(({ card }) => card.length), [8000, 8000]);
});
