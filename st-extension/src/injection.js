/**
 * The memory text in SillyTavern's prompt. Extension prompts stay until they are overwritten, so that ours is there
 * only from the interceptor to the end of that one generation.
 *
 * @typedef {import('./protocol.js').Recalled} Recalled
 * @typedef {(text: string, position: number, depth: number, role: number) => void} SetPrompt
 */

const POSITIONS = [0, 1, 2];
const ROLES = [0, 1, 2];
const IN_CHAT = 1;
const DEFAULT_DEPTH = 4;
const SYSTEM = 0;
const PROBE_LENGTH = 60;

export class Injection {
    #setPrompt;
    #text = '';

    /** @param {SetPrompt} setPrompt */
    constructor(setPrompt) {
        this.#setPrompt = setPrompt;
    }

    get isEmpty() {
        return this.#text === '';
    }

    /**
     * SillyTavern loses the whole prompt if position or role is no number that it knows.
     * @param {Recalled} recalled
     */
    show({ text, position, depth, role }) {
        this.#text = breakMacros(text);
        this.#setPrompt(
            this.#text,
            POSITIONS.includes(position) ? position : IN_CHAT,
            Number.isSafeInteger(depth) && depth >= 0 ? depth : DEFAULT_DEPTH,
            ROLES.includes(role) ? role : SYSTEM,
        );
    }

    clear() {
        this.#text = '';
        this.#setPrompt('', IN_CHAT, DEFAULT_DEPTH, SYSTEM);
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
        const lines = this.#text.split('\n').map(line => line.trim());
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
