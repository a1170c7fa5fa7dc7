import assert from 'node:assert/strict';
import test from 'node:test';

import { catchUpBy, readerOf } from '../../st-extension/src/catch-up.js';

function chat() {
    const asked = [];
    const attachment = { ask: (command, body) => { asked.push([command, body]); return Promise.resolve({ state: '' }); } };
    return { asked, attachment };
}

test('a span is asked about and read as it was given', async () => {
    const open = chat();
    const reader = readerOf(open);

    await reader.price({ first: 3, last: 9, batch: 2 });
    await reader.start({ first: 3, last: null, batch: 1 });

    assert.deepEqual(open.asked, [
        ['catch-up/price', { first: 3, last: 9, batch: 2 }],
        ['catch-up/start', { first: 3, last: null, batch: 1 }],
    ]);
});

for (const [word, command] of [
    ['', 'catch-up/price'],
    ['price', 'catch-up/price'],
    ['start', 'catch-up/start'],
    ['pause', 'catch-up/steer'],
    ['resume', 'catch-up/steer'],
    ['cancel', 'catch-up/steer'],
]) {
    test(`the word “${word}” asks ${command}`, async () => {
        const open = chat();

        await catchUpBy(readerOf(open), word);

        assert.equal(open.asked[0][0], command);
        if (command === 'catch-up/steer') assert.equal(open.asked[0][1].action, word);
    });
}

test('without a chat nothing is asked', async () => {
    await assert.rejects(readerOf({ attachment: null }).price({ first: 0, last: null, batch: 1 }));
});
