/**
 * The settings, drawn from the schema that the server sends.
 *
 * @typedef {import('../protocol.js').Json} Json
 * @typedef {import('../protocol.js').SettingSpec} SettingSpec
 * @typedef {import('../protocol.js').Words} Words
 * @typedef {import('../settings.js').Settings} Settings
 */

import { connectionProfiles, language } from '../host.js';
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
        if (DRAWN_ELSEWHERE.has(spec.key) || !this.#applies(spec)) return false;
        const words = this.#search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
        if (words.length === 0) return this.#advanced.checked || !spec.advanced;
        const text = [spec.key, ...Object.values(spec.label), ...Object.values(spec.help)].join(' ').toLowerCase();
        return words.every(word => text.includes(word));
    }

    /**
     * A setting may depend on another one, for instance a key on where the models are.
     * @param {SettingSpec} spec
     * @returns {boolean}
     */
    #applies({ show_if: condition }) {
        if (!condition) return true;
        const other = this.#settings.schema.settings.find(spec => spec.key === condition[0]);
        return other !== undefined && String(this.#settings.valueOf(other)) === condition[1];
    }

    /**
     * @param {SettingSpec} spec
     * @returns {HTMLElement}
     */
    #makeSetting(spec) {
        const fault = make('div', { className: 'st-bme-fault', role: 'alert' });
        const isSecret = spec.kind === 'secret';
        const control = isSecret ? this.#makeSecret(spec) : makeControl(spec, this.#settings.valueOf(spec));
        const reset = this.#makeReset(spec, fault);
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
     * @param {HTMLElement} fault
     * @returns {HTMLButtonElement}
     */
    #makeReset(spec, fault) {
        const isSecret = spec.kind === 'secret';
        const reset = makeButton('', () => void this.#change(spec, isSecret ? '' : spec.default, fault));
        reset.classList.add('fa-solid', 'fa-rotate-left');
        const standard = isSecret ? '' : ` (${describe(spec, spec.default)})`;
        reset.title = say(isSecret ? 'bme.settings.forget' : 'bme.settings.reset') + standard;
        reset.ariaLabel = reset.title;
        const isDefault = JSON.stringify(this.#settings.valueOf(spec)) === JSON.stringify(spec.default);
        show(reset, isSecret ? this.#settings.secretEnd(spec) !== '' : !isDefault);
        return reset;
    }

    /**
     * A field that shows of a secret only its end. It may hold several lines.
     * @param {SettingSpec} spec
     * @returns {HTMLTextAreaElement}
     */
    #makeSecret(spec) {
        const end = this.#settings.secretEnd(spec);
        return make('textarea', {
            id: `st_bme_setting_${spec.key}`,
            className: 'text_pole st-bme-secret',
            rows: 1,
            autocomplete: 'off',
            spellcheck: false,
            placeholder: end === '' ? '' : `•••• ${end}`,
        });
    }

    /**
     * @param {SettingSpec} spec
     * @param {HTMLInputElement|HTMLSelectElement|HTMLTextAreaElement} control
     * @param {HTMLElement} fault
     */
    #read(spec, control, fault) {
        if (spec.kind === 'secret') {
            if (control.value.trim() !== '') void this.#change(spec, control.value.trim(), fault);
            return;
        }
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
        if (spec.kind === 'secret') await this.#settings.changeSecret(spec, String(value));
        else await this.#settings.change(spec, value);
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
        const options = choicesOf(spec).map(({ value: choice, label }) => make('option', { value: choice }, label));
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
    if (spec.kind === 'secret') return inLanguage(spec.help);
    const hasRange = minimum !== null && maximum !== null;
    const range = hasRange ? `${say('bme.settings.range', { minimum, maximum })} · ` : '';
    const standard = say('bme.settings.default', { value: describe(spec, spec.default) });
    return `${inLanguage(spec.help)} (${range}${standard})`;
}

/**
 * The choices of the schema, and those that only SillyTavern knows.
 * @param {SettingSpec} spec
 * @returns {{ value: string, label: string }[]}
 */
function choicesOf({ choices, choices_from: source }) {
    const known = choices.map(({ value, label }) => ({ value, label: inLanguage(label) }));
    const added = source === 'profiles' ? connectionProfiles().map(({ id, name }) => ({ value: id, label: name })) : [];
    return [...known, ...added];
}

/**
 * @param {SettingSpec} spec
 * @param {Json} value
 * @returns {string}
 */
function describe(spec, value) {
    if (typeof value === 'boolean') return say(value ? 'bme.settings.on' : 'bme.settings.off');
    const choice = choicesOf(spec).find(({ value: known }) => known === value);
    if (choice) return choice.label;
    return value === '' || value === null ? '–' : String(value);
}

/**
 * @param {Words} words
 * @returns {string}
 */
function inLanguage(words) {
    return words[language()] ?? words.en ?? '';
}
