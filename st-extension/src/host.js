/**
 * All that touches SillyTavern. `getContext()` gives a snapshot: it is asked each time and never kept.
 *
 * @typedef {import('./protocol.js').ChatIdentity} ChatIdentity
 * @typedef {import('./protocol.js').Json} Json
 * @typedef {import('./protocol.js').JsonObject} JsonObject
 * @typedef {import('./transcript.js').ChatMessage} ChatMessage
 *
 * @typedef {object} EventSource
 * @property {(event: string, listener: (...args: any[]) => void) => void} on
 * @property {(event: string, listener: (...args: any[]) => void) => void} makeFirst
 * @property {(event: string, listener: (...args: any[]) => void) => void} removeListener
 *
 * @typedef {object} Context the part of SillyTavern's context that is used here
 * @property {ChatMessage[]} chat
 * @property {{ [key: string]: any }} chatMetadata
 * @property {{ avatar?: string }[]} characters
 * @property {string|number|undefined} characterId
 * @property {string|null} groupId
 * @property {string} name1
 * @property {string} name2
 * @property {string} mainApi
 * @property {{ messageId: number, isFinished: boolean, isStopped: boolean }|null} streamingProcessor
 * @property {{ [key: string]: any }} extensionSettings
 * @property {EventSource} eventSource
 * @property {{ [name: string]: string }} eventTypes
 * @property {() => string|undefined} getCurrentChatId
 * @property {{ id: string, chats: string[] }[]} groups
 * @property {() => { [name: string]: string }} getRequestHeaders
 * @property {() => void} saveSettingsDebounced
 * @property {() => Promise<void>} saveMetadata
 * @property {(key: string, value: string, position: number, depth: number, scan: boolean, role: number) => void}
 *     setExtensionPrompt
 * @property {(text: string, key: string) => string} translate
 * @property {() => string} getCurrentLocale
 * @property {string} onlineStatus
 * @property {number} maxContext
 * @property {any} ConnectionManagerRequestService
 * @property {((request: { systemPrompt: string, prompt: string }) => Promise<any>)|undefined} generateRawData
 * @property {(request: { systemPrompt: string, prompt: string }) => Promise<string>} generateRaw
 * @property {((data: any, api: string) => string)|undefined} extractMessageFromData
 * @property {{ register: (name: string, options: object) => void }|undefined} macros
 * @property {((name: string, value: () => string, description: string) => void)|undefined} registerMacro
 * @property {{ experimental_macro_engine?: boolean }|undefined} powerUserSettings
 * @property {(() => { [field: string]: string })|undefined} getCharacterCardFields
 * @property {((text: string) => Promise<number>)|undefined} getTokenCountAsync
 * @property {(content: HTMLElement, type: number, input: string, options: object) => Promise<unknown>} callGenericPopup
 * @property {{ DISPLAY: number }} POPUP_TYPE
 * @property {any} SlashCommandParser
 * @property {any} SlashCommand
 * @property {any} SlashCommandArgument
 * @property {any} SlashCommandNamedArgument
 */

const SETTINGS_KEY = 'st_bme_bridge';
const COPY_KEY = 'st_bme_graph';
const PROMPT_KEYS = { recalled: 'st_bme_bridge', steady: 'st_bme_bridge_steady' };
const CARD_FIELDS = ['system', 'description', 'personality', 'persona', 'scenario', 'jailbreak', 'charDepthPrompt'];
const SAVE_PATHS = ['/api/chats/save', '/api/chats/group/save'];

/** @returns {Context} taken anew each time, since SillyTavern replaces what is in it; for `host-*.js` too */
export function context() {
    return /** @type {any} */ (globalThis).SillyTavern.getContext();
}

/**
 * Call a function at each of SillyTavern's events of this name. SillyTavern awaits what listeners return, so that
 * nothing is ever returned to it.
 * @param {string} name key of `eventTypes`; unknown to older versions: never called
 * @param {(...args: any[]) => void} listener
 * @param {{ first?: boolean }} [options] first: before other extensions, which may take their time
 */
