/**
 * The settings, drawn from the schema that the server sends.
 *
 * @typedef {import('../protocol.js').Json} Json
 * @typedef {import('../protocol.js').SettingSpec} SettingSpec
 * @typedef {import('../protocol.js').Words} Words
 * @typedef {import('../settings.js').Settings} Settings
 */

import { language } from '../host.js';
import { readValue } from '../settings.js';
import { make, makeButton, show } from './dom.js';
import { say } from './texts.js';

/** The switch above all settings has a place of its own in the panel. */
const DRAWN_ELSEWHERE = new Set(['enabled']);

export class SettingsForm {
    #settings;
    #list = make('div', { className: 'st-bme-groups' });
    #empty = make('div', { className: 'st-bme-note' });
    #search = make('input', { type: 'search', className: 'text_pole' });
    #advanced = make('input', { type: 'checkbox' });

    /** @param {Settings} settings */
    constructor(settings) {
        this.#settings = settings;
        this.#search.placeholder = say('bme.settings.search');
        this.#search.ariaLabel = say('bme.settings.search');
        this.#search.addEventListener('input', () => this.draw());
        this.#advanced.addEventListener('change', () => this.draw());
        const advanced = make('label', { className: 'checkbox_label' }, this.#advanced, say('bme.settings.advanced'));
        const bar = make('div', { className: 'st-bme-row' }, this.#search, advanced);
        this.element = make('div', { className: 'st-bme-settings' }, bar, this.#empty, this.#list);
    }

    /** Draw what the schema, the search and the view ask for. */
    draw() {
        const { groups, settings } = this.#settings.schema;
        const shown = settings.filter(spec => this.#isShown(spec));
        this.#list.replaceChildren(...groups.flatMap(group => {
            const rows = shown.filter(spec => spec.group === group.id).map(spec => this.#makeSetting(spec));
            return rows.length === 0 ? [] : [make('h4', {}, inLanguage(group.label)), ...rows];
        }));
        this.#empty.textContent = say(settings.length === 0 ? 'bme.settings.none' : 'bme.settings.no_match');
        show(this.#empty, shown.length === 0);
    }

    /**
     * @param {SettingSpec} spec
     * @returns {boolean}
     */
    #isShown(spec) {
        if (DRAWN_ELSEWHERE.has(spec.key)) return false;
        const words = this.#search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
        if (words.length === 0) return this.#advanced.checked || !spec.advanced;
        const text = [spec.key, ...Object.values(spec.label), ...Object.values(spec.help)].join(' ').toLowerCase();
        return words.every(word => text.includes(word));
    }

    /**
     * @param {SettingSpec} spec
     * @returns {HTMLElement}
     */
    #makeSetting(spec) {
        const fault = make('div', { className: 'st-bme-fault', role: 'alert' });
        const control = makeControl(spec, this.#settings.valueOf(spec));
        const reset = makeButton('', () => void this.#change(spec, spec.default, fault));
        reset.classList.add('fa-solid', 'fa-rotate-left');
        reset.title = `${say('bme.settings.reset')} (${describe(spec, spec.default)})`;
        reset.ariaLabel = reset.title;
        show(reset, JSON.stringify(this.#settings.valueOf(spec)) !== JSON.stringify(spec.default));
        control.addEventListener('change', () => this.#read(spec, control, fault));
        const label = make('label', { htmlFor: control.id }, inLanguage(spec.label));
        const unit = make('span', { className: 'st-bme-unit' }, spec.unit);
        return make(
            'div',
            { className: `st-bme-setting st-bme-${spec.kind}` },
            make('div', { className: 'st-bme-row' }, label, control, unit, reset),
            fault,
            make('small', { className: 'st-bme-help' }, helpOf(spec)),
        );
    }

    /**
     * @param {SettingSpec} spec
     * @param {HTMLInputElement|HTMLSelectElement} control
     * @param {HTMLElement} fault
     */
    #read(spec, control, fault) {
        const isSwitch = control instanceof HTMLInputElement && control.type === 'checkbox';
        const result = readValue(spec, isSwitch ? control.checked : control.value);
        if ('value' in result) {
            void this.#change(spec, result.value, fault);
            return;
        }
        fault.textContent = say(`bme.fault.${result.fault}`, { minimum: spec.minimum, maximum: spec.maximum });
        control.setAttribute('aria-invalid', 'true');
    }

    /**
     * @param {SettingSpec} spec
     * @param {Json} value
     * @param {HTMLElement} fault
     */
    async #change(spec, value, fault) {
        await this.#settings.change(spec, value);
        const { refusal } = this.#settings;
        fault.textContent = refusal === '' ? '' : say('bme.settings.refused', { reason: refusal });
        const focused = document.activeElement?.id;
        if (refusal === '') this.draw();
        if (focused) document.getElementById(focused)?.focus();
    }
}

/**
 * @param {SettingSpec} spec
 * @param {Json} value
 * @returns {HTMLInputElement|HTMLSelectElement}
 */
function makeControl(spec, value) {
    const id = `st_bme_setting_${spec.key}`;
    if (spec.kind === 'bool') return make('input', { id, type: 'checkbox', checked: value === true });
    if (spec.kind === 'choice') {
        const options = spec.choices.map(choice => make('option', { value: choice.value }, inLanguage(choice.label)));
        const select = make('select', { id, className: 'text_pole' }, ...options);
        select.value = String(value);
        return select;
    }
    const input = make('input', { id, className: 'text_pole', value: String(value ?? '') });
    if (spec.kind === 'text') return input;
    // A field of type number swallows what is no number, so that nobody could say what is wrong with it.
    input.inputMode = spec.kind === 'int' ? 'numeric' : 'decimal';
    return input;
}

/**
 * @param {SettingSpec} spec
 * @returns {string}
 */
function helpOf(spec) {
    const { minimum, maximum } = spec;
    const hasRange = minimum !== null && maximum !== null;
    const range = hasRange ? `${say('bme.settings.range', { minimum, maximum })} · ` : '';
    const standard = say('bme.settings.default', { value: describe(spec, spec.default) });
    return `${inLanguage(spec.help)} (${range}${standard})`;
}

/**
 * @param {SettingSpec} spec
 * @param {Json} value
 * @returns {string}
 */
function describe(spec, value) {
    if (typeof value === 'boolean') return say(value ? 'bme.settings.on' : 'bme.settings.off');
    const choice = spec.choices.find(({ value: known }) => known === value);
    if (choice) return inLanguage(choice.label);
    return value === '' || value === null ? '–' : String(value);
}

/**
 * @param {Words} words
 * @returns {string}
 */
function inLanguage(words) {
    return words[language()] ?? words.en ?? '';
}
