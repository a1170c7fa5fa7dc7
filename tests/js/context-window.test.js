import assert from 'node:assert/strict';
import test from 'node:test';

import { ContextWindow } from '../../st-extension/src/context-window.js';

const CONTEXT_TOKENS = 100; // room for 300 bytes

const line = (text, hidden = false) => ({ key: text, role: 0, name: 'Mira', hidden, entry: text, text });
const short = () => line('x'.repeat(20));
const long = () => line('x'.repeat(200));
const chat = (count, make = short) => Array.from({ length: count }, () => make());

test('a chat that the last prompt held whole is whole while it is small', () => {
    assert.equal(new ContextWindow(chat(10), { first: 0, length: 8 }, CONTEXT_TOKENS).first, 0);
});

test('a chat that grew beyond the context lost its oldest messages', () => {
    const lines = [...chat(4), long(), long()];

    assert.equal(new ContextWindow(lines, { first: 0, length: 4 }, CONTEXT_TOKENS).first, 5);
});

test('what the last prompt held whole, the next one holds, whatever the tokens were reckoned to be', () => {
    assert.equal(new ContextWindow(chat(4, long), { first: 0, length: 4 }, CONTEXT_TOKENS).first, 0);
});

test('where the context was full, it moves by as much as was said', () => {
    assert.equal(new ContextWindow(chat(12), { first: 4, length: 10 }, CONTEXT_TOKENS).first, 6);
});

test('a long message pushes out as many short ones as have its size', () => {
    const lines = [...chat(20), long()];

    assert.equal(new ContextWindow(lines, { first: 8, length: 20 }, 10_000).first, 18);
});

test('a message that is larger than all that fitted leaves nothing that is sure', () => {
    assert.equal(new ContextWindow([...chat(10), long()], { first: 6, length: 10 }, CONTEXT_TOKENS).first, 11);
});

test('hidden messages and notes take no room', () => {
    const lines = [line('x'.repeat(5000), true), null, ...chat(4)];

    assert.equal(new ContextWindow(lines, { first: 2, length: 4 }, CONTEXT_TOKENS).first, 0);
});

test('nothing is sure where there was no prompt yet', () => {
    assert.equal(new ContextWindow(chat(3), { first: undefined, length: 1 }, CONTEXT_TOKENS).first, undefined);
});

test('a text stays at its depth while all behind it fits', () => {
    const window = new ContextWindow(chat(10), { first: 0, length: 8 }, CONTEXT_TOKENS);

    assert.equal(window.safeDepth({ tokens: 40, depth: 4 }), 4);
});

test('a text moves towards the end past messages that may not fit beside it', () => {
    const lines = [...chat(4), long(), short(), line('hidden', true), short()];
    const window = new ContextWindow(lines, { first: 0, length: 6 }, CONTEXT_TOKENS);

    assert.equal(window.safeDepth({ tokens: 40, depth: 4 }), 2);
});

test('a text stands before the message that is answered even where nothing is sure to fit', () => {
    const window = new ContextWindow([...chat(4), long()], { first: undefined, length: 3 }, CONTEXT_TOKENS);

    assert.equal(window.safeDepth({ tokens: 80, depth: 4 }), 1);
});

test('a text at the very end stays there', () => {
    const window = new ContextWindow(chat(4), { first: 0, length: 2 }, CONTEXT_TOKENS);

    assert.equal(window.safeDepth({ tokens: 40, depth: 0 }), 0);
});
