import assert from 'node:assert/strict';
import test from 'node:test';

import { addCommands, addUsageCommand, shownCommands } from '../../st-extension/src/commands.js';
import { Refused, Unreachable } from '../../st-extension/src/protocol.js';
import { ENGLISH } from '../../st-extension/src/ui/texts.js';

globalThis.SillyTavern = { getContext: () => ({ translate: text => text }) };

/** The commands by name, of a chat whose server answers like this. */
function commandsOf(ask) {
    const commands = {};
    const shown = [];
    const add = shownCommands(command => { commands[command.name] = command; }, answer => shown.push(answer));
    addCommands(add, { attachment: ask && { ask } }, () => ({ enabled: true }));
    addUsageCommand(add, { command: ask });
    return { commands, shown };
}

const RECALLED = { steady: 'Mira is a clockmaker.', text: 'The lamp went out.' };

test('what the user typed is shown, and handed on as well', async () => {
    const { commands, shown } = commandsOf(() => Promise.resolve(RECALLED));

    const piped = await commands['bme-recall'].run('the lamp', true);

    assert.equal(piped, 'Mira is a clockmaker.\nThe lamp went out.');
    assert.deepEqual(shown, [piped]);
});

test('what a script asks is only handed on', async () => {
    const { commands, shown } = commandsOf(() => Promise.resolve(RECALLED));

    assert.notEqual(await commands['bme-recall'].run('the lamp', false), '');
    assert.deepEqual(shown, []);
});

test('JSON is shown in lines and handed on in one', async () => {
    const { commands, shown } = commandsOf(() => Promise.resolve({}));

    assert.equal(await commands['bme-status'].run('', true), '{"enabled":true}');
    assert.deepEqual(shown, ['{\n  "enabled": true\n}']);
});

test('an empty answer is said', async () => {
    const { commands, shown } = commandsOf(() => Promise.resolve({ steady: '', text: '' }));

    assert.equal(await commands['bme-recall'].run('the lamp', true), '');
    assert.deepEqual(shown, [ENGLISH['bme.command.nothing']]);
});

for (const [error, said] of [
    [new Refused('not_found', 'nothing is kept of floor 3'), 'No answer: nothing is kept of floor 3'],
    [new Refused('open_elsewhere', 'another page has it'), ENGLISH['bme.problem.open_elsewhere']],
    [new Unreachable('timeout', 'no answer'), ENGLISH['bme.command.no_server']],
]) {
    test(`a command says why it has no answer: ${said}`, async () => {
        const { commands } = commandsOf(() => Promise.reject(error));

        assert.equal(await commands['bme-why'].run('3', false), said);
        assert.equal(await commands['bme-usage'].run('1', false), said);
    });
}

test('a chat that is not attached has no memory to ask', async () => {
    const { commands } = commandsOf(null);

    assert.equal(await commands['bme-recall'].run('x', false), ENGLISH['bme.command.unavailable']);
});
