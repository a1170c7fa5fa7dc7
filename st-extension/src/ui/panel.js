/**
 * The block in SillyTavern's drawer of extensions.
 *
 * @typedef {import('../counters.js').Counters} Counters
 * @typedef {import('../protocol.js').Job} Job
 * @typedef {import('../protocol.js').Notice} Notice
 * @typedef {import('../settings.js').Settings} Settings
 * @typedef {import('./badge.js').Badge} Badge
 *
 * @typedef {object} PanelUser
 * @property {Settings} settings
 * @property {() => Badge} badge
 * @property {() => import('../connection.js').Status} status
 * @property {Counters} counters
 * @property {(enabled: boolean) => void} enable
 * @property {(url: string) => void} connect
 * @property {(code: string) => void} pair
 * @property {(notice: Notice) => Promise<boolean>} act do what a notice offers, and say whether it was done
 * @property {() => void} takeSeat the chat is to go on in this page
 * @property {import('./model-tests.js').TestModel} testModel
 * @property {import('./catch-up.js').Reader} catchUp
 * @property {import('../memory.js').Memory} memory
 * @property {() => import('../protocol.js').Recalled|null} lastInjection
 * @property {(content: HTMLElement) => void} showPopup
 * @property {() => Promise<import('../protocol.js').UsageReport>} usage what the chat model's calls cost today
 * @property {() => void} opened the user opened the block
 */

import { language } from '../host.js';
import { Actions } from './actions.js';
import { CatchUp } from './catch-up.js';
import { make, makeButton, show } from './dom.js';
import { ModelTests } from './model-tests.js';
import { SettingsForm } from './settings-form.js';
import { keyOr, nameModel, say } from './texts.js';
import { Usage } from './usage.js';

const NOTICES_KEPT = 5;
/** @type {{ [code: string]: import('./texts.js').TextKey }} */
const OFFERS = {
    restore_offered: 'bme.mend.restore',
    branch_edits: 'bme.mend.apply',
    memories_lost: 'bme.mend.read_again',
};
const COPIED_SHOWN_MS = 1500;

export class Panel {
    #user;
    #form;
    #dot = make('span', { className: 'st-bme-dot', ariaHidden: 'true' });
    #line = make('div', { className: 'st-bme-line', role: 'status' });
    #command = make('code');
    #mend = make('div', { className: 'st-bme-row st-bme-mend' });
    #link = make('a', { target: '_blank', rel: 'noopener' });
    #code = make('input', { className: 'text_pole', inputMode: 'numeric', maxLength: 6 });
    #pairing = make('div', { className: 'st-bme-row' });
    #seat;
    #enabled = make('input', { type: 'checkbox', id: 'st_bme_enabled' });
    #url = make('input', { className: 'text_pole', type: 'url', id: 'st_bme_server_url', spellcheck: false });
    #server = make('small', { className: 'st-bme-help' });
    #recall = make('div', { className: 'st-bme-note' });
    #job = make('div', { className: 'st-bme-note' });
    /** What is said of each task that is under way or failed. @type {Map<string, string>} */
    #jobs = new Map();
    #catchUp;
    #actions;
    #usage;
    #notices = make('ul', { className: 'st-bme-notices' });

