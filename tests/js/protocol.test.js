import assert from 'node:assert/strict';
import test from 'node:test';

import { FrameReader, randomId } from '../../st-extension/src/protocol.js';

const STREAM = ':\n\nid: 7\nevent: ready\ndata: {}\n\n: beat\r\n\r\nid:8\r\nevent:job\r\ndata:{"task":\r\ndata:"提取"}\r\n\r\n';
const EVENTS = [
    { id: 7, name: 'ready', data: {} },
    { id: 8, name: 'job', data: { task: '提取' } },
];

test('frames are read with either line end, and heartbeats are none', () => {
    assert.deepEqual(new FrameReader().push(STREAM), EVENTS);
});

test('frames may be cut anywhere', () => {
    for (let cut = 0; cut <= STREAM.length; cut++) {
        const reader = new FrameReader();
        const got = [...reader.push(STREAM.slice(0, cut)), ...reader.push(STREAM.slice(cut))];
        assert.deepEqual(got, EVENTS, `cut at ${cut}`);
    }
});

test('frames may come one character at a time', () => {
    const reader = new FrameReader();

    assert.deepEqual([...STREAM].flatMap(character => reader.push(character)), EVENTS);
});

test('an incomplete frame waits', () => {
    assert.deepEqual(new FrameReader().push('id: 1\nevent: bye\ndata: {}\n'), []);
});

test('random ids differ and fit the wire', () => {
    const ids = new Set(Array.from({ length: 1000 }, randomId));

    assert.equal(ids.size, 1000);
    for (const id of ids) assert.match(id, /^[0-9a-f]{24}$/);
});
