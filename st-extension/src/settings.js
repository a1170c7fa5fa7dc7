/**
 * What the user set. Values live in SillyTavern's settings, only those that differ from the server's defaults; the
 * schema is the server's, kept in the browser for when it is away.
 *
 * @typedef {import('./connection.js').Connection} Connection
 * @typedef {import('./protocol.js').Json} Json
 * @typedef {import('./protocol.js').JsonObject} JsonObject
 * @typedef {import('./protocol.js').SettingSpec} SettingSpec
 * @typedef {import('./protocol.js').SettingsAnswer} SettingsAnswer
 * @typedef {Pick<SettingsAnswer, 'groups'|'settings'>} Schema
 *
 * @typedef {object} SettingsHost
 * @property {() => { [key: string]: any }} storedSettings
 * @property {() => void} saveSettings
 */

import { DEFAULT_SERVER_URL, Refused } from './protocol.js';
import { logDebug, logWarning } from './log.js';

const SCHEMA_KEY = 'st_bme_bridge.schema';

/** @typedef {'not_a_number'|'not_whole'|'too_small'|'too_large'|'not_a_choice'} Fault */

/**
 * The value that a text of the form stands for, or what is wrong with it.
 * @param {SettingSpec} spec
 * @param {string|boolean} given
 * @returns {{ value: Json }|{ fault: Fault }}
 */
export function readValue(spec, given) {
    if (spec.kind === 'bool') return { value: given === true };
    const text = String(given);
    if (spec.kind === 'text' || spec.kind === 'lines' || spec.choices_from) return { value: text };
    if (spec.kind === 'choice') {
        return spec.choices.some(choice => choice.value === text) ? { value: text } : { fault: 'not_a_choice' };
    }
    const number = text.trim() === '' ? NaN : Number(text.replace(',', '.'));
    if (!Number.isFinite(number)) return { fault: 'not_a_number' };
    if (spec.kind === 'int' && !Number.isSafeInteger(number)) return { fault: 'not_whole' };
    if (spec.minimum !== null && number < spec.minimum) return { fault: 'too_small' };
    if (spec.maximum !== null && number > spec.maximum) return { fault: 'too_large' };
    return { value: number };
}

export class Settings {
    #host;
    #connection;
    /** @type {Schema} */
    #schema = readCachedSchema();
    /** The end of each secret that the server keeps. @type {{ [key: string]: string }} */
    #secrets = {};
    /** What a refused change said, "" for none. */
    refusal = '';

    /**
     * @param {SettingsHost} host
     * @param {Connection} connection
     */
    constructor(host, connection) {
        this.#host = host;
        this.#connection = connection;
    }

    get schema() {
        return this.#schema;
    }

    get isEnabled() {
        return this.#host.storedSettings().enabled === true;
    }

    set isEnabled(enabled) {
        this.#host.storedSettings().enabled = enabled;
        this.#host.saveSettings();
    }

    /** @returns {string} */
    get serverUrl() {
        const url = this.#host.storedSettings().serverUrl;
        return typeof url === 'string' && url !== '' ? url : DEFAULT_SERVER_URL;
    }

    set serverUrl(url) {
        this.#host.storedSettings().serverUrl = url;
        this.#host.saveSettings();
    }

    get isAdvancedView() {
        return this.#host.storedSettings().advanced === true;
    }

    set isAdvancedView(advanced) {
        this.#host.storedSettings().advanced = advanced;
        this.#host.saveSettings();
    }

    /** @returns {JsonObject} what the server is told: all that differs from its defaults, the switch with it */
    get sentValues() {
        return this.isEnabled ? { ...this.values, enabled: true } : { ...this.values };
    }

    /** @returns {JsonObject} values that differ from the defaults */
    get values() {
        const stored = this.#host.storedSettings();
        const isUsable = stored.settings !== null && typeof stored.settings === 'object';
        if (!isUsable || Array.isArray(stored.settings)) stored.settings = {};
        return stored.settings;
    }

    /**
     * @param {SettingSpec} spec
     * @returns {Json}
     */
    valueOf(spec) {
        return Object.hasOwn(this.values, spec.key) ? this.values[spec.key] : spec.default;
    }

    /** How long a reply waits for a model to choose among the memories, in milliseconds; 0 where none chooses. */
    get choiceLimitMs() {
        return this.valueAt('recallEnableLLM') === true ? Number(this.valueAt('recallLLMTimeoutS')) * 1000 : 0;
    }

