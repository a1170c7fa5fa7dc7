import assert from 'node:assert/strict';
import test from 'node:test';

import { ChatCopy, headOf } from '../../st-extension/src/state.js';
import { settle } from './fakes.js';

const LINEAGE = 'abcdefgh';

/** A chat that is open, its metadata, and the copy that is kept in it. */
function world(copy) {
    const asked = [];
    const at = { copy, time: 1000, hidden: false, streaming: -1, saves: 0, whole: { lineage: LINEAGE, rev: 9, state: { rev: 9 } } };
    const attachment = {
        lineage: LINEAGE,
        identity: { name: 'a chat', owner: 'mira.png' },
        ask: (name, body) => {
            asked.push([name, body]);
            return Promise.resolve(name === 'chat/state' ? at.whole : {});
        },
    };
    at.open = attachment;
    const host = {
        readCopy: () => at.copy,
        writeCopy: value => { at.copy = value; },
        chatMark: () => 'the mark',
        saveChat: () => Promise.resolve(void (at.saves += 1)),
        streamingFloor: () => at.streaming,
        isPageHidden: () => at.hidden,
        now: () => at.time,
    };
    const keeper = new ChatCopy(host, () => at.open);
    return { at, asked, attachment, keeper };
}

const state = rev => ({ version: 10, lineage: LINEAGE, chat: { mark: 'the mark' }, rev, nodes: [] });
const patch = (base, rev, steps = [['set', ['rev'], rev]]) => ({ lineage: LINEAGE, base_rev: base, rev, steps });

test('a patch on the copy that is there is put in and acknowledged', t => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { at, asked, keeper } = world(state(3));

    keeper.take(patch(3, 4));

    assert.equal(at.copy.rev, 4);
    assert.deepEqual(asked, [['chat/ack', { rev: 4, stage: 'set' }]]);
});

test('a first patch needs no copy', t => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { at, keeper } = world(undefined);

    keeper.take(patch(-1, 1, [['set', [], state(1)]]));

    assert.deepEqual(at.copy, state(1));
});

test('a patch that comes while the whole is fetched makes it be fetched once more', async t => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { at, asked, keeper } = world(state(3));
    keeper.take(patch(7, 8));
    keeper.take(patch(8, 9));
    keeper.take(patch(9, 10));
    await settle();

    assert.equal(asked.filter(([name]) => name === 'chat/state').length, 2);
    assert.equal(at.copy.rev, 9);
});

test('a whole that a patch overtook is not put over it, but fetched once more', async t => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { at, asked, keeper } = world(state(9));
    const fetched = keeper.fetchWhole();

    keeper.take(patch(9, 10));
    at.whole = { lineage: LINEAGE, rev: 10, state: { ...state(10), nodes: [{ id: 'x' }] } };
    await fetched;

    assert.equal(asked.filter(([name]) => name === 'chat/state').length, 2);
    assert.deepEqual(at.copy, at.whole.state);
});

test('an empty graph does not replace a full one of the same chat until there is something in it', t => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const full = { version: 10, lineage: 'lost', chat: { name: 'a chat', owner: 'mira.png' }, rev: 7, nodes: [{ id: 'x' }] };
    const { at, keeper } = world(full);

    keeper.take(patch(-1, 1, [['set', [], state(1)]]));
    assert.deepEqual(at.copy, full);

    const told = { ...state(2), nodes: [{ id: 'y' }] };
    keeper.take(patch(-1, 2, [['set', [], told]]));
    assert.deepEqual(at.copy, told);
});

test('a branch without memories takes the place of what was copied into it', t => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { at, keeper } = world({ lineage: 'parent', chat: { name: 'parent', owner: 'mira.png' }, rev: 7, nodes: [{}] });

    keeper.take(patch(-1, 1, [['set', [], state(1)]]));

    assert.deepEqual(at.copy, state(1));
});

test('a patch that was put in already is passed over', () => {
    const { at, asked, keeper } = world(state(5));

    keeper.take(patch(4, 5));

    assert.deepEqual([at.copy, asked], [state(5), []]);
});

