/**
 * SillyTavern's connections to models, on behalf of the server.
 *
 * @typedef {{ system: string, user: string, maxTokens: number, temperature: number }} ModelPrompt
 * @typedef {{ text: string, model: string, promptTokens: number, completionTokens: number }} ModelAnswer tokens 0: not told
 */

import { context } from './host.js';
import { breakMacros } from './injection.js';

const REQUEST_EVENTS = ['CHAT_COMPLETION_SETTINGS_READY', 'TEXT_COMPLETION_SETTINGS_READY'];
/** What the length of an answer is called in requests, by provider. */
const LENGTH_FIELDS = ['max_tokens', 'max_completion_tokens', 'max_new_tokens', 'n_predict', 'num_predict'];

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
