/**
 * The wire, as the page sees it: names, versions and types. `docs/protocol.md` says what each field means.
 *
 * @typedef {{ key: string, role: 0|1|2, name: number, hidden: boolean }} Row
 * @typedef {{ keep: number, base: string, names: string[], rows: (Row|null)[] }} MessageList
 * @typedef {{ floor: number, key: string, text: string, swipes: string[] }} Text
 * @typedef {{ name: string, owner: string, group: boolean, user_name: string, character_name: string }} ChatIdentity
 * @typedef {{ version: number, lineage: string, chat: string, owner: string, rev: number,
 *     head: string, messages: number, owner_gone?: boolean, chat_gone?: boolean }} CopyHead
 *
 * @typedef {null|boolean|number|string|JsonArray|JsonObject} Json
 * @typedef {Json[]} JsonArray
 * @typedef {{ [key: string]: Json }} JsonObject
 *
 * @typedef {{ lineage: string, base_rev: number, rev: number, steps: JsonArray[] }} StatePatch
 * @typedef {{ code: string, level: 'info'|'warning'|'error', data: JsonObject }} Notice
 * @typedef {{ lineage: string, task: string, state: 'waiting'|'running'|'paused'|'done'|'failed'|'cancelled',
 *     done: number, total: number, reason: string }} Job
 * @typedef {{ request: string, page: string, task: string, profile: string, system: string, user: string,
 *     max_tokens: number, temperature: number, json_schema: JsonObject|null, urgent: boolean }} LlmRequest
 * @typedef {{ ok: boolean, model: string, ms: number, dimension: number, code: string, reason: string }} ModelTested
 * @typedef {{ name: string, version: string, api_min: number, api_max: number, paired: boolean,
 *     models: { chat: string, embedding: string }|null, queue: number|null }} Hello
 * @typedef {{ token?: string, paired?: false, allow_url?: string }} PairAnswer
 * @typedef {{ lineage: string, need: number[], need_copy: boolean, read_only: boolean, elsewhere: boolean,
 *     patch: StatePatch|null, notices: Notice[] }} Attached
 * @typedef {{ need: number[] }} Received
 * @typedef {{ node_id: string, type: string, section: string, reason: string, score: number, text: string }} Item
 * @typedef {{ text: string, steady: string, parts: { [section: string]: string }, tokens: number, position: number, depth: number, role: number, items: Item[],
 *     timings_ms: { [stage: string]: number }, degraded: string[], need: number[] }} Recalled
 * @typedef {{ records: number, operations: number, refused: number, calls: number, pending: number,
 *     reason: string, failed: number }} Extracted
 * @typedef {{ messages: number, calls: number, tokens: number, state: ''|'running'|'paused', done: number,
 *     total: number, reason: string }} CatchUpState
 * @typedef {{ records: number, calls: number, failed: number, made: string[] }} Tended
 * @typedef {{ id: string, type: string, name: string, importance: number, edges: number, pinned: boolean,
 *     found: boolean, archived: boolean }} DrawnNode
 * @typedef {{ from_id: string, to_id: string, relation: string, strength: number }} DrawnEdge
 * @typedef {{ nodes: DrawnNode[], edges: DrawnEdge[], total: number, types: { [type: string]: number } }} Drawing
 * @typedef {{ id: string, type: string, name: string, relation: string, outward: boolean }} Neighbour
 * @typedef {{ id: string, type: string, name: string, fields: { [field: string]: string }, importance: number,
 *     archived: boolean, pinned: boolean, by_user: boolean, time: string, place: string, owner: string,
 *     sources: { floor: number, name: string, text: string }[], neighbours: Neighbour[] }} MemoryCard
 * @typedef {{ messages: number, pending: number, last_floor: number, active: number, archived: number, pinned: number,
 *     summaries: number, edges: number, records: number, by_type: { [type: string]: number }, texts: number,
 *     vectors: number }} Statistics
 * @typedef {{ texts: number, model: string, is_local: boolean }} Renewed
 * @typedef {{ lineage: string, name: string, messages: number }} OtherChat
 * @typedef {{ memories: number, total: number, record: string }} Brought
 * @typedef {{ version: number, records: number, resting: number, nodes: number, edges: number,
 *     made: string[], off: string[], notices: Notice[] }} Imported
 * @typedef {{ type: string, name: string }} Subject
 * @typedef {{ action: string, about: Subject, to: Subject|null, relation: string, owner: string, on: boolean,
 *     fields: { [field: string]: string }, refused: string, detail: string }} Said
 * @typedef {{ id: string, n: number, kind: string, time: number, cause: string, model: string, tokens: number,
 *     state: 'live'|'dormant'|'waiting'|'off', floors: number[], absent: number, operations: Said[],
 *     target: string, comparisons: number }} RecordEntry
 * @typedef {{ entries: RecordEntry[], more: boolean }} RecordList
 * @typedef {{ lineage: string, rev: number, state: JsonObject }} WholeState
 * @typedef {{ day: string, lineage: string, chat: string, task: string, calls: number, prompt_tokens: number,
 *     answer_tokens: number }} UsageEntry
 * @typedef {{ today: string, calls: number, tokens: number, budget: number, entries: UsageEntry[] }} UsageReport
 *
 * @typedef {{ [language: string]: string }} Words
 * @typedef {{ value: string, label: Words }} Choice
 * @typedef {{ key: string, group: string, kind: 'bool'|'int'|'float'|'text'|'lines'|'choice'|'secret', default: Json,
 *     label: Words, help: Words, unit: string, minimum: number|null, maximum: number|null, choices: Choice[],
 *     choices_from: ''|'profiles', show_if: [string, string]|null, advanced: boolean }} SettingSpec
 * @typedef {{ groups: { id: string, label: Words }[], settings: SettingSpec[], values: JsonObject,
 *     secrets: { [key: string]: string }, told?: boolean }} SettingsAnswer
 *
 * @typedef {'normal'|'swipe'|'regenerate'|'continue'|'impersonate'|'quiet'} GenerationType
 * @typedef {{ id: number, name: string, data: JsonObject }} ServerEvent
 */

