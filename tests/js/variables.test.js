import assert from 'node:assert/strict';
import test from 'node:test';

import { trackedNames, variableOf, variablesOf } from '../../st-extension/src/variables.js';

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
