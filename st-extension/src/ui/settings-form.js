/**
 * The settings, drawn from the schema that the server sends.
 *
 * @typedef {import('../protocol.js').Json} Json
 * @typedef {import('../protocol.js').SettingSpec} SettingSpec
 * @typedef {import('../settings.js').Settings} Settings
 */

import { connectionProfiles, language } from '../host.js';
import { readValue } from '../settings.js';
import { make, makeButton, show } from './dom.js';
import { choicesOf, inWords, shownGroups } from './settings-view.js';
import { nameUnit, say } from './texts.js';

const SURE_MS = 4000;

export class SettingsForm {
    #settings;
    #extras;
    #list = make('div', { className: 'st-bme-groups' });
    #empty = make('div', { className: 'st-bme-note' });
    #search = make('input', { type: 'search', className: 'text_pole' });
    #advanced = make('input', { type: 'checkbox' });

    /**
     * @param {Settings} settings
     * @param {{ [group: string]: HTMLElement }} extras shown at the end of a group
     */
    constructor(settings, extras) {
        this.#settings = settings;
        this.#extras = extras;
        this.#search.placeholder = say('bme.settings.search');
        this.#search.ariaLabel = say('bme.settings.search');
        this.#search.addEventListener('input', () => this.draw());
        this.#advanced.checked = settings.isAdvancedView;
        this.#advanced.addEventListener('change', () => {
            settings.isAdvancedView = this.#advanced.checked;
            this.draw();
        });
        const advanced = make('label', { className: 'checkbox_label' }, this.#advanced, say('bme.settings.advanced'));
        const bar = make('div', { className: 'st-bme-row' }, this.#search, advanced);
        this.element = make('div', { className: 'st-bme-settings' }, bar, this.#empty, this.#list, this.#makeResetAll());
    }

    /** Draw what the schema, the search and the view ask for. What is being typed stays. */
    draw() {
        const keepTyping = holdTyping(this.#list);
        const view = { search: this.#search.value, isAdvanced: this.#advanced.checked };
        const groups = shownGroups(this.#settings.schema, spec => this.#settings.valueOf(spec), view);
        this.#list.replaceChildren(...groups.flatMap(({ id, label, settings }) => {
            const rows = settings.map(spec => this.#makeSetting(spec));
            return [make('h4', {}, inLanguage(label)), ...rows, ...(this.#extras[id] ? [this.#extras[id]] : [])];
        }));
        const isUnknown = this.#settings.schema.settings.length === 0;
        this.#empty.textContent = say(isUnknown ? 'bme.settings.none' : 'bme.settings.no_match');
        show(this.#empty, groups.length === 0);
        keepTyping();
    }

    /** @returns {HTMLButtonElement} that wants to be pressed twice */
    #makeResetAll() {
        let isSure = false;
        const button = makeButton(say('bme.settings.reset_all'), () => {
            if (isSure) void this.#settings.resetAll().then(() => this.draw());
            isSure = !isSure;
            button.textContent = say(isSure ? 'bme.settings.reset_all.sure' : 'bme.settings.reset_all');
            setTimeout(() => {
                isSure = false;
                button.textContent = say('bme.settings.reset_all');
            }, SURE_MS);
        });
        return button;
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
        const unit = make('span', { className: 'st-bme-unit' }, nameUnit(spec.unit));
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
            className: 'text_pole',
            rows: 1,
            autocomplete: 'off',
            spellcheck: false,
            placeholder: end,
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
        if (refusal === '') this.draw();
    }
}

/**
 * @param {SettingSpec} spec
 * @param {Json} value
 * @returns {HTMLInputElement|HTMLSelectElement|HTMLTextAreaElement}
 */
function makeControl(spec, value) {
    const id = `st_bme_setting_${spec.key}`;
    if (spec.kind === 'bool') return make('input', { id, type: 'checkbox', checked: value === true });
    if (spec.kind === 'choice') {
        const choices = choicesOf(spec, connectionProfiles(), language());
        const isGone = !choices.some(choice => choice.value === value);
        if (isGone) choices.push({ value: String(value), label: say('bme.settings.gone') });
        const options = choices.map(choice => make('option', { value: choice.value }, choice.label));
        const select = make('select', { id, className: 'text_pole' }, ...options);
        select.value = String(value);
        return select;
    }
    if (spec.kind === 'lines') {
        return make('textarea', { id, className: 'text_pole', rows: 3, value: String(value ?? ''), spellcheck: false });
    }
    const input = make('input', { id, className: 'text_pole', defaultValue: String(value ?? '') });
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
 * @param {SettingSpec} spec
 * @param {Json} value
 * @returns {string}
 */
function describe(spec, value) {
    if (typeof value === 'boolean') return say(value ? 'bme.settings.on' : 'bme.settings.off');
    const choice = choicesOf(spec, connectionProfiles(), language()).find(({ value: known }) => known === value);
    if (choice) return choice.label;
    return value === '' || value === null ? '–' : String(value);
}

/**
 * @param {import('../protocol.js').Words} words
 * @returns {string}
 */
function inLanguage(words) {
    return inWords(words, language());
}

/**
 * Keep focus and text of the field that the user is in, across a drawing.
 * @param {HTMLElement} list
 * @returns {() => void} to be called when it is drawn
 */
function holdTyping(list) {
    const field = document.activeElement;
    if (!(field instanceof HTMLElement) || !field.id || !list.contains(field)) return () => {};
    const isText = (field instanceof HTMLInputElement && field.type !== 'checkbox') || field instanceof HTMLTextAreaElement;
    const typed = isText && field.value !== field.defaultValue ? field.value : null;
    return () => {
        const again = document.getElementById(field.id);
        again?.focus();
        if (typed === null || !(again instanceof HTMLInputElement || again instanceof HTMLTextAreaElement)) return;
        again.value = typed;
    };
}
