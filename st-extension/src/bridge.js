/**
 * All parts put together, and what happens between them.
 *
 * @typedef {import('./protocol.js').Attached} Attached
 * @typedef {import('./protocol.js').Job} Job
 * @typedef {import('./protocol.js').LlmRequest} LlmRequest
 * @typedef {import('./protocol.js').ModelTested} ModelTested
 * @typedef {import('./protocol.js').Notice} Notice
 * @typedef {import('./protocol.js').ServerEvent} ServerEvent
 * @typedef {import('./protocol.js').StatePatch} StatePatch
 */

import { takeSnapshot } from './attachment.js';
import { Background } from './background.js';
import { readerOf } from './catch-up.js';
import { addCommands, addStoryCommands, addUsageCommand, shownCommands } from './commands.js';
import { Connection } from './connection.js';
import { newCounters } from './counters.js';
import { Draft } from './draft.js';
import { Events } from './events.js';
import * as host from './host.js';
import * as chats from './host-chats.js';
import { addSlashCommand } from './host-commands.js';
import * as models from './host-models.js';
import { Injection } from './injection.js';
import { Interceptor } from './interceptor.js';
import { logDebug, logWarning } from './log.js';
import { Memory } from './memory.js';
import { ModelTrouble } from './model-trouble.js';
import { OpenChat } from './open-chat.js';
import { Relay } from './relay.js';
import { Settings } from './settings.js';
import { ChatCopy } from './state.js';
import { badgeOf } from './ui/badge.js';
import { make } from './ui/dom.js';
import { Panel } from './ui/panel.js';
import { keyOr, say } from './ui/texts.js';
import { Toasts } from './ui/toasts.js';
import { exportedVariables, trackedNames, variableOf } from './variables.js';

/** The server waits 30 s for a model, and for the end of a reply that is being made. */
const MODEL_TEST_LIMIT_MS = 90_000;
/** What of the memories a macro may name. */
const MACRO_PARTS = ['story', 'core', 'recalled', 'passages'];

/** @returns {import('./attachment.js').Snapshot} */
const snapshot = () => takeSnapshot(host.chatMessages(), host.streamingFloor());

