/**
 * Slash commands; each gives a text that scripts can use, and that is shown to whoever typed the command.
 *
 * @typedef {import('./open-chat.js').OpenChat} OpenChat
 * @typedef {import('./protocol.js').Extracted} Extracted
 * @typedef {import('./protocol.js').Recalled} Recalled
 *
 * @typedef {(name: string, help: string, argument: { description: string, required: boolean }|null,
 *     run: (text: string) => Promise<string>) => void} AddCommand
 */

import { catchUpBy, readerOf } from './catch-up.js';
import { logWarning } from './log.js';
import { Refused } from './protocol.js';
import { keyOr, say } from './ui/texts.js';
import { variableOf, variablesOf } from './variables.js';

const EXTRACT_TIMEOUT_MS = 600_000;

/**
 * @param {(command: import('./host-commands.js').SlashCommand) => void} add
 * @param {(answer: string) => void} show
 * @returns {AddCommand} adds commands whose answer is shown where the user typed them
 */
export function shownCommands(add, show) {
    return (name, help, argument, run) => add({
        name,
        help,
        argument,
        quiet: say('bme.command.quiet'),
        run: async (text, isSeen) => {
            const answer = await run(text);
            if (isSeen) show(legible(answer) || say('bme.command.nothing'));
            return answer;
        },
    });
}

/**
 * @param {string} answer
 * @returns {string} JSON in lines, all else as it is
 */
function legible(answer) {
    try {
        return JSON.stringify(JSON.parse(answer), null, 2);
    } catch {
        return answer;
    }
}

/**
 * @param {AddCommand} add
 * @param {OpenChat} chat
 * @param {() => object} status what `/bme-status` tells
 */
export function addCommands(add, chat, status) {
    add('bme-status', say('bme.command.status'), null, () => Promise.resolve(JSON.stringify(status())));
    add(
        'bme-recall',
        say('bme.command.recall'),
        { description: say('bme.command.recall.text'), required: true },
        text => ask(chat, async attachment => {
            const question = { generation: 'normal', text, early: true };
            const recalled = /** @type {Recalled} */ (await attachment.ask('chat/recall', question));
            return [recalled.steady, recalled.text].filter(Boolean).join('\n');
        }),
    );
    add(
        'bme-why',
        say('bme.command.why'),
        { description: say('bme.command.why.floor'), required: true },
        floor => ask(chat, async attachment =>
            JSON.stringify(await attachment.ask('recall/why', { floor: Number(floor) }))),
    );
    add('bme-extract', say('bme.command.extract'), null, () => ask(chat, async attachment => {
        const options = { timeoutMs: EXTRACT_TIMEOUT_MS };
        const extracted = /** @type {Extracted} */ (await attachment.ask('chat/extract', {}, options));
        return JSON.stringify(extracted);
    }));
    add(
        'bme-upkeep',
        say('bme.command.upkeep'),
        { description: say('bme.command.upkeep.tasks'), required: false },
        text => ask(chat, async attachment => JSON.stringify(await attachment.ask(
            'chat/upkeep', { tasks: text.split(/[\s,]+/).filter(Boolean) }, { timeoutMs: EXTRACT_TIMEOUT_MS }))),
    );
    add(
        'bme-purge',
        say('bme.command.purge'),
        { description: say('bme.command.purge.confirm'), required: true },
        text => text.trim() !== 'yes' ? Promise.resolve(say('bme.command.purge.confirm')) : ask(chat, async attachment =>
            JSON.stringify(await attachment.ask('chat/purge', { confirm: true }))),
    );
}

/**
 * @param {AddCommand} add
 * @param {OpenChat} chat
 * @param {() => import('./protocol.js').JsonObject|undefined} readCopy
 */
export function addStoryCommands(add, chat, readCopy) {
    add('bme-var', say('bme.command.var'), { description: say('bme.command.var.name'), required: false }, name =>
        Promise.resolve(name.trim() ? variableOf(readCopy(), name) : JSON.stringify(variablesOf(readCopy()))));
    add(
        'bme-catch-up',
        say('bme.command.catch_up'),
        { description: say('bme.command.catch_up.action'), required: false },
        word => ask(chat, async () => JSON.stringify(await catchUpBy(readerOf(chat), word.trim()))),
    );
}

/**
 * @param {AddCommand} add
 * @param {Pick<import('./connection.js').Connection, 'command'>} connection
 */
export function addUsageCommand(add, connection) {
    add('bme-usage', say('bme.command.usage'), { description: say('bme.command.usage.days'), required: false }, async days => {
        try {
            return JSON.stringify(await connection.command('usage', { days: Number(days) || 1 }));
        } catch (error) {
            return reasonOf(error);
        }
    });
}

/**
 * @param {OpenChat} chat
 * @param {(attachment: import('./attachment.js').Attachment) => Promise<string>} question
 * @returns {Promise<string>}
 */
async function ask(chat, question) {
    const { attachment } = chat;
    if (attachment === null) return say('bme.command.unavailable');
    try {
        return await question(attachment);
    } catch (error) {
        return reasonOf(error);
    }
}

/**
 * @param {unknown} error
 * @returns {string} why a command has no answer
 */
function reasonOf(error) {
    logWarning('the command failed', error);
    if (!(error instanceof Refused)) return say('bme.command.no_server');
    return say(keyOr(`bme.problem.${error.code}`, 'bme.command.failed'), { reason: error.message });
}
