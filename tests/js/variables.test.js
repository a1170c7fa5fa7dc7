import assert from 'node:assert/strict';
import test from 'node:test';

import { exportedVariables, trackedNames, variableOf, variablesOf } from '../../st-extension/src/variables.js';

const COPY = { variables: [{ name: 'Mood', value: 'glad', source: 3 }, { name: '金币', value: '12', source: 5 }] };

test('a value is found by its name in any case', () => {
    assert.equal(variableOf(COPY, ' mood '), 'glad');
    assert.equal(variableOf(COPY, '金币'), '12');
    assert.equal(variableOf(COPY, 'nothing'), '');
});

test('a chat without values has none', () => {
    assert.deepEqual(variablesOf(undefined), {});
    assert.deepEqual(variablesOf({}), {});
    assert.deepEqual(variablesOf(COPY), { Mood: 'glad', 金币: '12' });
});

test('names of followed values stand before a colon', () => {
    assert.deepEqual(trackedNames('mood: how she feels\n\n 金币：多少钱\nplain'), ['mood', '金币', 'plain']);
    assert.deepEqual(trackedNames(undefined), []);
});

const copy = values => ({ variables: Object.entries(values).map(([name, value]) => ({ name, value, source: 1 })) });

test('only what the story changed is written into the chat', () => {
    const before = copy({ mood: 'glad', gold: '12' });

    assert.deepEqual(exportedVariables(before, copy({ mood: 'sad', gold: '12' }), { mood: 'glad', gold: '99' }), { mood: 'sad' });
    assert.deepEqual(exportedVariables(before, before, { mood: 'mine', gold: '12' }), {});
});

test('a value that the chat has not got yet is written', () => {
    assert.deepEqual(exportedVariables(undefined, copy({ mood: 'glad' }), {}), { mood: 'glad' });
});

test('a value that is told no more goes, unless the user has set another', () => {
    const before = copy({ mood: 'glad', gold: '12' });

    assert.deepEqual(exportedVariables(before, copy({}), { mood: 'glad', gold: '99', own: 'x' }), { mood: null });
});