const copyHost = { ...host, ...chats, isPageHidden: () => document.hidden, now: () => performance.now() };

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
    #chat = new OpenChat(this.#connection, { ...host, ...chats, snapshot, settings: () => this.#settings.sentValues }, {
        attached: answer => this.#attached(answer),
        changed: () => this.#refresh(),
    });
    #relay = new Relay(this.#chat.page, { ...host, ...models }, this.#connection);
    #trouble = new ModelTrouble();
    #toasts = new Toasts();
    #copy = new ChatCopy({ ...copyHost, writeCopy: copy => this.#writeCopy(copy) }, () => this.#chat.attachment);
    #interceptor = new Interceptor({
        ...host,
        snapshot,
        isEnabled: () => this.#settings.isEnabled,
        connection: this.#connection,
        chat: this.#chat,
        injection: this.#injection,
        choiceLimitMs: () => this.#settings.choiceLimitMs,
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
        changed: () => this.#refresh(),
        beforeReading: attachment => this.#background.tell(attachment),
    });
    #background = new Background({ ...host, valueAt: key => this.#settings.valueAt(key) });
    #draft = new Draft({
        isWanted: () => this.#settings.isEnabled && this.#settings.valueAt('recallWhileTyping') === true,
        inputText: host.inputText,
        attachment: () => (this.#connection.isUp ? this.#chat.attachment : null),
    });
    /** @type {Panel|null} */
    #panel = null;

    /** Begin, once SillyTavern is ready. */
    start() {
        this.#panel = this.#buildPanel();
        host.settingsColumn()?.append(this.#panel.element);
        this.#panel.drawSettings();
        const addCommand = shownCommands(addSlashCommand, text => host.showPopup(make('div', { className: 'st-bme-answer' }, text)));
        addCommands(addCommand, this.#chat, () => this.status());
        addUsageCommand(addCommand, this.#connection);
        addStoryCommands(addCommand, this.#chat, host.readCopy);
        host.onInput(() => this.#draft.changed());
        this.#background.listen();
        host.addMacro('bme', say('bme.macro'), MACRO_PARTS, part => this.#injection.macro(part));
        const followed = trackedNames(this.#settings.valueAt('trackedVariables'));
        host.addMacro('bmevar', say('bme.macro.var'), followed, name => variableOf(host.readCopy(), name));
        this.#events.listen();
        this.#watchModels();
        host.onChatSaved(startedAt => {
            this.#copy.noteSave(startedAt);
            if (host.streamingFloor() < 0) this.#events.compare();
        });
        document.addEventListener('visibilitychange', () => {
            if (document.hidden) this.#copy.saveIfDue();
            else this.#relay.announce();
        });
        globalThis.addEventListener('pagehide', () => this.#chat.leave());
        this.#refresh();
        if (this.#settings.isEnabled) this.#connection.start(this.#settings.serverUrl);
    }

    #buildPanel() {
        return new Panel({
            settings: this.#settings,
            badge: () => this.#badge(),
            status: () => this.#connection.status,
            counters: this.#counters,
            enable: enabled => this.#enable(enabled),
            connect: url => this.#connect(url),
            pair: code => this.#connection.pairWithCode(code),
            act: notice => this.#act(notice),
            takeSeat: () => void this.#takeSeat(),
            testModel: what => this.#testModel(what),
            catchUp: readerOf(this.#chat),
            memory: new Memory(this.#chat),
            lastInjection: () => this.#injection.last,
            showPopup: host.showPopup,
            usage: () => this.#connection.command('usage', {}),
            opened: () => void this.#connection.refreshHello(),
        });
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
            isRelayOffline: this.#isRelayOffline(),
            trouble: this.#describeTrouble(),
            serverUrl: this.#settings.serverUrl,
            pageOrigin: location.origin,
            folder: decodeURIComponent(new URL('../..', import.meta.url).pathname.split('/').at(-2) ?? ''),
        });
    }

    #isRelayOffline() {
        const isRelayed = this.#settings.valueAt('modelSource') === 'relay';
        return isRelayed && this.#settings.valueAt('connectionProfile') === '' && !host.isOnline();
    }

    #describeTrouble() {
        const trouble = this.#trouble.current;
        return trouble && { ...trouble, task: say(keyOr(`bme.task.${trouble.task || 'models'}`, 'bme.task.other')) };
    }

    #refresh() {
        this.#panel?.refresh();
        this.#toasts.follow(this.#badge());
    }

    /** Tell the server, and the user, when SillyTavern's connections change. */
    #watchModels() {
        host.onEvent('GENERATION_STOPPED', () => this.#relay.noteStop(), { first: true });
        host.onEvent('ONLINE_STATUS_CHANGED', () => {
            this.#relay.announce();
            this.#refresh();
        });
        const profileEvents = ['CONNECTION_PROFILE_CREATED', 'CONNECTION_PROFILE_UPDATED', 'CONNECTION_PROFILE_DELETED'];
        // Older versions have no events for profiles, but all of them save their settings.
        for (const name of [...profileEvents, 'SETTINGS_UPDATED']) {
            host.onEvent(name, () => {
                if (this.#relay.announceNews()) this.#panel?.drawSettings();
            });
        }
    }

    /**
     * @param {'chat'|'embedding'} what
     * @returns {Promise<ModelTested>}
     */
    async #testModel(what) {
        // A test that takes too long says nothing about the server: stopped by us, it does not count as gone.
        const options = { signal: AbortSignal.timeout(MODEL_TEST_LIMIT_MS), timeoutMs: 2 * MODEL_TEST_LIMIT_MS };
        return await this.#connection.command('models/test', { what }, options);
    }

    /** @param {boolean} enabled */
    #enable(enabled) {
        this.#settings.isEnabled = enabled;
        if (enabled) {
            this.#connection.start(this.#settings.serverUrl);
            return;
        }
        this.#injection.clear();
        this.#relay.cancelAll();
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

    /** The chat is open elsewhere too, and the user wants to go on here. */
    async #takeSeat() {
        try {
            await this.#chat.attachment?.takeSeat(snapshot());
            await this.#copy.fetchWhole();
        } catch (error) {
            logDebug('the seat was not taken', error);
        }
        this.#refresh();
    }

    #connected() {
        this.#relay.announce();
        this.#chat.reopen();
        void this.#settings.meet().then(() => this.#settingsChanged());
    }

    /** @param {Attached} answer */
    #attached({ patch, notices }) {
        this.#panel?.clearNotices();
        this.#trouble.forgetOld();
        if (patch) this.#copy.take(patch);
        for (const notice of notices) this.#panel?.addNotice(notice);
        this.#events.announceOpening();
    }

    /** @param {ServerEvent} event */
    #take({ name, data }) {
        const isHere = data.lineage === '' || data.lineage === this.#chat.attachment?.lineage;
        if (name === 'state_patch') this.#copy.take(/** @type {StatePatch} */ (/** @type {unknown} */ (data.patch)));
        if (name === 'settings') void this.#adoptSettings();
        if (name === 'job' && isHere) this.#follow(/** @type {Job} */ (/** @type {unknown} */ (data)));
        if (name === 'notice' && isHere) this.#note(/** @type {Notice} */ (/** @type {unknown} */ (data.notice)));
        if (name === 'llm_request') void this.#relay.take(/** @type {LlmRequest} */ (/** @type {unknown} */ (data)));
        if (name === 'llm_cancel') this.#relay.cancel(String(data.request));
    }

    /** @param {import('./protocol.js').JsonObject} copy */
    #writeCopy(copy) {
        const before = host.readCopy();
        host.writeCopy(copy);
        if (this.#settings.valueAt('exportVariablesToChat') !== true) return;
        host.changeChatVariables(exportedVariables(before, copy, host.chatVariables()));
    }

    /** @param {Job} job */
    #follow(job) {
        this.#panel?.showJob(job);
        this.#trouble.follow(job);
        this.#refresh();
    }

    /** @param {Notice} notice */
    #note(notice) {
        if (!this.#trouble.note(notice)) this.#panel?.addNotice(notice);
        this.#refresh();
    }

    /**
     * Do what a notice offers.
     * @param {Notice} notice
     * @returns {Promise<boolean>} whether it was done
     */
    async #act({ code, data }) {
        const attachment = this.#chat.attachment;
        if (attachment === null) return false;
        try {
            if (code === 'restore_offered') await attachment.ask('chat/restore', { source: data.lineage });
            if (code === 'memories_lost') await attachment.ask('chat/extract', { lost: true });
            const records = code === 'branch_edits' && Array.isArray(data.records) ? data.records : [];
            if (records.length > 0) await attachment.ask('history/redo', { records });
            return true;
        } catch (error) {
            logWarning('what the notice offers was not done:', error);
            return false;
        }
    }

    /** Events were lost: what they would have told is fetched. */
    #catchUp() {
        void this.#copy.fetchWhole();
        void this.#adoptSettings();
    }

    async #adoptSettings() {
        this.#trouble.forgetOld();
        await this.#settings.adopt();
        this.#settingsChanged();
    }

    #settingsChanged() {
        this.#panel?.drawSettings();
        this.#refresh();
        void this.#connection.refreshHello();
    }
}