    /**
     * @param {string} key
     * @returns {Json|undefined} the value in force, as far as this page knows the setting
     */
    valueAt(key) {
        const spec = this.#schema.settings.find(({ key: known }) => known === key);
        return spec && this.valueOf(spec);
    }

    /**
     * @param {SettingSpec} spec
     * @returns {string} its end, "" if the server has none
     */
    secretEnd(spec) {
        return this.#secrets[spec.key] ?? '';
    }

    /**
     * Give the server a secret, or take it back with "". It goes nowhere else: SillyTavern's settings are plain text.
     * @param {SettingSpec} spec
     * @param {string} secret
     */
    async changeSecret(spec, secret) {
        this.refusal = '';
        try {
            const values = { [spec.key]: secret === '' ? null : secret };
            const answer = /** @type {SettingsAnswer} */ (await this.#connection.command('settings/set', { values }));
            this.#secrets = answer.secrets;
        } catch (error) {
            this.refusal = error instanceof Error ? error.message : String(error);
        }
    }

    /**
     * Keep a value, and tell the server; without it, it is told when the next chat is opened.
     * @param {SettingSpec} spec
     * @param {Json} value
     */
    async change(spec, value) {
        const isDefault = JSON.stringify(value) === JSON.stringify(spec.default);
        const before = this.values[spec.key];
        this.#keep(spec.key, isDefault ? undefined : value);
        this.refusal = '';
        if (!this.#connection.isUp) return;
        try {
            await this.#connection.command('settings/set', { values: { [spec.key]: isDefault ? null : value } });
        } catch (error) {
            if (!(error instanceof Refused)) return;
            this.refusal = error.message;
            this.#keep(spec.key, before);
        }
    }

    /** Every value back to its default. Keys stay: they are forgotten one by one. */
    async resetAll() {
        this.#host.storedSettings().settings = {};
        this.#host.saveSettings();
        if (this.#connection.isUp) await this.#send(this.#allValues());
    }

    /** The server is there: its schema is taken over, and it takes over the values of this page. */
    async meet() {
        try {
            const answer = await this.#fetch();
            const wanted = this.#allValues();
            const differs = Object.entries(wanted).some(([key, value]) => (answer.values[key] ?? null) !== value);
            if (differs) await this.#send(wanted);
        } catch (error) {
            logWarning('the settings could not be brought to the server', error);
        }
    }

    /** The values were changed elsewhere: this page takes them over. */
    async adopt() {
        try {
            const answer = await this.#fetch();
            // A server that was started anew knows none; this page brings its own.
            if (answer.told === false) return;
            // The switch above all settings is kept beside them.
            const { enabled: _enabled, ...values } = answer.values;
            this.#host.storedSettings().settings = values;
            this.#host.saveSettings();
        } catch (error) {
            logWarning('the settings could not be read from the server', error);
        }
    }

    /** @returns {Promise<SettingsAnswer>} whose schema is kept */
    async #fetch() {
        const answer = /** @type {SettingsAnswer} */ (await this.#connection.command('settings/get', {}));
        this.#schema = { groups: answer.groups, settings: answer.settings };
        this.#secrets = answer.secrets ?? {};
        localStorage.setItem(SCHEMA_KEY, JSON.stringify(this.#schema));
        return answer;
    }

    /** @param {JsonObject} values null: the default */
    async #send(values) {
        this.refusal = '';
        try {
            await this.#connection.command('settings/set', { values });
        } catch (error) {
            if (!(error instanceof Refused)) return;
            this.refusal = error.message;
            logWarning('the server refused settings:', error.message);
        }
    }

    /** @returns {JsonObject} of each setting that the server has; those at their default are null */
    #allValues() {
        const sent = this.sentValues;
        const plain = this.#schema.settings.filter(({ kind }) => kind !== 'secret');
        return Object.fromEntries(plain.map(({ key }) => [key, sent[key] ?? null]));
    }

    /**
     * @param {string} key
     * @param {Json|undefined} value
     */
    #keep(key, value) {
        if (value === undefined) delete this.values[key];
        else this.values[key] = value;
        this.#host.saveSettings();
    }
}

/** @returns {Schema} */
function readCachedSchema() {
    try {
        const cached = JSON.parse(localStorage.getItem(SCHEMA_KEY) ?? 'null');
        if (Array.isArray(cached?.groups) && Array.isArray(cached?.settings)) return cached;
    } catch (error) {
        logDebug('the cached schema is unreadable', error);
    }
    return { groups: [], settings: [] };
}
