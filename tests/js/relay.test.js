import assert from 'node:assert/strict';
import test from 'node:test';

import { Relay, reasonOf } from '../../st-extension/src/relay.js';
import { ScriptedConnection, settle } from './fakes.js';

const REQUEST = {
    request: 'r1', page: 'here', task: 'extract', profile: '', system: 'You extract.', user: 'Read this.',
    max_tokens: 900, temperature: 0.2, json_schema: { type: 'object' },
};
const PROMPT = { system: 'You extract.', user: 'Read this.', maxTokens: 900, temperature: 0.2 };
const ANSWER = { text: '{"operations":[]}', model: 'scripted', promptTokens: 40, completionTokens: 7 };

/** Answers that a test settles by hand. */
class Host {
    online = true;
    generating = false;
    profiles = [{ id: 'p1', name: 'Local' }];
    asked = [];

    isOnline = () => this.online;
    isGenerating = () => this.generating;
    connectionProfiles = () => this.profiles;
    askCurrent = prompt => this.#ask({ profile: '', prompt });
    askProfile = (profile, prompt, signal) => this.#ask({ profile, prompt, signal });

    #ask(call) {
        return new Promise((resolve, reject) => this.asked.push({ ...call, resolve, reject }));
    }
}

function world() {
    const host = new Host();
    const connection = new ScriptedConnection();
    return { host, connection, relay: new Relay('here', host, connection), results: () => connection.of('llm/result') };
}

test('the current connection answers, with what it cost', async () => {
    const { host, relay, results } = world();

    const taken = relay.take(REQUEST);
    await settle();
    host.asked[0].resolve(ANSWER);
    await taken;

    assert.deepEqual(host.asked.map(({ profile, prompt }) => [profile, prompt]), [['', PROMPT]]);
    const told = { model: 'scripted', prompt_tokens: 40, completion_tokens: 7 };
    assert.deepEqual(results(), [{ request: 'r1', text: '{"operations":[]}', ...told }]);
});

test('a chosen profile answers, whether SillyTavern itself is connected or not', async () => {
    const { host, relay, results } = world();
    host.online = false;

    const taken = relay.take({ ...REQUEST, profile: 'p1' });
    await settle();
    host.asked[0].resolve(ANSWER);
    await taken;

    assert.equal(host.asked[0].profile, 'p1');
    assert.equal(results()[0].text, ANSWER.text);
});

test('what another page is asked for is passed over', async () => {
    const { host, relay, connection } = world();

    await relay.take({ ...REQUEST, page: 'there' });

    assert.deepEqual([host.asked, connection.calls], [[], []]);
});

test('a request that comes twice is asked once', async () => {
    const { host, relay } = world();

    void relay.take(REQUEST);
    await relay.take(REQUEST);
    await settle();

    assert.equal(host.asked.length, 1);
});

test('nothing is asked while a reply is being made', async t => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { host, relay, results } = world();
    host.generating = true;

    const taken = relay.take(REQUEST);
    t.mock.timers.tick(5000);
    await settle();
    assert.equal(host.asked.length, 0);
    host.generating = false;
    t.mock.timers.tick(1000);
    await settle();
    host.asked[0].resolve(ANSWER);
    await taken;

    assert.equal(results().length, 1);
});

test('what the reply waits for is asked while the reply is being made', async () => {
    const { host, relay, results } = world();
    host.generating = true;

    const taken = relay.take({ ...REQUEST, profile: 'p1', urgent: true });
    await settle();
    host.asked[0].resolve(ANSWER);
    await taken;

    assert.equal(results().length, 1);
});

test('without a connection the server is told so at once', async () => {
    const { host, relay, results } = world();
    host.online = false;

    await relay.take(REQUEST);

    assert.equal(host.asked.length, 0);
    assert.deepEqual(results().map(({ error }) => error), ['failed']);
    assert.match(results()[0].message, /not connected/);
});

