/**
 * Labels of a drawing: how wide they are, and where they find room.
 *
 * @typedef {{ x: number, y: number, width: number, height: number }} Box `x` and `y` are its middle
 */

/**
 * About how wide a text is, in its own size: Chinese is twice as wide as Latin.
 * @param {string} text
 * @returns {number}
 */
export function widthOf(text) {
    return Array.from(text).reduce((width, character) => width + widthOfOne(character), 0);
}

/**
 * A text that is at most so wide, with a sign where it was cut.
 * @param {string} text
 * @param {number} most in its own size
 * @returns {string}
 */
export function cutToWidth(text, most) {
    if (widthOf(text) <= most) return text;
    let room = most - widthOf('…');
    const characters = Array.from(text);
    const end = characters.findIndex(character => (room -= widthOfOne(character)) < 0);
    return `${characters.slice(0, end).join('').trimEnd()}…`;
}

/** @param {string} character */
function widthOfOne(character) {
    return character > '\u2e7f' ? 1 : 0.56;
}

/**
 * A place for each label on which it covers nothing; those that come first choose first.
 * @param {readonly (readonly Box[])[]} choices of each label the places that it may take, the best first
 * @param {readonly Box[]} taken what no label may cover
 * @returns {(Box|undefined)[]} undefined for a label that finds no room
 */
export function placeLabels(choices, taken) {
    const covered = [...taken];
    return choices.map(boxes => {
        const free = boxes.find(box => covered.every(other => !meet(box, other)));
        if (free) covered.push(free);
        return free;
    });
}

/**
 * @param {Box} one
 * @param {Box} other
 * @returns {boolean} whether they lie on each other; edges may touch
 */
function meet(one, other) {
    return Math.abs(other.x - one.x) * 2 < other.width + one.width && Math.abs(other.y - one.y) * 2 < other.height + one.height;
}