    /** @param {PanelUser} user */
    constructor(user) {
        this.#user = user;
        this.#form = new SettingsForm(user.settings, { models: new ModelTests(user.testModel).element });
        this.#catchUp = new CatchUp(user.catchUp);
        this.#actions = new Actions({
            ...user,
            hasModel: () => hasModel(user.status()),
            rebuild: () => this.#catchUp.offer(true),
        });
        this.#usage = new Usage(user.usage);
        this.#link.textContent = say('bme.mend.allow');
        this.#code.placeholder = say('bme.mend.code');
        this.#code.ariaLabel = say('bme.mend.code');
        this.#enabled.addEventListener('change', () => user.enable(this.#enabled.checked));
        const copy = makeButton(say('bme.mend.copy'), () => void this.#copy(copy));
        this.#mend.append(this.#command, copy);
        this.#pairing.append(this.#code, makeButton(say('bme.mend.pair'), () => user.pair(this.#code.value)));
        this.#seat = makeButton(say('bme.mend.use_here'), () => user.takeSeat());
        this.element = this.#build();
    }

    /** Show what is the case now. */
    refresh() {
        const { settings, status, counters } = this.#user;
        const badge = this.#user.badge();
        this.element.dataset.badge = badge.color;
        this.#dot.className = `st-bme-dot st-bme-${badge.color}`;
        setText(this.#line, say(badge.key, badge.gaps));
        this.#line.dataset.reason = badge.key;
        setText(this.#command, badge.command);
        show(this.#mend, badge.command !== '');
        this.#link.href = badge.link && `${badge.link}&language=${language()}`;
        show(this.#link, badge.link !== '');
        show(this.#pairing, badge.asksCode);
        show(this.#seat, badge.offersSeat);
        this.#enabled.checked = settings.isEnabled;
        if (document.activeElement !== this.#url) this.#url.value = settings.serverUrl;
        setText(this.#server, describeServer(status()));
        setText(this.#recall, describeRecall(counters));
        this.#actions.refresh();
    }

    /** The schema or values of the settings changed. */
    drawSettings() {
        this.#form.draw();
    }

    /** @param {Job} job */
    showJob(job) {
        const { task, state, done, total, reason } = job;
        const name = say(keyOr(`bme.task.${task}`, 'bme.task.other'));
        const key = state === 'running' && total === 0 ? 'bme.activity.job.waiting' : `bme.activity.job.${state}`;
        this.#jobs.delete(task);
        if (state !== 'done' && state !== 'cancelled') this.#jobs.set(task, say(keyOr(key, 'bme.activity.job.waiting'), { task: name, done, total, reason }));
        setText(this.#job, [...this.#jobs.values()].join(' · '));
        this.#catchUp.follow(job);
        if (state !== 'running') void this.#usage.refresh();
    }

    /** @param {Notice} notice */
    addNotice(notice) {
        const { code, level, data } = notice;
        const text = say(keyOr(`bme.notice.${code}`, 'bme.notice.other'), { code, reason: '', ...data });
        for (const shown of [...this.#notices.children]) if (shown.firstChild?.textContent === text) shown.remove();
        const item = make('li', { className: `st-bme-${level}` }, make('span', {}, text));
        if (code in OFFERS) {
            const act = async () => { if (await this.#user.act(notice)) item.remove(); };
            item.append(' ', makeButton(say(OFFERS[code]), () => void act()));
        }
        this.#notices.prepend(item);
        while (this.#notices.children.length > NOTICES_KEPT) this.#notices.lastElementChild?.remove();
    }

    /** Another chat is open. */
    clearNotices() {
        this.#notices.replaceChildren();
        this.#jobs.clear();
        this.#catchUp.clear();
        this.#actions.clear();
        setText(this.#job, '');
    }

    /** @returns {HTMLElement} */
    #build() {
        const title = make('b', {}, this.#dot, say('bme.title'));
        const arrow = make('div', { className: 'inline-drawer-icon fa-solid fa-circle-chevron-down down' });
        const header = make('div', { className: 'inline-drawer-toggle inline-drawer-header' }, title, arrow);
        header.addEventListener('click', () => {
            this.#user.opened();
            void this.#usage.refresh();
        });
        const switchHelp = make('small', { className: 'st-bme-help' }, say('bme.switch.enabled.help'));
        const content = make(
            'div',
            { className: 'inline-drawer-content' },
            make('div', { className: 'st-bme-status' }, this.#line, this.#mend, this.#link, this.#pairing, this.#seat),
            make('label', { className: 'checkbox_label' }, this.#enabled, say('bme.switch.enabled')),
            switchHelp,
            this.#buildServer(),
            this.#recall,
            this.#job,
            this.#usage.element,
            this.#actions.element,
            this.#catchUp.element,
            this.#notices,
            this.#form.element,
        );
        const drawer = make('div', { className: 'inline-drawer' }, header, content);
        return make('div', { id: 'st_bme_bridge', className: 'st-bme extension_container' }, drawer);
    }

    /** @returns {HTMLElement} */
    #buildServer() {
        const connect = () => this.#user.connect(this.#url.value);
        this.#url.addEventListener('change', connect);
        return make(
            'div',
            { className: 'st-bme-server' },
            make('label', { htmlFor: this.#url.id }, say('bme.server.url')),
            make('div', { className: 'st-bme-row' }, this.#url, makeButton(say('bme.server.connect'), connect)),
            this.#server,
        );
    }

    /** @param {HTMLButtonElement} button */
    async #copy(button) {
        const text = this.#command.textContent ?? '';
        if (navigator.clipboard) await navigator.clipboard.writeText(text);
        else getSelection()?.selectAllChildren(this.#command);
        button.textContent = say('bme.mend.copied');
        setTimeout(() => setText(button, say('bme.mend.copy')), COPIED_SHOWN_MS);
    }
}

/**
 * Change a text only if it differs: readers of the screen say it anew each time.
 * @param {HTMLElement} element
 * @param {string} text
 */
function setText(element, text) {
    if (element.textContent !== text) element.textContent = text;
    show(element, text !== '');
}

/**
 * @param {import('../connection.js').Status} status
 * @returns {string}
 */
function describeServer({ phase, hello, way }) {
    if (phase !== 'up' || hello === null) return '';
    const { chat, embedding } = hello.models ?? { chat: 'none', embedding: 'none' };
    const models = { chat: nameModel(chat), embedding: nameModel(embedding) };
    return [
        say('bme.server.version', { version: hello.version, ...models }),
        way === 'proxy' ? say('bme.server.via_proxy') : '',
    ].filter(Boolean).join(' ');
}

/**
 * @param {import('../connection.js').Status} status
 * @returns {boolean} whether a model writes memories
 */
function hasModel({ hello }) {
    return !['none', 'heuristic'].includes(hello?.models?.chat ?? 'none');
}

/**
 * @param {Counters} counters
 * @returns {string}
 */
function describeRecall({ lastRecall }) {
    if (lastRecall === null) return '';
    return say('bme.activity.recall', { ...lastRecall, ms: Math.round(lastRecall.ms) });
}
