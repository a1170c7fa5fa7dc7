/**
 * The memory text in SillyTavern's prompt. Extension prompts stay until they are overwritten, so that ours are there
 * only from the interceptor to the end of that one generation.
 *
 * @typedef {import('./protocol.js').Recalled} Recalled
 * @typedef {'recalled'|'steady'} Block which of the two texts: the steady one stands early, since it seldom changes
 * @typedef {(block: Block, text: string, position: number, depth: number, role: number) => void} SetPrompt
 */

const POSITIONS = [0, 1, 2];
const ROLES = [0, 1, 2];
const NOWHERE = -1;
const AFTER_MAIN_PROMPT = 0;
const IN_CHAT = 1;
const DEFAULT_DEPTH = 4;
const SYSTEM = 0;
const PROBE_LENGTH = 60;

export class Injection {
    #setPrompt;
    #text = '';
    #steady = '';
    /** For macros, by name; that of the whole is "". @type {Map<string, string>} */
    #parts = new Map();
    /** What was shown last in this chat, also once it was cleared. @type {Recalled|null} */
    #last = null;

    /** @param {SetPrompt} setPrompt */
    constructor(setPrompt) {
        this.#setPrompt = setPrompt;
    }

    get isEmpty() {
        return this.#text === '' && this.#steady === '' && !this.#parts.get('');
    }

    /**
     * SillyTavern loses the whole prompt if position or role is no number that it knows.
     * @param {Recalled} recalled
     */
    show(recalled) {
        const { text, steady, parts, position, depth, role } = recalled;
        this.clear();
        this.#last = recalled;
        if (position === NOWHERE) {
            this.#parts = new Map(Object.entries({ ...parts, '': text }).map(([name, part]) => [name, breakMacros(part)]));
            return;
        }
        this.#text = breakMacros(text);
        this.#steady = breakMacros(steady ?? '');
        if (this.#steady !== '') this.#setPrompt('steady', this.#steady, AFTER_MAIN_PROMPT, DEFAULT_DEPTH, SYSTEM);
        this.#setPrompt(
            'recalled',
            this.#text,
            POSITIONS.includes(position) ? position : IN_CHAT,
            Number.isSafeInteger(depth) && depth >= 0 ? depth : DEFAULT_DEPTH,
            ROLES.includes(role) ? role : SYSTEM,
        );
    }

    /** What was put into the last prompt of this chat; null since the page was loaded. */
    get last() {
        return this.#last;
    }

    /** Another chat is open. */
    forget() {
        this.#last = null;
        this.clear();
    }

    clear() {
        this.#text = '';
        if (this.#steady !== '') this.#setPrompt('steady', '', AFTER_MAIN_PROMPT, DEFAULT_DEPTH, SYSTEM);
        this.#steady = '';
        this.#parts.clear();
        this.#setPrompt('recalled', '', IN_CHAT, DEFAULT_DEPTH, SYSTEM);
    }

    /**
     * What `{{bme}}` and `{{bme::part}}` stand for while a prompt is made.
     * @param {string} part "" for all
     * @returns {string}
     */
    macro(part) {
        return this.#parts.get(part) ?? '';
    }

    /**
     * Whether the text is in a text-completion prompt that is about to be put together.
     * @param {unknown} data what GENERATE_BEFORE_COMBINE_PROMPTS brings
     * @returns {boolean}
     */
    isIn(data) {
        const { storyString, beforeScenarioAnchor, afterScenarioAnchor, finalMesSend } = /** @type {any} */ (Object(data));
        const messages = Array.isArray(finalMesSend) ? finalMesSend : [];
        const parts = messages.flatMap(item => [item?.message, ...Array.from(item?.extensionPrompts ?? [])]);
        // SillyTavern trims the text and joins it with others; a line in the middle stays as it is.
        const lines = (this.#text || this.#steady).split('\n').map(line => line.trim());
        const longest = lines.reduce((one, other) => (other.length > one.length ? other : one), '');
        const probe = longest.slice(0, PROBE_LENGTH);
        return [storyString, beforeScenarioAnchor, afterScenarioAnchor, ...parts].some(
            part => typeof part === 'string' && part.includes(probe),
        );
    }
}

/**
 * SillyTavern runs macros in extension prompts; a zero-width space keeps the text as it reads.
 * @param {string} text
 * @returns {string}
 */
export function breakMacros(text) {
    return text.replace(/\{(?=\{)/g, '{\u200b');
}
