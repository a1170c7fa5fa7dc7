import assert from 'node:assert/strict';
import test from 'node:test';

import { Attachment, takeSnapshot } from '../../st-extension/src/attachment.js';
import { OpenChat } from '../../st-extension/src/open-chat.js';
import { Refused } from '../../st-extension/src/protocol.js';
import { ScriptedConnection, chatOf, message, never, settle } from './fakes.js';

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

/** SillyTavern with a chat open, and the page's idea of it. */
function browser({ answers = {}, isUp = true } = {}) {
    const connection = new ScriptedConnection({ 'chat/attach': ATTACHED, ...answers });
    connection.isUp = isUp;
    const characters = [IDENTITY.owner];
    const at = { identity: IDENTITY, characters, copy: undefined, integrity: 'i-1', chat: chatOf(2), attached: 0 };
    const open = new OpenChat(connection, {
        chatIdentity: () => at.identity,
        hasCharacter: avatar => at.characters.includes(avatar),
        snapshot: () => snap(at.chat),
        readCopy: () => at.copy,
        integrity: () => at.integrity,
        settings: () => ({ enabled: true }),
    }, { attached: () => { at.attached += 1; }, changed: () => {} });
    return { at, connection, open };
}

test('of several openings in a row only the last is attached', async () => {
    const { at, connection, open } = browser();
    for (const name of ['one', 'two', 'three']) {
        at.identity = { ...IDENTITY, name };
        open.reopen();
    }

    const attachment = await open.ready();

    assert.deepEqual(connection.of('chat/attach').map(body => body.chat.name), ['three']);
    assert.equal(attachment.identity.name, 'three');
});

test('between two chats there is no attachment', async () => {
    const { at, open } = browser();
    open.reopen();
    await open.ready();
    assert.notEqual(open.attachment, null);

    at.identity = { ...IDENTITY, name: 'another' };

    assert.equal(open.attachment, null);
});

test('leaving a chat closes it at the server', async () => {
    const { connection, open } = browser();
    open.reopen();
    await open.ready();

    open.leave();

    assert.deepEqual(connection.of('chat/close').map(body => body.lineage), ['abcdefgh']);
    assert.equal(open.attachment, null);
});

test('nothing is asked while the server is away', async () => {
    const { connection, open } = browser({ isUp: false });
    open.reopen();
    await settle();

    assert.deepEqual(connection.calls, []);
});

test('an answer for a chat that was left meanwhile is closed', async () => {
    let answer = () => {};
    const { at, connection, open } = browser({ answers: { 'chat/attach': () => new Promise(resolve => { answer = resolve; }) } });
    open.reopen();
    await new Promise(resolve => setTimeout(resolve, 5));
    at.identity = null;

    answer(ATTACHED);
    await open.ready();

    assert.deepEqual([at.attached, connection.of('chat/close').length], [0, 1]);
});

test('a chat of a newer version is left alone', async () => {
    const { at, connection, open } = browser({ answers: { 'chat/attach': { ...ATTACHED, lineage: '', read_only: true } } });
    open.reopen();
    await open.ready();
    await open.ready();

    assert.deepEqual([open.problem, at.attached, open.attachment], ['newer_state', 0, null]);
    assert.deepEqual(connection.calls.map(call => call.name), ['chat/attach']);
});

test('a refused chat says why, and is tried again only after a while', async t => {
    t.mock.timers.enable({ apis: ['Date'], now: 1_000_000 });
    let asked = 0;
    const { connection, open } = browser({
        answers: { 'chat/attach': () => (++asked === 1 ? Promise.reject(new Refused('corrupt_state', 'x')) : ATTACHED) },
    });
    open.reopen();
    await open.ready();
    assert.deepEqual([open.problem, await open.ready(), connection.calls.length], ['corrupt_state', null, 1]);

    t.mock.timers.setTime(1_006_000);
    const attachment = await open.ready();

    assert.deepEqual([open.problem, attachment?.lineage], ['', 'abcdefgh']);
});

const COPY = { version: 10, lineage: 'abcdefgh', chat: { name: IDENTITY.name, owner: IDENTITY.owner }, rev: 1, head: 'h' };

test('a renamed chat is attached under its new name as the same chat', async () => {
    const { at, connection, open } = browser();
    at.copy = COPY;
    open.reopen();
    await open.ready();
    at.identity = { ...IDENTITY, name: 'new name' };
    open.reopen();
    await new Promise(resolve => setTimeout(resolve, 5));
    assert.equal(connection.of('chat/attach').length, 1, 'it waits for the word of SillyTavern');

    open.noteRename({ oldFileName: 'a chat.jsonl' });
    await open.ready();

    assert.deepEqual(connection.of('chat/attach').map(body => body.copy_head.chat), ['a chat', 'new name']);
});

test('of a copy from a character that is no more it says so, in a group of none', async () => {
    const { at, connection, open } = browser();
    at.copy = COPY;
    const owners = [[IDENTITY.owner, 'new.png'], ['new.png']];
    for (const characters of owners) {
        at.characters = characters;
        at.identity = { ...IDENTITY, owner: 'new.png' };
        open.reopen();
        await open.ready();
    }
    at.identity = { ...IDENTITY, owner: 'a group', group: true };
    open.reopen();
    await open.ready();

    const said = connection.of('chat/attach').map(body => body.copy_head.owner_gone ?? false);
    assert.deepEqual(said, [false, true, false]);
});

test('a branch is attached at once as the copy that it is', async () => {
    const { at, connection, open } = browser();
    at.copy = COPY;
    open.reopen();
    await open.ready();
    at.identity = { ...IDENTITY, name: 'Branch #1' };
    at.integrity = 'i-2';

    open.reopen();
    await open.ready();

    assert.equal(connection.of('chat/attach')[1].copy_head.chat, 'a chat');
});

test('an import of the open chat is no rename', async t => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { at, connection, open } = browser();
    at.copy = COPY;
    open.reopen();
    t.mock.timers.tick(0);
    await open.ready();
    at.identity = { ...IDENTITY, name: 'a chat imported' };
    open.reopen();
    t.mock.timers.tick(0);
    await settle();

    t.mock.timers.tick(1500);
    await open.ready();

    assert.equal(connection.of('chat/attach')[1].copy_head.chat, 'a chat');
});

test('a dropped connection ends what was under way', async () => {
    const { connection, open } = browser({ answers: { 'chat/attach': (_body, { signal }) => { signal.throwIfAborted(); return never(); } } });
    open.reopen();
    await new Promise(resolve => setTimeout(resolve, 5));

    open.drop();

    assert.equal(open.attachment, null);
    assert.equal(connection.of('chat/close').length, 0);
});
