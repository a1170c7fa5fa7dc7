import assert from 'node:assert/strict';
import test from 'node:test';

import { PatchFailed, applySteps } from '../../st-extension/src/state-patch.js';

const STATE = Object.freeze({
    rev: 1,
    known: 'aaaabbbb',
    nodes: Object.freeze([Object.freeze({ id: 'a', seq: 1 }), Object.freeze({ id: 'b', seq: 2 })]),
    side: Object.freeze({ deep: Object.freeze({ list: Object.freeze([1, 2]) }) }),
});

const CASES = [
    ['set replaces a value', [['set', ['rev'], 2]], { ...STATE, rev: 2 }],
    ['set adds a value', [['set', ['aliases'], { x: 'y' }]], { ...STATE, aliases: { x: 'y' } }],
    ['set of the empty path replaces everything', [['set', [], { rev: 9 }]], { rev: 9 }],
    ['set goes deep', [['set', ['nodes', 1, 'seq'], 7]], { ...STATE, nodes: [{ id: 'a', seq: 1 }, { id: 'b', seq: 7 }] }],
    ['set at the end of a list appends', [['set', ['side', 'deep', 'list', 2], 3]], { ...STATE, side: { deep: { list: [1, 2, 3] } } }],
    ['delete takes a key away', [['delete', ['side']], ['delete', ['known']]], { rev: 1, nodes: STATE.nodes }],
    ['delete takes an item away', [['delete', ['nodes', 0]]], { ...STATE, nodes: [{ id: 'b', seq: 2 }] }],
    ['splice replaces items', [['splice', ['nodes'], 0, 1, [{ id: 'c' }, { id: 'd' }]]],
        { ...STATE, nodes: [{ id: 'c' }, { id: 'd' }, { id: 'b', seq: 2 }] }],
    ['splice appends to a text', [['splice', ['known'], 8, 0, 'cccc']], { ...STATE, known: 'aaaabbbbcccc' }],
    ['splice cuts a text', [['splice', ['known'], 4, 4, '']], { ...STATE, known: 'aaaa' }],
    ['steps build on each other', [['set', ['new'], []], ['splice', ['new'], 0, 0, [1]], ['set', ['new', 0], 2]], { ...STATE, new: [2] }],
    ['no step changes nothing', [], STATE],
];

for (const [what, steps, expected] of CASES) {
    test(what, () => assert.deepEqual(applySteps(STATE, steps), expected));
}

const REFUSED = [
    ['an unknown step', ['rename', ['rev'], 'x']],
    ['a missing path', ['set']],
    ['a set without a value', ['set', ['rev']]],
    ['a way through nothing', ['set', ['none', 'deep'], 1]],
    ['a way through a text', ['set', ['known', 'length'], 1]],
    ['a number as a key', ['set', [1], 1]],
    ['a key into a list', ['set', ['nodes', 'length'], 0]],
    ['a place after the end of a list', ['set', ['nodes', 3], {}]],
    ['a place before a list', ['set', ['nodes', -1], {}]],
    ['a delete of nothing', ['delete', ['none']]],
    ['a splice outside', ['splice', ['nodes'], 1, 2, []]],
    ['a splice of a list into a text', ['splice', ['known'], 0, 0, ['x']]],
    ['a splice of a number', ['splice', ['rev'], 0, 0, [1]]],
    ['a prototype', ['set', ['__proto__', 'polluted'], true]],
    ['a constructor', ['set', ['constructor', 'prototype', 'polluted'], true]],
    ['a prototype as the last part', ['set', ['side', '__proto__'], { polluted: true }]],
    ['an end that is no object', ['set', [], 'text']],
];

for (const [what, step] of REFUSED) {
    test(`${what} is refused, and the state stays as it is`, () => {
        const before = structuredClone(STATE);

        assert.throws(() => applySteps(STATE, [['set', ['rev'], 2], step]), PatchFailed);

        assert.deepEqual(STATE, before);
        assert.equal({}.polluted, undefined);
    });
}

test('what did not change is shared with the old state', () => {
    const next = applySteps(STATE, [['set', ['nodes', 0, 'seq'], 5]]);

    assert.equal(next.side, STATE.side);
    assert.equal(next.nodes[1], STATE.nodes[1]);
});

test('a value of the patch is not changed by a later patch', () => {
    const list = [1];
    const first = applySteps({}, [['set', ['list'], list]]);

    applySteps(first, [['splice', ['list'], 0, 1, []], ['set', ['list', 0], 2]]);

    assert.deepEqual(list, [1]);
});