for (const [what, copy, given] of [
    ['on another revision', state(2), patch(3, 4)],
    ['on another lineage', { ...state(3), lineage: 'zzzzzzzz' }, patch(3, 4)],
    ['without a copy', undefined, patch(3, 4)],
    ['that does not fit', state(3), patch(3, 4, [['set', ['rev'], 4], ['delete', ['none']]])],
]) {
    test(`a patch ${what} makes the whole be fetched`, async t => {
        t.mock.timers.enable({ apis: ['setTimeout'] });
        const { at, asked, keeper } = world(copy);

        keeper.take(given);
        assert.deepEqual(at.copy, copy, 'until it comes the old copy stands');
        await settle();

        assert.equal(asked[0][0], 'chat/state');
        assert.equal(at.copy.rev, 9);
    });
}

test('a patch for another chat than the open one is dropped', () => {
    const { at, asked, keeper } = world(state(3));

    keeper.take({ ...patch(3, 4), lineage: 'zzzzzzzz' });
    at.open = null;
    keeper.take(patch(3, 4));

    assert.deepEqual([at.copy, asked], [state(3), []]);
});

test('the whole is dropped if another chat was opened meanwhile', async () => {
    const { at, keeper } = world(state(2));
    const fetching = keeper.fetchWhole();

    at.open = null;
    await fetching;

    assert.deepEqual(at.copy, state(2));
});

test('a save of SillyTavern that began after the patch acknowledges it as saved', t => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { at, asked, keeper } = world(state(3));
    keeper.take(patch(3, 4));
    at.time = 3000;
    keeper.take(patch(4, 5));

    keeper.noteSave(1100);
    assert.equal(asked.length, 2, 'too close to the patch to be sure');
    keeper.noteSave(2900);

    assert.deepEqual(asked.at(-1), ['chat/ack', { rev: 4, stage: 'saved' }]);
    assert.equal(keeper.unsavedRev, 5);
});

test('a save is added after a quiet minute, and not again within 20 turns', t => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { at, keeper } = world(state(0));
    for (let turn = 0; turn < 20; turn++) {
        keeper.take(patch(turn, turn + 1));
        t.mock.timers.tick(60_000);
        keeper.countTurn();
    }
    assert.equal(at.saves, 1);

    keeper.take(patch(20, 21));
    t.mock.timers.tick(60_000);

    assert.equal(at.saves, 2);
});

test('at most five saves are added in 100 turns, however often the page is hidden', t => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { at, keeper } = world(state(0));
    at.hidden = true;
    for (let turn = 0; turn < 100; turn++) {
        keeper.take(patch(turn, turn + 1));
        keeper.saveIfDue();
        t.mock.timers.tick(60_000);
        keeper.countTurn();
    }

    assert.equal(at.saves, 5);
});

test('nothing is saved while a reply is streamed, or when there is nothing to save', t => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { at, keeper } = world(state(3));
    at.hidden = true;

    keeper.saveIfDue();
    assert.equal(at.saves, 0);

    keeper.take(patch(3, 4));
    at.streaming = 7;
    keeper.saveIfDue();

    assert.equal(at.saves, 0);
});

test('the head of a copy is read from whatever is there', () => {
    assert.equal(headOf(undefined), null);
    const nothing = { version: 0, lineage: '', chat: '', owner: '', rev: 0, head: '', messages: 0 };
    assert.deepEqual(headOf({ version: 9, nodes: [] }), { ...nothing, version: 9 });
    assert.deepEqual(
        headOf({ version: 10, lineage: LINEAGE, chat: { name: 'n', owner: 'o' }, rev: 4, head: 'h', known: 'Aaaaaaaa'.repeat(3) }),
        { version: 10, lineage: LINEAGE, chat: 'n', owner: 'o', rev: 4, head: 'h', messages: 3 },
    );
    assert.deepEqual(headOf({ version: 'x', chat: 3, rev: 0.5, known: [1] }), nothing);
});

test('what a damaged copy says is nothing that the server would refuse', () => {
    const damaged = { version: 10, lineage: 'x'.repeat(41), head: 'h'.repeat(41), chat: { name: 'n'.repeat(1001), owner: 'half \ud83d' } };

    const { lineage, head, chat, owner } = headOf(damaged);

    assert.deepEqual([lineage, head, chat, owner], ['', '', '', 'half \ufffd']);
});
