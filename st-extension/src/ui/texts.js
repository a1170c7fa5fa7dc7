/**
 * Every word that the user reads, in English; `i18n/` has the same keys in other languages. `{name}` is filled in.
 */

import { language, translate } from '../host.js';
import { MEMORY_TEXTS } from './memory-texts.js';

export const ENGLISH = {
    ...MEMORY_TEXTS,
    'bme.title': 'ST-BME Bridge · Memory',

    'bme.badge.off': 'Memory is off.',
    'bme.badge.connecting': 'Connecting to the memory server…',
    'bme.badge.no_chat': 'Connected. Open a chat to remember it.',
    'bme.badge.opening': 'Connected. Opening this chat…',
    'bme.badge.ready': 'Connected. This chat is remembered.',
    'bme.badge.relay_offline':
        'Connected, but SillyTavern has no connection to a model, so that nothing new is remembered. '
        + 'Connect it, or choose under Models who writes memories.',
    'bme.badge.late': 'Connected, but the last recall took too long; that reply was written without memory.',
    'bme.badge.failed': 'Connected, but the last recall failed; that reply was written without memory.',
    'bme.badge.bad_url': '“{detail}” is not a web address. It looks like http://127.0.0.1:8791.',
    'bme.badge.server_off': 'The memory server is not running. Start it in SillyTavern’s folder:',
    'bme.badge.server_off_or_refused':
        'No answer from the memory server: it is not running, or it does not allow this page. Start it with:',
    'bme.badge.wrong_server': 'Another program answers at this address. Check the address and the port.',
    'bme.badge.blocked_mixed_content':
        'The browser blocks this address: a page on https may not use a server on http in the network. '
        + 'Let SillyTavern pass requests on: put this line into its config.yaml and start it again:',
    'bme.badge.blocked_other_machine':
        '127.0.0.1 is the device you are looking at, not the one that runs SillyTavern. '
        + 'Let SillyTavern pass requests on: put this line into its config.yaml and start it again:',
    'bme.badge.blocked_permission':
        'The browser asks for your permission before this page may use the local network. '
        + 'Allow “local network access” in the settings of this site.',
    'bme.badge.blocked_origin': 'The server does not allow this page. Allow it, or start the server with:',
    'bme.badge.wrong_host': 'The server does not answer to this name. Start it with:',
    'bme.badge.version_mismatch':
        'The extension and the server ({detail}) do not fit together. Update both: in SillyTavern’s list of '
        + 'extensions, then start the server again.',
    'bme.badge.pairing_waits':
        'The server asks whether this page may use it. Allow it there, or type the six digits that its window shows.',
    'bme.badge.wrong_code': 'That code is wrong or too old. Type the six digits that the server’s window shows now.',
    'bme.badge.not_paired': 'This browser has lost its permission. It is asked for again…',
    'bme.badge.lost': 'The connection to the memory server was lost. Trying again…',
    'bme.badge.internal': 'The memory server met an error ({detail}). Its log says more.',
    'bme.badge.unknown': 'The memory server cannot be used ({reason}). {detail}',
    'bme.trouble.model_failed': '{task}: the model gave no answer. It is asked again later. ({reason})',
    'bme.trouble.answer_unusable':
        '{task}: the model’s answer could not be used. A stronger model may help. ({reason})',
    'bme.trouble.model_timeout': '{task}: the model took too long. A faster one may help. ({reason})',
    'bme.trouble.endpoint_refused': '{task}: this address must not be called. Change it under Models. ({reason})',
    'bme.trouble.key_wrong': '{task}: the provider does not accept the key. Enter it anew under Models. ({reason})',
    'bme.trouble.host_key_wrong':
        '{task}: the provider does not accept the key. Enter it anew in SillyTavern’s API connection. ({reason})',
    'bme.trouble.rate_limited':
        '{task}: the provider limits how often it is asked. Memory goes on as soon as it may. ({reason})',
    'bme.trouble.request_refused':
        '{task}: the provider refuses the request. Check the name of the model under Models. ({reason})',
    'bme.problem.newer_state':
        'This chat was remembered by a newer version. Nothing is changed; update the extension and the server.',
    'bme.problem.corrupt_state': 'The memory of this chat is damaged. It was set aside and nothing was overwritten.',
    'bme.problem.store_busy': 'Another server uses the same data folder. Stop one of the two.',
    'bme.problem.open_elsewhere':
        'This chat is open in another window with other messages; memory follows that one.',
    'bme.problem.payload_too_large': 'This chat is larger than the server reads.',
    'bme.problem.other': 'This chat could not be opened ({reason}).',

    'bme.mend.copy': 'Copy',
    'bme.mend.copied': 'Copied',
    'bme.mend.allow': 'Open the page to allow it',
    'bme.mend.code': 'Six digits',
    'bme.mend.pair': 'Pair',
    'bme.mend.restore': 'Restore',
    'bme.mend.apply': 'Apply',
    'bme.mend.read_again': 'Read again',
    'bme.mend.use_here': 'Use this one',

    'bme.switch.enabled': 'Use memory',
    'bme.switch.enabled.help': 'Remember what happens in your chats and recall it before each reply.',
    'bme.server.url': 'Server address',
    'bme.server.connect': 'Connect',
    'bme.server.via_proxy': 'Through SillyTavern’s proxy.',
    'bme.server.version': 'Server {version}. Extraction: {chat}. Embedding: {embedding}.',
    'bme.model.relay': 'SillyTavern’s connection',
    'bme.model.openai': 'endpoint',
    'bme.model.heuristic': 'patterns only',
    'bme.model.local': 'on this machine',
    'bme.model.none': 'none',
    'bme.model.named': '“{model}”',

    'bme.activity.recall': 'Last recall: {memories:memory|memories} · {tokens:token|tokens} · {ms} ms',
    'bme.activity.usage': 'Today: {calls:model call|model calls} · {tokens:token|tokens}',
    'bme.activity.usage.of': 'Today: {calls:model call|model calls} · {tokens} of {budget} tokens',
    'bme.activity.job.waiting': '{task}: waiting',
    'bme.activity.job.running': '{task}: {done} of {total}',
    'bme.activity.job.paused': '{task}: paused at {done} of {total}. {reason}',
    'bme.activity.job.failed': '{task} failed. {reason}',
    'bme.macro': 'What is remembered; a part of it with ::story, ::core, ::recalled or ::passages.',
    'bme.macro.var': 'A value that is followed through the story, as {{bmevar::mood}}.',
    'bme.task.extraction': 'Extraction',
    'bme.task.embedding': 'Search by meaning',
    'bme.task.rerank': 'Choosing memories',
    'bme.task.summarise': 'Summaries',
    'bme.task.synopsis': 'Synopsis',
    'bme.task.reflect': 'Reflections',
    'bme.task.tidy': 'Tidying',
    'bme.task.forget': 'Forgetting',
    'bme.task.compress': 'Condensing',
    'bme.task.consolidate': 'Putting together',
    'bme.task.models': 'Models',
    'bme.task.catch_up': 'Catching up',
    'bme.task.other': 'Work',

    'bme.catch_up.look': 'What is not remembered yet?',
    'bme.catch_up.first': 'From message',
    'bme.catch_up.last': 'to',
    'bme.catch_up.end': 'the end',
    'bme.catch_up.batch': 'replies per call',
    'bme.catch_up.start': 'Read it',
    'bme.catch_up.pause': 'Pause',
    'bme.catch_up.resume': 'Go on',
    'bme.catch_up.cancel': 'Cancel',
    'bme.catch_up.nothing': 'All of this is remembered.',
    'bme.catch_up.free': '{messages:message is|messages are} not read yet. Reading them costs nothing.',
    'bme.catch_up.price':
        '{messages:message is|messages are} not read yet: {calls:model call|model calls} with about {tokens:token|tokens}.',
    'bme.catch_up.again':
        'All messages are read again. What is remembered counts until the new answers are there; what you changed by '
        + 'hand stays, and each new answer can be undone under History.',
    'bme.catch_up.again.nothing': 'There is nothing to read again.',
    'bme.catch_up.again.free': '{messages:message|messages}; it costs nothing.',
    'bme.catch_up.again.price':
        '{messages:message|messages}: {calls:model call|model calls} with about {tokens:token|tokens}.',
    'bme.catch_up.running': 'Reading: message {done} of {total}.',
    'bme.catch_up.paused': 'Paused at message {done} of {total}. {reason}',
    'bme.catch_up.unavailable': 'This is not possible now.',

    'bme.test.chat': 'Test extraction',
    'bme.test.embedding': 'Test search by meaning',
    'bme.test.running': 'Testing…',
    'bme.test.fine': '{task}: {model} answered in {ms} ms.',
    'bme.test.fine_with_dimension': '{task}: {model} answered in {ms} ms, {dimension} dimensions.',
    'bme.test.unanswered': 'The test came to no end. {reason}',

    'bme.notice.copy_set_aside':
        'A copy of memory in this chat was not readable. It was kept as it is on the server (number {number}).',
    'bme.notice.restore_offered':
        'This chat came back without its messages. What was remembered of {messages:message|messages} is kept: restore it, '
        + 'and it counts again as soon as the messages are back.',
    'bme.notice.front_kept':
        'SillyTavern shows only the end of this chat. The first {messages:message is|messages are} still remembered.',
    'bme.notice.branch_edits':
        '{count:change that you made by hand after this point was|changes that you made by hand after this point were} '
        + 'not taken over into this branch.',
    'bme.notice.trigger_patterns_refused':
        'These trigger patterns cannot be used: {patterns}. Look-around and references to groups are not possible.',
    'bme.notice.trigger_patterns_off':
        'Own trigger patterns are off, since a package is missing on the server’s system: {patterns}',
    'bme.notice.original_imported':
        'The memory that ST-BME kept in this chat was taken over: {memories:memory|memories} of {messages:message|messages}, none of '
        + 'which is read again. What was there is kept as it was on the server (number {number}).',
    'bme.notice.original_installed':
        'ST-BME is still installed and writes its memory into this chat again. Switch one of the two extensions off: '
        + 'they overwrite each other. What it wrote is kept on the server (number {number}).',
    'bme.notice.memories_lost':
        '{memories:memory|memories} cannot be shown in full: some of their messages are gone, and the records of the others '
        + 'were lost with a server. Reading {messages:message|messages} again brings back what these say.',
    'bme.notice.restored_from_file':
        'The server remembered nothing of this chat: {memories:memory was|memories were} taken back from the chat file. '
        + 'If you did not set the server up anew, see whether its data folder is the right one.',
    'bme.notice.records_missing':
        'The server’s database lacks {missing:record|records} of this chat, which something else has removed. '
        + 'The chat file brought {returned} of them back.',
    'bme.notice.archived_left_out':
        'The memory of this chat was restored from its file. '
        + '{count:archived memory had no room in it and is|archived memories had no room in it and are} gone.',
    'bme.notice.budget_upkeep':
        'Upkeep waits: {used} of today’s {budget} tokens are used. It goes on after {until}, behind the next reply.',
    'bme.notice.budget_catch_up':
        'Catching up waits: {used} of today’s {budget} tokens are used. It goes on at {until}.',
    'bme.notice.budget_extraction':
        'New messages are not read for now: {used} of today’s {budget} tokens are used. What waits is read at {until}. '
        + 'Recall goes on.',
    'bme.notice.other': 'The server says: {code} {reason}',

    'bme.settings.search': 'Search the settings',
    'bme.settings.advanced': 'Advanced',
    'bme.settings.none': 'The settings appear once the server was connected.',
    'bme.settings.no_match': 'No setting with these words.',
    'bme.settings.reset': 'Back to the default',
    'bme.settings.reset_all': 'All back to the defaults',
    'bme.settings.reset_all.sure': 'Press again to reset all',
    'bme.settings.gone': 'no longer there',
    'bme.settings.forget': 'Forget the key',
    'bme.settings.default': 'Default: {value}',
    'bme.settings.range': '{minimum} to {maximum}',
    'bme.settings.on': 'on',
    'bme.settings.off': 'off',
    'bme.settings.refused': 'The server refused it: {reason}',
    'bme.unit.calls': 'calls',
    'bme.unit.changes': 'changes',
    'bme.unit.characters': 'characters',
    'bme.unit.memories': 'memories',
    'bme.unit.messages': 'messages',
    'bme.unit.minutes': 'minutes',
    'bme.unit.points': 'points',
    'bme.unit.replies': 'replies',
    'bme.unit.seconds': 'seconds',
    'bme.unit.summaries': 'summaries',
    'bme.unit.tokens': 'tokens',
    'bme.unit.turns': 'turns',
    'bme.fault.not_a_number': 'This must be a number.',
    'bme.fault.not_whole': 'This must be a whole number.',
    'bme.fault.too_small': 'This must be at least {minimum}.',
    'bme.fault.too_large': 'This must be at most {maximum}.',
    'bme.fault.not_a_choice': 'This is none of the choices.',

    'bme.command.status': 'Says whether memory works in this chat, as JSON.',
    'bme.command.recall': 'Gives the memory text that would be injected for this text.',
    'bme.command.why': 'Gives what was injected for the message of a floor, and why (JSON).',
    'bme.command.why.floor': 'floor of the message',
    'bme.command.recall.text': 'what the recall is about',
    'bme.command.upkeep': 'Does upkeep at once, all that is switched on or the tasks named, and gives the counts as JSON.',
    'bme.command.upkeep.tasks': 'consolidate, summarise, synopsis, reflect, compress, tidy, forget; without: all that are on',
    'bme.command.extract': 'Extracts memory from what is pending now, and gives the counts as JSON.',
    'bme.command.var': 'Gives a value that is followed through the story, or all of them as JSON.',
    'bme.command.var.name': 'name of the value',
    'bme.command.catch_up': 'Reads what is not remembered yet of this chat; gives price and progress as JSON.',
    'bme.command.catch_up.action': 'price, start, pause, resume or cancel',
    'bme.command.purge': 'Removes for good what is known of messages that are not in this chat any more, and gives the counts.',
    'bme.command.purge.confirm': 'yes, to confirm: there is no way back',
    'bme.command.usage': 'Gives what calls of the chat model cost, by day, chat and task, as JSON.',
    'bme.command.usage.days': 'days, today among them; 1 without',
    'bme.command.unavailable': 'Memory is not available in this chat.',
    'bme.command.failed': 'No answer: {reason}',
    'bme.command.no_server': 'The memory server does not answer.',
    'bme.command.nothing': 'Nothing.',
    'bme.command.quiet': 'do not show the answer, only give it to the next command',
};

