/**
 * All parts put together, and what happens between them.
 *
 * @typedef {import('./protocol.js').Attached} Attached
 * @typedef {import('./protocol.js').Job} Job
 * @typedef {import('./protocol.js').Notice} Notice
 * @typedef {import('./protocol.js').ServerEvent} ServerEvent
 * @typedef {import('./protocol.js').StatePatch} StatePatch
 */

import { takeSnapshot } from './attachment.js';
import { addCommands } from './commands.js';
import { Connection } from './connection.js';
import { newCounters } from './counters.js';
import { Events } from './events.js';
import * as host from './host.js';
import { Injection } from './injection.js';
import { Interceptor } from './interceptor.js';
import { logDebug } from './log.js';
import { OpenChat } from './open-chat.js';
import { Settings } from './settings.js';
import { ChatCopy } from './state.js';
import { badgeOf } from './ui/badge.js';
import { Panel } from './ui/panel.js';
import { say } from './ui/texts.js';

/** @returns {import('./attachment.js').Snapshot} */
const snapshot = () => takeSnapshot(host.chatMessages(), host.streamingFloor());

const copyHost = { ...host, isPageHidden: () => document.hidden, now: () => performance.now() };

export class Bridge {
    #counters = newCounters();
    #injection = new Injection(host.setPrompt);
    #connection = new Connection({
        changed: () => this.#refresh(),
        up: () => this.#connected(),
        down: () => this.#chat.drop(),
        event: event => this.#take(event),
        gap: () => this.#catchUp(),
    });
    #settings = new Settings(host, this.#connection);
    #chat = new OpenChat(this.#connection, { ...host, snapshot, settings: () => this.#settings.sentValues }, {
        attached: answer => this.#attached(answer),
        changed: () => this.#refresh(),
    });
    #copy = new ChatCopy(copyHost, () => this.#chat.attachment);
    #interceptor = new Interceptor({
        ...host,
        snapshot,
        isEnabled: () => this.#settings.isEnabled,
        connection: this.#connection,
        chat: this.#chat,
        injection: this.#injection,
        counters: this.#counters,
    });
    #events = new Events({
        host: { ...host, snapshot },
        isEnabled: () => this.#settings.isEnabled,
        chat: this.#chat,
        copy: this.#copy,
        interceptor: this.#interceptor,
        injection: this.#injection,
        counters: this.#counters,
    });
    /** @type {Panel|null} */
    #panel = null;

    /** Begin, once SillyTavern is ready. */
    start() {
        this.#panel = new Panel({
            settings: this.#settings,
            badge: () => this.#badge(),
            status: () => this.#connection.status,
            counters: this.#counters,
            enable: enabled => this.#enable(enabled),
            connect: url => this.#connect(url),
            pair: code => this.#connection.pairWithCode(code),
        });
        host.settingsColumn()?.append(this.#panel.element);
        this.#panel.drawSettings();
        addCommands(host.addSlashCommand, this.#chat, () => this.status());
        this.#events.listen();
        host.onChatSaved(startedAt => this.#copy.noteSave(startedAt));
        document.addEventListener('visibilitychange', () => {
            if (document.hidden) this.#copy.saveIfDue();
        });
        globalThis.addEventListener('pagehide', () => this.#chat.leave());
        this.#refresh();
        if (this.#settings.isEnabled) this.#connection.start(this.#settings.serverUrl);
    }

    /**
     * @param {number} contextSize
     * @param {string|undefined} type
     */
    async intercept(contextSize, type) {
        await this.#interceptor.run(contextSize, type);
        this.#refresh();
    }

    /** What works, what does not, and what was done: no chat text, no token. */
    status() {
        const badge = this.#badge();
        const { phase, reason, way, hello } = this.#connection.status;
        const { attachment, problem } = this.#chat;
        return {
            badge: { color: badge.color, reason: badge.key, text: say(badge.key, badge.gaps) },
            enabled: this.#settings.isEnabled,
            connection: { phase, reason, way, server: hello?.version ?? '' },
            chat: { attached: attachment !== null, lineage: attachment?.lineage ?? '', problem },
            copy: { rev: Number(host.readCopy()?.rev ?? -1), unsavedRev: this.#copy.unsavedRev },
            ...structuredClone(this.#counters),
        };
    }

    #badge() {
        return badgeOf({
            status: this.#connection.status,
            hasChat: host.chatIdentity() !== null,
            isAttached: this.#chat.attachment !== null,
            problem: this.#chat.problem,
            lastOutcome: this.#counters.lastOutcome,
            serverUrl: this.#settings.serverUrl,
            pageOrigin: location.origin,
            folder: decodeURIComponent(new URL('../..', import.meta.url).pathname.split('/').at(-2) ?? ''),
        });
    }

    #refresh() {
        this.#panel?.refresh();
    }

    /** @param {boolean} enabled */
    #enable(enabled) {
        this.#settings.isEnabled = enabled;
        if (enabled) {
            this.#connection.start(this.#settings.serverUrl);
            return;
        }
        this.#injection.clear();
        if (this.#connection.isUp) {
            this.#chat.leave();
            this.#connection.command('settings/set', { values: { enabled: null } }).catch(error => logDebug('off', error));
        }
        this.#connection.stop();
    }

    /** @param {string} url */
    #connect(url) {
        this.#settings.serverUrl = url.trim();
        if (this.#settings.isEnabled) this.#connection.start(this.#settings.serverUrl);
        this.#refresh();
    }

    #connected() {
        this.#chat.reopen();
        void this.#settings.fetch().then(() => this.#panel?.drawSettings());
    }

    /** @param {Attached} answer */
    #attached({ patch, notices }) {
        this.#panel?.clearNotices();
        if (patch) this.#copy.take(patch);
        for (const notice of notices) this.#panel?.addNotice(notice);
        this.#events.announceOpening();
    }

    /** @param {ServerEvent} event */
    #take({ name, data }) {
        const isHere = data.lineage === '' || data.lineage === this.#chat.attachment?.lineage;
        if (name === 'state_patch') this.#copy.take(/** @type {StatePatch} */ (/** @type {unknown} */ (data.patch)));
        if (name === 'settings') void this.#adoptSettings();
        if (name === 'job' && isHere) this.#panel?.showJob(/** @type {Job} */ (/** @type {unknown} */ (data)));
        if (name === 'notice' && isHere) this.#panel?.addNotice(/** @type {Notice} */ (/** @type {unknown} */ (data.notice)));
    }

    /** Events were lost: what they would have told is fetched. */
    #catchUp() {
        void this.#copy.fetchWhole();
        void this.#adoptSettings();
    }

    async #adoptSettings() {
        await this.#settings.fetch({ adopt: true });
        this.#panel?.drawSettings();
        this.#refresh();
    }
}