export const SERVER_NAME = 'st-bme-bridge';
export const API_VERSION = 1;
export const DEFAULT_SERVER_URL = 'http://127.0.0.1:8791';

/** The server answered with an error; `code` is the same whichever way the answer came. */
export class Refused extends Error {
    /**
     * @param {string} code
     * @param {string} message
     */
    constructor(code, message) {
        super(message);
        this.code = code;
    }
}

/** No answer of our server: nothing came, it came too late, nobody waits any more, or another program answered. */
export class Unreachable extends Error {
    /**
     * @param {'network'|'timeout'|'stopped'|'not_ours'} kind
     * @param {string} message
     */
    constructor(kind, message) {
        super(message);
        this.kind = kind;
    }
}

/**
 * Random id of a command or of this page. `crypto.randomUUID` is missing on plain HTTP.
 * @returns {string}
 */
export function randomId() {
    const bytes = crypto.getRandomValues(new Uint8Array(12));
    return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
}

/** Cuts a stream of server-sent events into frames; bytes may be cut anywhere. */
export class FrameReader {
    #rest = '';

    /**
     * Frames that are complete now. A comment (the heartbeat) is none.
     * @param {string} text
     * @returns {ServerEvent[]}
     */
    push(text) {
        // A carriage return at the end may be half of a line end; it waits for the next piece.
        const all = this.#rest + text;
        const held = all.endsWith('\r') ? '\r' : '';
        const blocks = all.slice(0, all.length - held.length).replace(/\r\n?/g, '\n').split('\n\n');
        this.#rest = (blocks.pop() ?? '') + held;
        return blocks.map(readFrame).filter(frame => frame !== null);
    }
}

/**
 * @param {string} block
 * @returns {ServerEvent|null}
 */
function readFrame(block) {
    let id = NaN;
    let name = '';
    /** @type {string[]} */
    const data = [];
    for (const line of block.split('\n')) {
        const colon = line.indexOf(':');
        const field = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
        if (field === 'id') id = Number(value);
        if (field === 'event') name = value;
        if (field === 'data') data.push(value);
    }
    if (name === '' || data.length === 0) return null;
    return { id, name, data: JSON.parse(data.join('\n')) };
}
