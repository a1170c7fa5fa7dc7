import assert from 'node:assert/strict';
import test from 'node:test';

import { Attachment, takeSnapshot } from '../../st-extension/src/attachment.js';
import { Refused } from '../../st-extension/src/protocol.js';
import { ScriptedConnection, chatOf, message, settle } from './fakes.js';

const IDENTITY = { name: 'a chat', owner: 'mira.png', group: false, user_name: 'Tess', character_name: 'Mira' };
const ATTACHED = { lineage: 'abcdefgh', need: [], need_copy: false, read_only: false, elsewhere: false, patch: null,
    notices: [] };
const OPENING = { page: 'p', settings: {}, head: null, copy: undefined, deleted: false };
const NO_CONDITION = { onlyIfChanged: false };
const snap = chat => takeSnapshot(chat, -1);

async function attached(chat, answers = {}) {
    const connection = new ScriptedConnection({ 'chat/attach': ATTACHED, ...answers });
    const attachment = new Attachment(connection, IDENTITY);
    await attachment.attach(snap(chat), OPENING);
    await settle();
    return { connection, attachment };
}

test('attaching sends the whole list, and then the texts that the server asks for', async () => {
    const { connection } = await attached(chatOf(4), { 'chat/attach': { ...ATTACHED, need: [1, 3] } });

    const [attach] = connection.of('chat/attach');
    assert.deepEqual([attach.messages.keep, attach.messages.rows.length, attach.chat], [0, 4, IDENTITY]);
    assert.deepEqual(connection.of('chat/messages').flatMap(body => body.texts.map(text => text.floor)), [1, 3]);
});

test('the copy goes along only when it is asked for', async () => {
    let asked = 0;
    const connection = new ScriptedConnection({
        'chat/attach': () => ({ ...ATTACHED, need_copy: ++asked === 1 }),
    });
    const copy = { version: 10, rev: 3 };

    await new Attachment(connection, IDENTITY).attach(snap(chatOf(1)), { ...OPENING, copy });

    assert.deepEqual(connection.of('chat/attach').map(body => body.copy_state), [undefined, JSON.stringify(copy)]);
});

test('an event after a new message takes its row and its text along', async () => {
    const chat = chatOf(4);
    const { connection, attachment } = await attached(chat);
    chat.push(message('new'));

    await attachment.forward('MESSAGE_RECEIVED', [4], snap(chat), NO_CONDITION);

    const [event] = connection.of('chat/event');
    assert.deepEqual([event.lineage, event.event, event.args, event.messages.keep], ['abcdefgh', 'MESSAGE_RECEIVED', [4], 4]);
    assert.deepEqual(event.texts.map(text => [text.floor, text.text]), [[4, 'new']]);
});

test('a chat that is open elsewhere says so until its list is taken', async () => {
    let isRefused = true;
    const chat = chatOf(2);
    const { connection, attachment } = await attached(chat, {
        'chat/attach': { ...ATTACHED, elsewhere: true },
        'chat/event': () => { if (isRefused) throw new Refused('open_elsewhere', ''); return { need: [] }; },
        'chat/seat': () => { isRefused = false; return { need: [] }; },
    });
    assert.equal(attachment.isElsewhere, true);
    await assert.rejects(attachment.forward('MESSAGE_EDITED', [1], snap(chat), NO_CONDITION), { code: 'open_elsewhere' });

    await attachment.takeSeat(snap(chat));

    assert.equal(attachment.isElsewhere, false);
    const [seat] = connection.of('chat/seat');
    assert.deepEqual([seat.page, seat.messages.keep, seat.messages.rows.length], ['p', 0, 2]);
    chat.push(message('new'));
    await attachment.forward('MESSAGE_RECEIVED', [2], snap(chat), NO_CONDITION);
    assert.deepEqual(connection.of('chat/event').at(-1).messages.keep, 2);
});

