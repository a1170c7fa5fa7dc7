import assert from 'node:assert/strict';
import test from 'node:test';

import { layOut } from '../../st-extension/src/layout.js';

/** Numbers that are the same at each run. */
function* numbers(seed) {
    for (let state = seed; ; state = (state * 1103515245 + 12345) % 2 ** 31) yield state / 2 ** 31;
}

function randomGraph(size, links, seed) {
    const next = numbers(seed);
    const radii = Array.from({ length: size }, () => 6 + 9 * next.next().value);
    const joined = Array.from({ length: links }, () => ({
        from: Math.floor(size * next.next().value),
        to: Math.floor(size * next.next().value),
        strength: next.next().value,
    }));
    return { radii, links: joined.filter(({ from, to }) => from !== to) };
}

const distance = (one, other) => Math.hypot(one.x - other.x, one.y - other.y);

function overlaps(points, radii) {
    const found = [];
    for (let one = 0; one < points.length; one++) {
        for (let other = one + 1; other < points.length; other++) {
            if (distance(points[one], points[other]) < radii[one] + radii[other]) found.push([one, other]);
        }
    }
    return found;
}

test('the same graph gives the same picture', () => {
    const { radii, links } = randomGraph(60, 90, 7);

    assert.deepEqual(layOut(radii, links), layOut(radii, links));
});

for (const [size, links] of [[2, 1], [60, 90], [250, 600], [250, 0]]) {
    test(`of ${size} nodes with ${links} relations no two overlap`, () => {
        const graph = randomGraph(size, links, size);

        const points = layOut(graph.radii, graph.links);

        assert.equal(points.length, size);
        assert.ok(points.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y)));
        assert.deepEqual(overlaps(points, graph.radii), []);
    });
}

test('a star, where all would be in one place, is spread out', () => {
    const radii = Array(120).fill(10);
    const links = radii.slice(1).map((_, place) => ({ from: 0, to: place + 1, strength: 1 }));

    assert.deepEqual(overlaps(layOut(radii, links), radii), []);
});

test('what is related stands nearer than what is not', () => {
    const radii = Array(20).fill(8);
    const half = start => Array.from({ length: 9 }, (_, place) => ({ from: start, to: start + place + 1, strength: 1 }));

    const points = layOut(radii, [...half(0), ...half(10)]);

    const mean = values => values.reduce((sum, value) => sum + value, 0) / values.length;
    const within = points.slice(1, 10).map(point => distance(points[0], point));
    const across = points.slice(11).map(point => distance(points[0], point));
    assert.ok(mean(within) * 1.5 < mean(across), `${mean(within)} ${mean(across)}`);
});

test('what no relation joins with the rest stays in sight', () => {
    const radii = Array(30).fill(8);
    const links = Array.from({ length: 20 }, (_, place) => ({ from: place, to: (place + 1) % 20, strength: 1 }));

    const points = layOut(radii, links);

    const farthest = Math.max(...points.slice(0, 20).map(point => Math.hypot(point.x, point.y)));
    assert.ok(points.slice(20).every(point => Math.hypot(point.x, point.y) < 4 * farthest));
});

test('a narrow place is filled in its height', () => {
    const { radii, links } = randomGraph(80, 120, 11);
    const extent = values => Math.max(...values) - Math.min(...values);

    const points = layOut(radii, links, 0.5);

    assert.ok(extent(points.map(({ y }) => y)) > 1.2 * extent(points.map(({ x }) => x)));
});

test('a graph of thousands ends in bounded work', () => {
    const { radii, links } = randomGraph(2000, 5000, 3);
    const before = process.cpuUsage().user;

    const points = layOut(radii, links);

    assert.equal(points.length, 2000);
    assert.ok(process.cpuUsage().user - before < 20_000_000);
});

test('nothing and a single node are laid out, too', () => {
    assert.deepEqual(layOut([], []), []);
    assert.equal(layOut([10], []).length, 1);
});
