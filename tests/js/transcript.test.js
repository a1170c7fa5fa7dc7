import assert from 'node:assert/strict';
import test from 'node:test';

import { EMPTY_CHAIN, chainStep, messageKey } from '../../st-extension/src/hash.js';
import { EMPTY_VIEW, inChunks, patchList, readTranscript, textAt } from '../../st-extension/src/transcript.js';
import { chatOf, message } from './fakes.js';

/** The server's side of a list, as `history/view.py` and the attached session have it. */
class ServerList {
    rows = [];

    digest(length) {
        const roles = ['user', 'assistant', 'narrator'];
        const entry = row => (row ? [row.key, roles[row.role], row.hidden ? 1 : 0, row.name].join('\x1f') : '');
        return this.rows.slice(0, length).map(entry).reduce(chainStep, EMPTY_CHAIN);
    }

    take({ keep, base, names, rows }) {
        assert.equal(this.digest(keep), base, 'the base is the digest of the rows that are kept');
        const named = rows.map(row => row && { ...row, name: names[row.name] });
        this.rows = [...this.rows.slice(0, keep), ...named];
    }
}

test('role comes from is_user and the type, never from is_system', () => {
    const chat = [
        message('a', { is_user: true, is_system: true }),
        message('b', { is_system: true }),
        message('c', { extra: { type: 'narrator' } }),
        message('d', { extra: undefined }),
    ];

    const lines = readTranscript(chat);

    assert.deepEqual(lines.map(line => [line.role, line.hidden]), [[0, true], [1, true], [2, false], [1, false]]);
});

test('notes of SillyTavern, tool messages and blank messages do not count', () => {
    const types = ['comment', 'help', 'welcome', 'welcome_prompt', 'empty', 'generic', 'group_generate',
        'slash_commands', 'formatting', 'hotkeys', 'macros', 'assistant_note'];
    const chat = [
        ...types.map(type => message('x', { extra: { type } })),
        message('x', { extra: { tool_invocations: [{}] } }),
        message(' \n\u3000\ufeff'),
        message(undefined),
    ];

    assert.deepEqual(readTranscript(chat), chat.map(() => null));
});

test('a reply that is being streamed does not count yet', () => {
    assert.deepEqual(readTranscript(chatOf(3), 2).map(line => line !== null), [true, true, false]);
});

test('the old text does not count while a new swipe is awaited', () => {
    const swiped = message('old', { swipes: ['old'], swipe_id: 1 });

    assert.equal(readTranscript([message('a'), swiped])[1], null);
    assert.notEqual(readTranscript([swiped, message('a')])[0], null, 'only the last message is swiped');
    assert.notEqual(readTranscript([{ ...swiped, swipe_id: 0 }])[0], null);
});

test('an edited text, a flipped flag and a new name are seen in the same message object', () => {
    const one = message('first');
    const seen = () => readTranscript([one])[0].entry;
    const entries = [seen()];
    one.mes = 'second';
    entries.push(seen());
    one.is_system = true;
    entries.push(seen());
    one.name = 'Mirabel';
    entries.push(seen());
    one.is_user = true;
    entries.push(seen());

    assert.equal(new Set(entries).size, 5);
});

test('an equal list needs no patch', () => {
    const { view } = patchList(readTranscript(chatOf(4)), EMPTY_VIEW);

    assert.equal(patchList(readTranscript(chatOf(4)), view), null);
});

test('patches bring the server from list to list', () => {
    const server = new ServerList();
    let view = EMPTY_VIEW;
    const chat = chatOf(6);
    const steps = [
        () => {},
        () => chat.push(message('new')),
        () => { chat[2].mes = 'edited'; },
        () => { chat[3].is_system = true; },
        () => chat.splice(1, 1),
        () => chat.splice(4, 0, chat.splice(0, 1)[0]),
        () => { chat.length = 2; },
        () => chat.push(message('comment', { extra: { type: 'comment' } }), message('end', { name: '旅人' })),
        () => { chat.length = 0; },
    ];

    for (const step of steps) {
        step();
        const lines = readTranscript(chat);
        const change = patchList(lines, view);
        if (change) {
            server.take(change.messages);
            view = change.view;
        }
        assert.deepEqual(server.rows.map(row => row?.key ?? null), lines.map(line => line?.key ?? null));
        assert.deepEqual(server.rows.map(row => row?.name ?? null), lines.map(line => line?.name ?? null));
    }
});

test('a reply at the end sends one row', () => {
    const { view } = patchList(readTranscript(chatOf(50)), EMPTY_VIEW);

    const { messages } = patchList(readTranscript(chatOf(51)), view);

    assert.deepEqual([messages.keep, messages.rows.length, messages.names], [50, 1, ['Mira']]);
});

test('the last text carries the keys of its other swipes, without doubles', () => {
    const chat = [message('a'), message('two', { swipes: ['one', 'two', 'one', ' '], swipe_id: 1 })];
    const lines = readTranscript(chat);

    assert.deepEqual(textAt(chat, lines, 1).swipes, [messageKey('assistant', 'one')]);
    assert.deepEqual(textAt(chat, lines, 0).swipes, []);
});

test('texts go out well formed', () => {
    const chat = [message('half \ud83d')];

    assert.equal(textAt(chat, readTranscript(chat), 0).text, 'half \ufffd');
});

test('chunks keep the order and the limit, and let a longer text stand alone', () => {
    const texts = ['aaaa', 'bbb', 'cccccccccccc', 'd'].map(text => ({ text }));

    const chunks = inChunks(texts, 8).map(chunk => chunk.map(({ text }) => text[0]).join(''));

    assert.deepEqual(chunks, ['ab', 'c', 'd']);
});

test('a chat of 5,000 messages that did not change costs a few milliseconds', () => {
    const chat = chatOf(5000);
    const { view } = patchList(readTranscript(chat), EMPTY_VIEW);
    const times = Array.from({ length: 9 }, () => {
        const started = performance.now();
        assert.equal(patchList(readTranscript(chat), view), null);
        return performance.now() - started;
    });

    assert.ok(Math.min(...times) < 10, `took ${Math.min(...times)} ms`);
});