test('the list as it was at the event is sent, not as it is when its turn comes', async () => {
    const chat = chatOf(2);
    const { connection, attachment } = await attached(chat);
    chat.push(message('short-lived'));
    const first = attachment.forward('MESSAGE_SENT', [2], snap(chat), NO_CONDITION);
    chat.length = 0;
    const second = attachment.forward('MESSAGE_DELETED', [0], snap(chat), NO_CONDITION);

    await Promise.all([first, second]);

    const lists = connection.of('chat/event').map(body => [body.messages.keep, body.messages.rows.length]);
    assert.deepEqual(lists, [[2, 1], [0, 0]]);
});

test('what follows waits for what came before', async () => {
    let release = () => {};
    const chat = chatOf(1);
    const { connection, attachment } = await attached(chat, {
        'chat/event': body => (body.event === 'FIRST' ? new Promise(resolve => { release = () => resolve({}); }) : {}),
    });
    attachment.forward('FIRST', [], snap(chat), NO_CONDITION);
    attachment.forward('SECOND', [], snap(chat), NO_CONDITION);
    await settle();
    assert.deepEqual(connection.of('chat/event').map(body => body.event), ['FIRST']);

    release();
    await settle();

    assert.deepEqual(connection.of('chat/event').map(body => body.event), ['FIRST', 'SECOND']);
});

test('an event that fails does not hold up the next', async () => {
    const chat = chatOf(1);
    const { connection, attachment } = await attached(chat, {
        'chat/event': body => (body.event === 'FIRST' ? Promise.reject(new Refused('internal', 'x')) : {}),
    });

    await assert.rejects(attachment.forward('FIRST', [], snap(chat), NO_CONDITION));
    await attachment.forward('SECOND', [], snap(chat), NO_CONDITION);

    assert.equal(connection.of('chat/event').length, 2);
});

test('a comparison is sent only if the chat changed without an event', async () => {
    const chat = chatOf(3);
    const { connection, attachment } = await attached(chat);

    assert.equal(await attachment.forward('CHAT_COMPARED', [], snap(chat), { onlyIfChanged: true }), false);
    chat[1].is_system = true;
    assert.equal(await attachment.forward('CHAT_COMPARED', [], snap(chat), { onlyIfChanged: true }), true);

    const [event] = connection.of('chat/event');
    assert.deepEqual([event.messages.keep, event.messages.rows[0].hidden], [1, true]);
});

test('a server with another list gets the whole one', async () => {
    let refused = 0;
    const chat = chatOf(4);
    const { connection, attachment } = await attached(chat, {
        'chat/event': () => {
            if (refused++ === 0) throw new Refused('view_mismatch', 'x');
            return { need: [] };
        },
    });
    chat.push(message('new'));

    await attachment.forward('MESSAGE_RECEIVED', [4], snap(chat), NO_CONDITION);

    assert.deepEqual(connection.of('chat/event').map(body => body.messages.keep), [4, 0]);
});

test('a swipe deleted beside the shown one is told', async () => {
    const last = message('two', { swipes: ['one', 'two'], swipe_id: 1 });
    const chat = [message('a'), last];
    const { connection, attachment } = await attached(chat);
    await attachment.forward('MESSAGE_SWIPED', [1], snap(chat), NO_CONDITION);
    last.swipes.shift();
    last.swipe_id = 0;

    await attachment.forward('MESSAGE_SWIPE_DELETED', [], snap(chat), NO_CONDITION);
    await attachment.forward('GENERATION_ENDED', [], snap(chat), NO_CONDITION);

    assert.deepEqual(connection.of('chat/event').map(body => body.texts.map(text => text.swipes.length)), [[1], [0], []]);
});

test('a recall takes along what the server lacks', async () => {
    const chat = chatOf(2);
    const { connection, attachment } = await attached(chat, { 'chat/recall': { text: '', need: [0] } });
    chat.push(message('question', { is_user: true }));

    await attachment.recall({ generation: 'normal' }, snap(chat), new AbortController().signal);
    await settle();

    assert.deepEqual(connection.of('chat/recall')[0].texts.map(text => text.text), ['question']);
    assert.deepEqual(connection.of('chat/messages')[0].texts.map(text => text.floor), [0]);
});