export function onEvent(name, listener, { first = false } = {}) {
    const { eventSource, eventTypes } = context();
    const event = eventTypes[name];
    if (event === undefined) return;
    /** @param {...any} args */
    const call = (...args) => {
        listener(...args);
    };
    if (first) eventSource.makeFirst(event, call);
    else eventSource.on(event, call);
}

/**
 * The open chat; null where SillyTavern keeps none (no character, temporary chat).
 * @returns {ChatIdentity|null}
 */
export function chatIdentity() {
    const { getCurrentChatId, groupId, characterId, characters, name1, name2 } = context();
    const name = getCurrentChatId();
    if (!name) return null;
    const avatar = characterId === undefined ? undefined : characters[Number(characterId)]?.avatar;
    return {
        name,
        owner: groupId ?? avatar ?? '',
        group: Boolean(groupId),
        user_name: name1 ?? '',
        character_name: groupId ? '' : name2 ?? '',
    };
}

/**
 * @param {string} avatar
 * @returns {boolean} whether SillyTavern has a character with this avatar file
 */
export function hasCharacter(avatar) {
    return context().characters.some(character => character.avatar === avatar);
}

/** @returns {readonly ChatMessage[]} */
export function chatMessages() {
    return context().chat;
}

/**
 * Floor of the reply that is being streamed into the chat, -1 for none.
 * @returns {number}
 */
export function streamingFloor() {
    const stream = context().streamingProcessor;
    return stream && !stream.isFinished && !stream.isStopped ? stream.messageId : -1;
}

/** @returns {string} name of the character whose turn it is; in a group the drafted member */
export function speaker() {
    return context().name2 ?? '';
}

/** @returns {boolean} */
export function isTextCompletion() {
    return context().mainApi !== 'openai';
}

/** @returns {string} what stands in the input box */
export function inputText() {
    const box = document.getElementById('send_textarea');
    return box instanceof HTMLTextAreaElement ? box.value : '';
}

/**
 * @param {string} text
 * @returns {Promise<number>} by the tokenizer that SillyTavern uses for the model
 */
export async function countTokens(text) {
    return await context().getTokenCountAsync?.(text) ?? 0;
}

/** @param {() => void} listener called at each change of what stands in the input box */
export function onInput(listener) {
    document.getElementById('send_textarea')?.addEventListener('input', listener);
}

/** @returns {string} of card and persona what stands in every prompt */
export function cardText() {
    const fields = context().getCharacterCardFields?.() ?? {};
    return CARD_FIELDS.map(name => fields[name] ?? '').join('\n').trim();
}

/** @returns {{ persona: string, card: string }} descriptions of who plays */
export function descriptions() {
    const fields = context().getCharacterCardFields?.() ?? {};
    const card = ['description', 'personality', 'scenario'].map(name => fields[name] ?? '');
    return { persona: fields.persona ?? '', card: card.filter(text => text !== '').join('\n').trim() };
}

/** @returns {number|undefined} first floor that the last prompt held */
export function lastInContext() {
    const floor = context().chatMetadata.lastInContextMessageId;
    return Number.isSafeInteger(floor) && floor >= 0 ? floor : undefined;
}

/** @returns {JsonObject|undefined} the copy of the graph in the chat's metadata */
export function readCopy() {
    const copy = context().chatMetadata[COPY_KEY];
    return copy !== null && typeof copy === 'object' ? copy : undefined;
}

/** @param {JsonObject} copy */
export function writeCopy(copy) {
    context().chatMetadata[COPY_KEY] = copy;
}

/** @returns {{ [name: string]: unknown }} the chat's own variables, as `{{getvar}}` reads them */
export function chatVariables() {
    return context().chatMetadata.variables ?? {};
}

/** @param {{ [name: string]: string|null }} changes null takes one away */
export function changeChatVariables(changes) {
    if (Object.keys(changes).length === 0) return;
    const variables = { ...chatVariables() };
    for (const [name, value] of Object.entries(changes)) {
        if (value === null) delete variables[name];
        else variables[name] = value;
    }
    context().chatMetadata.variables = variables;
}

/** Save the chat now. SillyTavern drops the save silently if another one is running for more than a second. */
export async function saveChat() {
    await context().saveMetadata();
}

/**
 * Call a function after each save of a chat that SillyTavern's server took. SillyTavern has no event for it.
 * @param {(startedAt: number) => void} listener with the start of the request, as `performance.now()` counts
 */
