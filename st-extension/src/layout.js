/**
 * Where the memories of a drawn graph stand: what is related draws together, everything else keeps its distance.
 * Force-directed placement: nodes repel each other as in Fruchterman and Reingold (1991), relations draw as in ForceAtlas2
 * (Jacomy et al. 2014), less at hubs, which else would gather everything in one heap. A pull to the middle keeps together
 * what no relation joins. The same graph always gives the same picture, in a time that is bounded beforehand.
 *
 * @typedef {{ x: number, y: number }} Point
 * @typedef {{ from: number, to: number, strength: number }} Link between the places of two nodes in their list
 */

/** The distance at which a pair repels each other as much as it would be drawn together, in units of the drawing. */
const SPACING = 70;
/** What stays free between two nodes. */
const GAP = 8;
const MOST_STEPS = 300;
const FEWEST_STEPS = 25;
/** Pairs that are looked at in all; about a tenth of a second. */
const MOST_PAIRS = 6_000_000;
const MOST_SEPARATIONS = 60;
const GRAVITY = 0.3;
/** Farther apart nodes do not mind each other: else what stands alone would be driven out of sight. */
const FARTHEST_REPELLED = 6 * SPACING;
const FIRST_MOVE = 40;
const LAST_MOVE = 0.5;
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

/**
 * @param {readonly number[]} radii of the nodes
 * @param {readonly Link[]} links
 * @param {number} [aspect] width of the place by its height
 * @returns {Point[]} in the order of the nodes; no two nodes overlap unless there is no room in the time there is
 */
export function layOut(radii, links, aspect = 1) {
    const gravity = { x: GRAVITY / Math.sqrt(aspect), y: GRAVITY * Math.sqrt(aspect) };
    const weighed = weighByHubs(radii.length, links);
    const points = radii.map((_, place) => onSpiral(place));
    const pairs = Math.max(1, radii.length ** 2 / 2);
    const steps = Math.round(Math.min(MOST_STEPS, Math.max(FEWEST_STEPS, MOST_PAIRS / pairs)));
    const cooling = (LAST_MOVE / FIRST_MOVE) ** (1 / steps);
    for (let step = 0, move = FIRST_MOVE; step < steps; step++, move *= cooling) {
        const forces = points.map(({ x, y }) => ({ x: -gravity.x * x, y: -gravity.y * y }));
        repel(points, forces);
        attract(points, weighed, forces);
        points.forEach((point, place) => push(point, forces[place], move));
    }
    for (let turn = 0; turn < MOST_SEPARATIONS && separate(points, radii); turn++);
    return points;
}

/**
 * How strongly each relation draws: the weaker the more relations one of its ends has.
 * @param {number} size of the graph
 * @param {readonly Link[]} links
 * @returns {Link[]}
 */
function weighByHubs(size, links) {
    const degrees = Array(size).fill(0);
    for (const { from, to } of links) {
        degrees[from] += 1;
        degrees[to] += 1;
    }
    return links.map(({ from, to, strength }) =>
        ({ from, to, strength: (0.3 + 0.7 * strength) / Math.sqrt(Math.max(degrees[from], degrees[to])) }));
}

/**
 * The first place of a node: evenly spread, like the seeds of a sunflower.
 * @param {number} place
 * @returns {Point}
 */
function onSpiral(place) {
    const distance = SPACING * 0.6 * Math.sqrt(place + 0.5);
    return { x: distance * Math.cos(place * GOLDEN_ANGLE), y: distance * Math.sin(place * GOLDEN_ANGLE) };
}

/**
 * @param {readonly Point[]} points
 * @param {Point[]} forces
 */
function repel(points, forces) {
    for (let one = 0; one < points.length; one++) {
        for (let other = one + 1; other < points.length; other++) {
            const x = points[one].x - points[other].x;
            const y = points[one].y - points[other].y;
            const square = x * x + y * y;
            if (square > FARTHEST_REPELLED ** 2) continue;
            const strength = SPACING ** 2 / Math.max(1, square);
            forces[one].x += x * strength;
            forces[one].y += y * strength;
            forces[other].x -= x * strength;
            forces[other].y -= y * strength;
        }
    }
}

/**
 * @param {readonly Point[]} points
 * @param {readonly Link[]} links
 * @param {Point[]} forces
 */
function attract(points, links, forces) {
    for (const { from, to, strength } of links) {
        const x = points[to].x - points[from].x;
        const y = points[to].y - points[from].y;
        forces[from].x += x * strength;
        forces[from].y += y * strength;
        forces[to].x -= x * strength;
        forces[to].y -= y * strength;
    }
}

/**
 * @param {Point} point is moved
 * @param {Point} force
 * @param {number} most how far at most
 */
function push(point, force, most) {
    const length = Math.hypot(force.x, force.y);
    if (length === 0) return;
    const share = Math.min(length, most) / length;
    point.x += force.x * share;
    point.y += force.y * share;
}

/**
 * Push apart what overlaps.
 * @param {Point[]} points
 * @param {readonly number[]} radii
 * @returns {boolean} whether something did
 */
function separate(points, radii) {
    let hasMoved = false;
    for (let one = 0; one < points.length; one++) {
        for (let other = one + 1; other < points.length; other++) {
            const x = points[other].x - points[one].x;
            const y = points[other].y - points[one].y;
            const distance = Math.hypot(x, y);
            const lacking = radii[one] + radii[other] + GAP - distance;
            if (lacking <= 0) continue;
            hasMoved = true;
            const direction = distance > 0 ? { x: x / distance, y: y / distance } : { x: 1, y: 0 };
            points[one].x -= direction.x * lacking / 2;
            points[one].y -= direction.y * lacking / 2;
            points[other].x += direction.x * lacking / 2;
            points[other].y += direction.y * lacking / 2;
        }
    }
    return hasMoved;
}
