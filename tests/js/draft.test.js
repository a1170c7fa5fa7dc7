import assert from 'node:assert/strict';
import test from 'node:test';

import { Draft } from '../../st-extension/src/draft.js';

function world() {
    const at = { wanted: true, text: '', asked: [] };
    at.attachment = { ask: (command, body) => { at.asked.push([command, body]); return Promise.resolve({}); } };
    const draft = new Draft({ isWanted: () => at.wanted, inputText: () => at.text, attachment: () => at.attachment });
    const type = text => { at.text = text; draft.changed(); };
    return { at, type };
}

test('the server is told once the user pauses, and of each text once', t => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { at, type } = world();

    for (const text of ['Where does', 'Where does Mira', ' Where does Mira live? ']) {
        type(text);
        t.mock.timers.tick(300);
    }
    t.mock.timers.tick(700);
    type('Where does Mira live?');
    t.mock.timers.tick(700);

    assert.deepEqual(at.asked, [['recall/prepare', { text: 'Where does Mira live?' }]]);
});

for (const [why, change, text] of [
    ['it is not wanted', at => { at.wanted = false; }, 'Where does Mira live?'],
    ['no chat is open', at => { at.attachment = null; }, 'Where does Mira live?'],
    ['it is a word', () => {}, 'Hello'],
    ['it is a chapter', () => {}, 'a'.repeat(2001)],
]) {
    test(`the server is told nothing where ${why}`, t => {
        t.mock.timers.enable({ apis: ['setTimeout'] });
        const { at, type } = world();
        change(at);

        type(text);
        t.mock.timers.tick(5000);

        assert.deepEqual(at.asked, []);
    });
}
