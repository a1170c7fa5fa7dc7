/**
 * Steps that turn one copy of the graph into the next. The old copy is never changed: if a step fails, it stands.
 *
 * @typedef {import('./protocol.js').Json} Json
 * @typedef {import('./protocol.js').JsonArray} JsonArray
 * @typedef {import('./protocol.js').JsonObject} JsonObject
 */

const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/** A step that does not fit the copy. */
export class PatchFailed extends Error {}

/**
 * @param {Json} state
 * @param {readonly JsonArray[]} steps as `docs/protocol.md` describes them for `StatePatch`
 * @returns {JsonObject} shares what did not change with the old one
 */
export function applySteps(state, steps) {
    const root = { '': state };
    /** Containers made by this patch, which may be changed in place. @type {Set<object>} */
    const own = new Set([root]);
    for (const step of steps) applyStep(root, step, own);
    const result = root[''];
    if (result === null || typeof result !== 'object' || Array.isArray(result)) {
        throw new PatchFailed('the steps do not end in an object');
    }
    return result;
}

/**
 * @param {JsonObject} root
 * @param {JsonArray} step
 * @param {Set<object>} own
 */
function applyStep(root, step, own) {
    const [kind, given] = step;
    if (!Array.isArray(given)) throw new PatchFailed('a step has no path');
    const path = ['', ...given];
    const last = path[path.length - 1];
    let parent = /** @type {any} */ (root);
    for (const part of path.slice(0, -1)) parent = ownChild(parent, part, own);
    if (kind === 'set') setAt(parent, last, step[2]);
    else if (kind === 'delete') deleteAt(parent, last);
    else if (kind === 'splice') parent[checked(parent, last)] = splice(parent[/** @type {string} */ (last)], step);
    else throw new PatchFailed(`unknown step ${String(kind)}`);
}

/**
 * The container at a part of the path, copied first if it still belongs to the old state.
 * @param {any} parent
 * @param {Json} part
 * @param {Set<object>} own
 * @returns {any}
 */
function ownChild(parent, part, own) {
    const key = checked(parent, part);
    const child = parent[key];
    if (child === null || typeof child !== 'object') throw new PatchFailed(`nothing to step into at ${key}`);
    if (own.has(child)) return child;
    const copy = Array.isArray(child) ? child.slice() : { ...child };
    own.add(copy);
    parent[key] = copy;
    return copy;
}

/**
 * @param {any} parent
 * @param {Json} part
 * @returns {string|number} a key that is there
 */
function checked(parent, part) {
    const key = keyFor(parent, part);
    if (!Object.hasOwn(parent, key)) throw new PatchFailed(`nothing at ${key}`);
    return key;
}

/**
 * @param {any} parent
 * @param {Json} part
 * @returns {string|number} a key that fits the container
 */
function keyFor(parent, part) {
    const fits = Array.isArray(parent) ? Number.isSafeInteger(part) : typeof part === 'string';
    if (!fits || FORBIDDEN_KEYS.has(String(part))) throw new PatchFailed(`no key: ${JSON.stringify(part)}`);
    return /** @type {string|number} */ (part);
}

/**
 * @param {any} parent
 * @param {Json} part
 * @param {Json|undefined} value
 */
function setAt(parent, part, value) {
    const key = keyFor(parent, part);
    const isOutside = Array.isArray(parent) && (Number(key) < 0 || Number(key) > parent.length);
    if (value === undefined || isOutside) throw new PatchFailed(`cannot set ${key}`);
    parent[key] = value;
}

/**
 * @param {any} parent
 * @param {Json} part
 */
function deleteAt(parent, part) {
    const key = checked(parent, part);
    if (Array.isArray(parent)) parent.splice(Number(key), 1);
    else delete parent[key];
}

/**
 * @param {Json} value
 * @param {JsonArray} step
 * @returns {Json}
 */
function splice(value, [, , start, count, items]) {
    const at = Number(start);
    const gone = Number(count);
    const isList = Array.isArray(value) && Array.isArray(items);
    const isText = typeof value === 'string' && typeof items === 'string';
    if (!isList && !isText) throw new PatchFailed('splice needs two lists or two texts');
    if (!(at >= 0 && gone >= 0 && at + gone <= value.length)) throw new PatchFailed('splice reaches outside');
    if (isText) return value.slice(0, at) + items + value.slice(at + gone);
    return [...value.slice(0, at), .../** @type {JsonArray} */ (items), ...value.slice(at + gone)];
}
