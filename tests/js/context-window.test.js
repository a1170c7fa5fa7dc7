import assert from 'node:assert/strict';
import test from 'node:test';

import { firstInContext } from '../../st-extension/src/context-window.js';

const CONTEXT_TOKENS = 100; // room for 300 bytes

const line = (text, hidden = false) => ({ key: text, role: 0, name: 'Mira', hidden, entry: text, text });
const short = () => line('x'.repeat(20));
const long = () => line('x'.repeat(200));
const chat = (count, make = short) => Array.from({ length: count }, () => make());

test('a chat that the last prompt held whole is whole while it is small', () => {
    assert.equal(firstInContext(chat(10), { first: 0, length: 8 }, CONTEXT_TOKENS), 0);
});

test('a chat that grew beyond the context lost its oldest messages', () => {
    const lines = [...chat(4), long(), long()];

    assert.equal(firstInContext(lines, { first: 0, length: 4 }, CONTEXT_TOKENS), 5);
});

test('what the last prompt held whole, the next one holds, whatever the tokens were reckoned to be', () => {
    assert.equal(firstInContext(chat(4, long), { first: 0, length: 4 }, CONTEXT_TOKENS), 0);
});

test('where the context was full, it moves by as much as was said', () => {
    assert.equal(firstInContext(chat(12), { first: 4, length: 10 }, CONTEXT_TOKENS), 6);
});

test('a long message pushes out as many short ones as have its size', () => {
    const lines = [...chat(20), long()];

    assert.equal(firstInContext(lines, { first: 8, length: 20 }, 10_000), 18);
});

test('a message that is larger than all that fitted leaves nothing that is sure', () => {
    assert.equal(firstInContext([...chat(10), long()], { first: 6, length: 10 }, CONTEXT_TOKENS), 11);
});

test('hidden messages and notes take no room', () => {
    const lines = [line('x'.repeat(5000), true), null, ...chat(4)];

    assert.equal(firstInContext(lines, { first: 2, length: 4 }, CONTEXT_TOKENS), 0);
});
