import assert from 'node:assert/strict';
import test from 'node:test';

import { addUsageCommand } from '../../st-extension/src/commands.js';
import { describe } from '../../st-extension/src/ui/usage.js';

globalThis.SillyTavern = { getContext: () => ({ translate: text => text }) };

const report = { today: '2026-11-30', calls: 3, tokens: 4200, budget: 0, entries: [] };

test('calls and tokens of today stand in the panel once there are some', () => {
    assert.equal(describe(report), 'Today: 3 model calls · 4200 tokens');
    assert.equal(describe({ ...report, calls: 0, tokens: 0 }), '');
});

test('with a budget it is told, also while nothing was used of it', () => {
    assert.equal(describe({ ...report, calls: 0, tokens: 0, budget: 9000 }), 'Today: 0 model calls · 0 of 9000 tokens');
});

test('the slash command asks for as many days as are named, and gives JSON', async () => {
    const asked = [];
    const connection = { command: (name, body) => { asked.push([name, body]); return Promise.resolve(report); } };
    let run;
    addUsageCommand((name, help, argument, given) => { run = given; }, connection);

    assert.deepEqual(JSON.parse(await run('7')), report);
    await run('');
    assert.deepEqual(asked, [['usage', { days: 7 }], ['usage', { days: 1 }]]);
});
