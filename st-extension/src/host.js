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
 * @property {any} SlashCommandParser
 * @property {any} SlashCommand
 * @property {any} SlashCommandArgument
 *
 * @typedef {{ system: string, user: string, maxTokens: number, temperature: number }} ModelPrompt
 * @typedef {{ text: string, model: string, promptTokens: number, completionTokens: number }} ModelAnswer tokens 0: not told
 */

import { breakMacros } from './injection.js';

const SETTINGS_KEY = 'st_bme_bridge';
const COPY_KEY = 'st_bme_graph';
const PROMPT_KEY = 'st_bme_bridge';
const REQUEST_EVENTS = ['CHAT_COMPLETION_SETTINGS_READY', 'TEXT_COMPLETION_SETTINGS_READY'];
/** What the length of an answer is called in requests, by provider. */
const LENGTH_FIELDS = ['max_tokens', 'max_completion_tokens', 'max_new_tokens', 'n_predict', 'num_predict'];
const SAVE_PATHS = ['/api/chats/save', '/api/chats/group/save'];

/** @returns {Context} */
function context() {
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

/** @returns {string} SillyTavern's mark of this chat: kept by a rename, made anew for a branch */
export function integrity() {
    return String(context().chatMetadata.integrity ?? '');
}

/** @param {JsonObject} copy */
export function writeCopy(copy) {
    context().chatMetadata[COPY_KEY] = copy;
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
 * @param {string} text "" for none
 * @param {number} position
 * @param {number} depth
 * @param {number} role
 */
export function setPrompt(text, position, depth, role) {
    context().setExtensionPrompt(PROMPT_KEY, text, position, depth, false, role);
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
 * Ask the model of a connection profile. The profile in use stays the one in use, and no event is sent.
 * @param {string} profile its id
 * @param {ModelPrompt} prompt
 * @param {AbortSignal} signal
 * @returns {Promise<ModelAnswer>}
 */
export async function askProfile(profile, { system, user, maxTokens, temperature }, signal) {
    const { ConnectionManagerRequestService: service, extensionSettings, extractMessageFromData } = context();
    const messages = [{ role: 'system', content: system }, { role: 'user', content: user }];
    // With a JSON schema SillyTavern throws away what is no JSON: it is asked for plain text.
    const how = { stream: false, extractData: !extractMessageFromData, includePreset: true, includeInstruct: true, signal };
    const data = await service.sendRequest(profile, messages, maxTokens, how, { temperature });
    if (!extractMessageFromData) return textOnly(data.content);
    const profiles = extensionSettings.connectionManager.profiles;
    const { mode } = profiles.find((/** @type {{ id: string }} */ { id }) => id === profile);
    return readAnswer(data, mode === 'tc' ? 'textgenerationwebui' : 'openai');
}

/**
 * Ask the model that SillyTavern is connected to. It can be stopped by nothing but the user's Stop.
 * @param {ModelPrompt} prompt
 * @returns {Promise<ModelAnswer>}
 */
export async function askCurrent(prompt) {
    const { generateRawData, generateRaw, extractMessageFromData, mainApi } = context();
    const request = { systemPrompt: breakMacros(prompt.system), prompt: breakMacros(prompt.user) };
    const restore = shapeRequest(prompt, request.prompt);
    try {
        if (generateRawData && extractMessageFromData) return readAnswer(await generateRawData(request), mainApi);
        return textOnly(await generateRaw(request));
    } finally {
        restore();
    }
}

/**
 * Give our own request its length and temperature on its way out. Asking `generateRaw` for a length would change the
 * user's own setting until the answer is there.
 * @param {ModelPrompt} prompt
 * @param {string} text by which the request is known among others
 * @returns {() => void}
 */
function shapeRequest({ maxTokens, temperature }, text) {
    const { eventSource, eventTypes, maxContext } = context();
    const length = Math.min(maxTokens, Math.floor(maxContext / 2));
    const events = REQUEST_EVENTS.map(name => eventTypes[name]).filter(event => event !== undefined);
    const shape = (/** @type {{ [key: string]: any }} */ body) => {
        if (!String(body.messages?.at(-1)?.content ?? body.prompt).includes(text.trim())) return;
        for (const field of LENGTH_FIELDS) if (body[field] < length) body[field] = length;
        if (typeof body.temperature === 'number') body.temperature = temperature;
    };
    for (const event of events) eventSource.on(event, shape);
    return () => events.forEach(event => eventSource.removeListener(event, shape));
}

/**
 * All that older versions of SillyTavern give.
 * @param {string} text
 * @returns {ModelAnswer}
 */
function textOnly(text) {
    return { text, model: '', promptTokens: 0, completionTokens: 0 };
}

/**
 * @param {any} data what the provider sent
 * @param {string} api
 * @returns {ModelAnswer}
 */
function readAnswer(data, api) {
    const usage = data?.usage ?? {};
    return {
        text: String(context().extractMessageFromData?.(data, api) ?? ''),
        model: String(data?.model ?? ''),
        promptTokens: Number(usage.prompt_tokens ?? usage.input_tokens ?? 0),
        completionTokens: Number(usage.completion_tokens ?? usage.output_tokens ?? 0),
    };
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

/** @returns {HTMLElement|null} where extensions put their settings */
export function settingsColumn() {
    return document.getElementById('extensions_settings2') ?? document.getElementById('extensions_settings');
}

/**
 * @param {string} name
 * @param {string} help
 * @param {{ description: string, required: boolean }|null} argument
 * @param {(text: string) => Promise<string>} run
 */
export function addSlashCommand(name, help, argument, run) {
    const { SlashCommandParser, SlashCommand, SlashCommandArgument } = context();
    SlashCommandParser.addCommandObject(SlashCommand.fromProps({
        name,
        helpString: help,
        returns: 'text',
        unnamedArgumentList: argument === null ? [] : [
            SlashCommandArgument.fromProps({ description: argument.description, isRequired: argument.required }),
        ],
        callback: (/** @type {unknown} */ _named, /** @type {unknown} */ unnamed) => run(String(unnamed ?? '')),
    }));
}