export function onChatSaved(listener) {
    const observer = new PerformanceObserver(list => {
        for (const entry of /** @type {PerformanceResourceTiming[]} */ (list.getEntries())) {
            const taken = entry.responseStatus === undefined || entry.responseStatus === 200;
            if (taken && SAVE_PATHS.includes(new URL(entry.name).pathname)) listener(entry.startTime);
        }
    });
    observer.observe({ type: 'resource' });
}

/**
 * @param {keyof typeof PROMPT_KEYS} block
 * @param {string} text "" for none
 * @param {number} position
 * @param {number} depth
 * @param {number} role
 */
export function setPrompt(block, text, position, depth, role) {
    context().setExtensionPrompt(PROMPT_KEYS[block], text, position, depth, false, role);
}

/**
 * A macro `{{name}}` and `{{name::argument}}`. SillyTavern's older engine knows no arguments: for it each one that may
 * be given is a macro of its own.
 * @param {string} name
 * @param {string} description
 * @param {readonly string[]} given
 * @param {(argument: string) => string} valueOf "" for none
 */
export function addMacro(name, description, given, valueOf) {
    const { macros, powerUserSettings, registerMacro } = context();
    macros?.register(name, {
        description,
        unnamedArgs: [{ name: 'part', optional: true }],
        handler: (/** @type {{ unnamedArgs: string[] }} */ { unnamedArgs }) => valueOf(unnamedArgs[0] ?? ''),
    });
    if (powerUserSettings?.experimental_macro_engine) return;
    for (const argument of ['', ...given]) {
        registerMacro?.(argument ? `${name}::${argument}` : name, () => valueOf(argument), description);
    }
}

/**
 * What this extension keeps in SillyTavern's settings; changes are kept by `saveSettings`.
 * @returns {{ [key: string]: any }}
 */
export function storedSettings() {
    const all = context().extensionSettings;
    all[SETTINGS_KEY] ??= {};
    return all[SETTINGS_KEY];
}

export function saveSettings() {
    context().saveSettingsDebounced();
}

/**
 * @param {string} english
 * @param {string} key
 * @returns {string} in the language that SillyTavern is shown in
 */
export function translate(english, key) {
    return context().translate(english, key);
}

/** @returns {'en'|'zh'} */
export function language() {
    return context().getCurrentLocale().startsWith('zh') ? 'zh' : 'en';
}

/** @returns {{ id: string, name: string }[]} SillyTavern's connection profiles; none where their extension is off */
export function connectionProfiles() {
    const { connectionManager, disabledExtensions } = context().extensionSettings;
    const isOff = Array.isArray(disabledExtensions) && disabledExtensions.includes('connection-manager');
    const profiles = isOff ? [] : connectionManager?.profiles;
    return Array.isArray(profiles) ? profiles.map(({ id, name }) => ({ id: String(id), name: String(name) })) : [];
}

/** @returns {boolean} whether SillyTavern is connected to a model */
export function isOnline() {
    return context().onlineStatus !== 'no_connection';
}

/** @returns {boolean} whether a reply, or another extension's text, is being made in this page */
export function isGenerating() {
    return document.body.dataset.generating === 'true';
}

/**
 * Tell the user something beside all else.
 * @param {string} title
 * @param {string} text
 * @returns {() => void} takes it away
 */
export function showToast(title, text) {
    const { toastr } = /** @type {any} */ (globalThis);
    const toast = toastr.warning(text, title, { timeOut: 0, extendedTimeOut: 0, closeButton: true, escapeHtml: true });
    return () => toastr.clear(toast);
}

/**
 * Show something over the page until the user closes it.
 * @param {HTMLElement} content
 */
export function showPopup(content) {
    const { callGenericPopup, POPUP_TYPE } = context();
    const options = { wider: true, large: true, allowVerticalScrolling: true };
    callGenericPopup(content, POPUP_TYPE.DISPLAY, '', options).catch(() => {});
}

/** @returns {HTMLElement|null} where extensions put their settings */
export function settingsColumn() {
    return document.getElementById('extensions_settings2') ?? document.getElementById('extensions_settings');
}
