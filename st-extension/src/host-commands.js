/** SillyTavern's slash commands. */

import { context } from './host.js';

/** SillyTavern marks its input box for as long as it executes what was typed there. */
const TYPED = '#form_sheld.isExecutingCommandsFromChatInput';

/**
 * @typedef {object} SlashCommand
 * @property {string} name
 * @property {string} help
 * @property {{ description: string, required: boolean }|null} argument
 * @property {string} quiet what the argument `quiet=true` is for
 * @property {(text: string, isSeen: boolean) => Promise<string>} run isSeen: the user typed it and wants to see the
 *     answer; scripts read it from the pipe
 */

/** @param {SlashCommand} command */
export function addSlashCommand({ name, help, argument, quiet, run }) {
    const { SlashCommandParser, SlashCommand, SlashCommandArgument, SlashCommandNamedArgument } = context();
    SlashCommandParser.addCommandObject(SlashCommand.fromProps({
        name,
        helpString: help,
        returns: 'text',
        namedArgumentList: [
            SlashCommandNamedArgument.fromProps({ name: 'quiet', description: quiet, typeList: ['bool'], defaultValue: 'false' }),
        ],
        unnamedArgumentList: argument === null ? [] : [
            SlashCommandArgument.fromProps({ description: argument.description, isRequired: argument.required }),
        ],
        callback: (/** @type {{ quiet?: unknown }} */ named, /** @type {unknown} */ unnamed) => {
            const isSeen = String(named.quiet) !== 'true' && document.querySelector(TYPED) !== null;
            return run(String(unnamed ?? ''), isSeen);
        },
    }));
}