/** @typedef {keyof typeof ENGLISH} TextKey */

/**
 * A text with its gaps filled: `{name}`, and a count with its word as `{count:memory|memories}`.
 * @param {TextKey} key
 * @param {{ [gap: string]: unknown }} [gaps]
 * @returns {string}
 */
export function say(key, gaps = {}) {
    return translate(ENGLISH[key], key).replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (gap, name, one, many) => {
        if (!Object.hasOwn(gaps, name)) return gap;
        const value = String(gaps[name]);
        return many === undefined ? value : `${value} ${value === '1' ? one : many}`;
    }).trim();
}

/**
 * The key if there is such a text, else another one.
 * @param {string} key
 * @param {TextKey} other
 * @returns {TextKey}
 */
export function keyOr(key, other) {
    return Object.hasOwn(ENGLISH, key) ? /** @type {TextKey} */ (key) : other;
}

/**
 * @param {string} model what the server calls it: a kind of model, or a name
 * @returns {string}
 */
export function nameModel(model) {
    return say(keyOr(`bme.model.${model}`, 'bme.model.named'), { model });
}

/**
 * @param {string} unit in English, as the server has it
 * @returns {string}
 */
export function nameUnit(unit) {
    const key = `bme.unit.${unit}`;
    return Object.hasOwn(ENGLISH, key) ? say(/** @type {TextKey} */ (key)) : unit;
}

/**
 * @param {string} type of a memory; one of the user's own goes by its own name
 * @returns {string}
 */
export function nameType(type) {
    const key = `bme.type.${type}`;
    return Object.hasOwn(ENGLISH, key) ? say(/** @type {TextKey} */ (key)) : type;
}

/**
 * @param {string} field of a memory; one of the user's own goes by its own name
 * @returns {string}
 */
export function nameField(field) {
    const key = `bme.field.${field}`;
    return Object.hasOwn(ENGLISH, key) ? say(/** @type {TextKey} */ (key)) : field;
}

/**
 * @param {number} number
 * @returns {string} in the language of the texts, which need not be the browser's
 */
export function sayNumber(number) {
    return number.toLocaleString(language());
}

/**
 * @param {number} time in milliseconds
 * @returns {string} day and time in the language of the texts
 */
export function sayTime(time) {
    return new Date(time).toLocaleString(language(), { dateStyle: 'medium', timeStyle: 'short' });
}