for (const [what, wasStopped, expected] of [['the Stop of the user', true, 'aborted'], ['a failure', false, 'failed']]) {
    test(`${what} is told as ${expected}`, async () => {
        const { host, relay, results } = world();

        const taken = relay.take(REQUEST);
        await settle();
        if (wasStopped) relay.noteStop();
        host.asked[0].reject(new Error('Cancelled by stop event'));
        await taken;

        assert.deepEqual(results().map(({ error }) => error), [expected]);
    });
}

test('an answer that came in spite of Stop is used', async () => {
    const { host, relay, results } = world();

    const taken = relay.take(REQUEST);
    await settle();
    relay.noteStop();
    host.asked[0].resolve(ANSWER);
    await taken;

    assert.equal(results()[0].text, ANSWER.text);
});

test('an empty answer is a failure', async () => {
    const { host, relay, results } = world();

    const taken = relay.take(REQUEST);
    await settle();
    host.asked[0].resolve({ ...ANSWER, text: ' ' });
    await taken;

    assert.equal(results()[0].error, 'failed');
});

test('a cancelled call is dropped at once, and its profile is told to stop', async () => {
    const { host, relay, results } = world();

    const taken = relay.take({ ...REQUEST, profile: 'p1' });
    await settle();
    relay.cancel('r1');
    await taken;
    host.asked[0].resolve(ANSWER);
    await settle();

    assert.deepEqual([host.asked[0].signal.aborted, results()], [true, []]);
});

test('memory turned off drops every call', async () => {
    const { relay, results } = world();

    const calls = [relay.take(REQUEST), relay.take({ ...REQUEST, request: 'r2' })];
    await settle();
    relay.cancelAll();
    await Promise.all(calls);

    assert.deepEqual(results(), []);
});

test('text and counts go out as the wire allows them', async () => {
    const { host, relay, results } = world();

    const taken = relay.take(REQUEST);
    await settle();
    host.asked[0].resolve({ text: 'half \ud83d', model: 'm'.repeat(5_000), promptTokens: NaN, completionTokens: 1.5 });
    await taken;

    const model = 'm'.repeat(200);
    assert.deepEqual(results()[0], { request: 'r1', text: 'half \ufffd', model, prompt_tokens: 0, completion_tokens: 0 });
});

test('the server hears what this page can do, and again only when that changed', () => {
    const { host, connection, relay } = world();

    relay.announce();
    assert.equal(relay.announceNews(), false);
    host.profiles = [...host.profiles, { id: 'p2', name: 'Other' }];
    assert.equal(relay.announceNews(), true);

    assert.deepEqual(connection.of('host/state').map(({ page, online, profiles }) => [page, online, profiles.length]),
        [['here', true, 1], ['here', true, 2]]);
});

test('news without the server wait for it', () => {
    const { connection, relay } = world();
    connection.isUp = false;

    relay.announce();

    assert.deepEqual(connection.calls, []);
});

for (const [what, error, expected] of [
    ['an error', new Error('No message generated'), 'No message generated'],
    ['an error around another', new Error('API request failed', { cause: new Error('Rate limited') }), 'Rate limited'],
    ['what a provider sent', { error: { message: 'Model not found' } }, 'Model not found'],
    ['an object as text', new Error('[object Object]'), 'it failed without saying why'],
    ['nothing', undefined, 'it failed without saying why'],
    ['a key', new Error('Incorrect key: sk-proj-abc123'), 'Incorrect key: …'],
    ['a masked key', new Error('Incorrect key: sk-***wxyz.'), 'Incorrect key: ….'],
    ['a key of another form', new Error('Bad token abcdefghijklmnopqrstuvwxyz0123'), 'Bad token …'],
]) {
    test(`the reason of ${what} is said in short and without keys`, () => {
        assert.equal(reasonOf(error), expected);
    });
}

test('a long reason is cut', () => {
    assert.equal(reasonOf(new Error('so '.repeat(1000))).length, 300);
});
