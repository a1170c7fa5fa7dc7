import assert from 'node:assert/strict';
import test from 'node:test';

import { cutToWidth, placeLabels, widthOf } from '../../st-extension/src/labels.js';

const box = (x, y) => ({ x, y, width: 40, height: 10 });

test('of labels that lie on each other the first is shown', () => {
    const boxes = [box(0, 0), box(30, 0), box(30, 12), box(80, 0)];

    assert.deepEqual(placeLabels(boxes.map(one => [one]), []), [boxes[0], undefined, boxes[2], boxes[3]]);
});

test('a label that finds its first place taken takes the next', () => {
    assert.deepEqual(placeLabels([[box(0, 0)], [box(10, 0), box(10, 20)]], []), [box(0, 0), box(10, 20)]);
});

test('a label covers nothing that is drawn', () => {
    const node = { x: 5, y: 5, width: 8, height: 8 };

    assert.deepEqual(placeLabels([[box(0, 0), box(0, 20)], [box(100, 5)]], [node]), [box(0, 20), box(100, 5)]);
});

for (const [text, most, cut] of [
    ['Harbour', 10, 'Harbour'],
    ['The missing lantern', 5.6, 'The miss…'],
    ['The missing lantern', 2.8, 'The…'],
    ['失踪的灯笼', 5, '失踪的灯笼'],
    ['失踪的灯笼', 4, '失踪的…'],
]) {
    test(`a label of at most ${most} is cut: ${cut}`, () => {
        assert.equal(cutToWidth(text, most), cut);
        assert.ok(widthOf(cut) <= most);
    });
}
