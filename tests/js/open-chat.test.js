import assert from 'node:assert/strict';
import test from 'node:test';

import { takeSnapshot } from '../../st-extension/src/attachment.js';
import { OpenChat } from '../../st-extension/src/open-chat.js';
import { Refused } from '../../st-extension/src/protocol.js';
import { ScriptedConnection, chatOf, never, settle } from './fakes.js';

const IDENTITY = { name: 'a chat', owner: 'mira.png', group: false, user_name: 'Tess', character_name: 'Mira' };
const ATTACHED = { lineage: 'abcdefgh', need: [], need_copy: false, read_only: false, elsewhere: false, patch: null,
    notices: [] };

/** SillyTavern with a chat open, and the page's idea of it. */
function browser({ answers = {}, isUp = true } = {}) {
    const connection = new ScriptedConnection({ 'chat/attach': ATTACHED, ...answers });
    connection.isUp = isUp;
    const characters = [IDENTITY.owner];
    const at = { identity: IDENTITY, characters, copy: undefined, mark: 'mark-1', chat: chatOf(2), attached: 0,
        chats: () => Promise.resolve(true) };
    const open = new OpenChat(connection, {
        chatIdentity: () => at.identity,
        hasCharacter: avatar => at.characters.includes(avatar),
        snapshot: () => takeSnapshot(at.chat, -1),
        readCopy: () => at.copy,
        chatMark: () => at.mark,
        hasChat: (_, name) => at.chats(name),
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
    at.mark = 'mark-2';

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

const MARKED = { ...COPY, chat: { ...COPY.chat, mark: 'mark-1' } };

async function saidOfAnother({ name = 'new name', owner = IDENTITY.owner, mark = 'mark-1', copy = MARKED, chats }) {
    const { at, connection, open } = browser();
    Object.assign(at, { identity: { ...IDENTITY, name, owner }, mark, copy, chats });
    open.reopen();
    await open.ready();
    return connection.of('chat/attach')[0].copy_head.chat_gone ?? false;
}

test('a chat that was renamed while nobody looked says that the old one is gone', async () => {
    const asked = [];
    const among = there => name => {
        asked.push(name);
        return Promise.resolve(there.includes(name));
    };

    assert.equal(await saidOfAnother({ chats: among(['new name']) }), true);
    assert.equal(await saidOfAnother({ chats: among(['new name', 'a chat']) }), false, 'an import beside it');
    assert.deepEqual(asked, ['a chat', 'a chat']);
});

test('no branch, no chat of another character and no copy without a mark is one that was renamed', async () => {
    const chats = () => Promise.resolve(false);

    assert.equal(await saidOfAnother({ chats, mark: 'mark-2' }), false);
    assert.equal(await saidOfAnother({ chats, owner: 'other.png' }), false);
    assert.equal(await saidOfAnother({ chats, copy: COPY }), false);
    assert.equal(await saidOfAnother({ chats, copy: COPY, mark: '' }), false);
    assert.equal(await saidOfAnother({ chats, name: 'a chat' }), false);
});

test('a list of chats that cannot be had says nothing', async () => {
    assert.equal(await saidOfAnother({ chats: () => Promise.reject(new TypeError('offline')) }), false);
});
