import assert from 'node:assert/strict';
import test from 'node:test';

import { ModelTrouble } from '../../st-extension/src/model-trouble.js';

const KEY_WRONG = { code: 'key_wrong', level: 'warning', data: { floor: 4, reason: 'status 401' } };
const LATE = { code: 'model_timeout', level: 'warning', data: { task: 'embedding', reason: 'no answer in 30 s' } };
const REFUSED = { code: 'endpoint_refused', level: 'warning', data: { reason: 'metadata address' } };
const done = task => ({ lineage: 'x', task, state: 'done', done: 1, total: 1, reason: '' });

test('a failing model stands until the same work succeeds', () => {
    const trouble = new ModelTrouble();

    assert.equal(trouble.note(KEY_WRONG), true);
    trouble.follow(done('embedding'));
    assert.deepEqual(trouble.current, { code: 'key_wrong', task: 'extraction', reason: 'status 401' });
    trouble.follow(done('extraction'));

    assert.equal(trouble.current, null);
});

test('a round in which nothing was due says nothing of the model', () => {
    const trouble = new ModelTrouble();
    trouble.note(KEY_WRONG);

    trouble.follow({ ...done('extraction'), done: 0, total: 0 });

    assert.equal(trouble.current.code, 'key_wrong');
});

test('upkeep that failed is well again when the same task succeeds, and no other', () => {
    const trouble = new ModelTrouble();
    trouble.note({ ...LATE, data: { task: 'summarise', reason: 'no answer in 30 s' } });

    trouble.follow(done('tidy'));
    assert.equal(trouble.current.task, 'summarise');
    trouble.follow(done('summarise'));

    assert.equal(trouble.current, null);
});

test('of two the newer is told, then the older', () => {
    const trouble = new ModelTrouble();
    trouble.note(KEY_WRONG);
    trouble.note(LATE);

    assert.equal(trouble.current.code, 'model_timeout');
    trouble.follow(done('embedding'));
    assert.equal(trouble.current.code, 'key_wrong');
});

test('changed settings end it, but not what came of the change itself', () => {
    let now = 0;
    const trouble = new ModelTrouble(() => now);
    trouble.note(KEY_WRONG);
    now = 60_000;
    trouble.note(REFUSED);
    now += 20;

    trouble.forgetOld();

    assert.equal(trouble.current.code, 'endpoint_refused');
    trouble.follow(done('extraction'));
    assert.equal(trouble.current.code, 'endpoint_refused');
});

test('notices about other things are left to others', () => {
    const trouble = new ModelTrouble();
    assert.equal(trouble.note({ code: 'copy_set_aside', level: 'warning', data: {} }), false);
    assert.equal(trouble.current, null);
});
