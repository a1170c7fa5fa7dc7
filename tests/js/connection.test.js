import './browser-globals.js';

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import test from 'node:test';

import { Connection } from '../../st-extension/src/connection.js';
import { Refused, Unreachable } from '../../st-extension/src/protocol.js';
import { cleanUrl } from '../../st-extension/src/transport.js';
import { clearStorage } from './browser-globals.js';

const HELLO = { name: 'st-bme-bridge', version: '0.1.0', api_min: 1, api_max: 1 };
const TOKEN = 'token-of-this-browser';

/** A server on a real port; each path's answer can be changed by the test. */
class FakeServer {
    requests = [];
    streams = new Set();
    isPairing = true;
    hello = HELLO;
    answers = {};
    number = 100;
    #server = createServer((request, response) => void this.#handle(request, response));

    async start(port = 0) {
        await new Promise(resolve => { this.#server.listen(port, '127.0.0.1', resolve); });
        this.port = this.#server.address().port;
        this.url = `http://127.0.0.1:${this.port}`;
    }

    async stop() {
        this.#server.closeAllConnections();
        await new Promise(resolve => { this.#server.close(resolve); });
    }

    publish(name, data, number = ++this.number) {
        this.number = number;
        for (const stream of this.streams) stream.write(`id: ${number}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
    }

    async #handle(request, response) {
        let body = '';
        for await (const piece of request) body += piece;
        const seen = { path: request.url, token: request.headers.authorization ?? '', headers: request.headers };
        this.requests.push({ ...seen, body: body && JSON.parse(body) });
        const isPaired = seen.token === `Bearer ${TOKEN}`;
        if (request.url === '/v1/events') {
            response.writeHead(200, { 'Content-Type': 'text/event-stream' });
            response.write(`id: ${this.number}\nevent: ready\ndata: {}\n\n`);
            this.streams.add(response);
            response.on('close', () => this.streams.delete(response));
            return;
        }
        const answer = await this.#answer(request.url, isPaired, this.requests.at(-1).body);
        if (answer === null) return;
        response.writeHead(answer.status ?? 200, { 'Content-Type': 'application/json' });
        response.end(typeof answer.text === 'string' ? answer.text : JSON.stringify(answer));
    }

    async #answer(path, isPaired, body) {
        if (path in this.answers) return await this.answers[path](body);
        if (path === '/v1/hello') return { ...this.hello, paired: isPaired };
        if (path === '/v1/pair') return this.isPairing ? { token: TOKEN } : { paired: false, allow_url: `${this.url}/allow` };
        return isPaired ? { ok: true } : { code: 'not_paired', error: 'no token' };
    }
}

function connect() {
    const log = { ups: 0, downs: 0, events: [], gaps: 0, phases: [] };
    const connection = new Connection({
        changed: () => log.phases.push(`${connection.status.phase}:${connection.status.reason}`),
        up: () => { log.ups += 1; },
        down: () => { log.downs += 1; },
        event: event => log.events.push(event),
        gap: () => { log.gaps += 1; },
    });
    return { connection, log };
}

async function until(what, isSo) {
    for (let wait = 0; wait < 800; wait++) {
        if (isSo()) return;
        await new Promise(resolve => { setTimeout(resolve, 10); });
    }
    assert.fail(`in 8 s it did not happen: ${what}`);
}

/** Run with a server and a connection to it, and end both whatever happens. */
async function withServer(scenario, prepare = () => {}) {
    clearStorage();
    const server = new FakeServer();
    prepare(server);
    await server.start();
    const { connection, log } = connect();
    try {
        connection.start(server.url);
        await scenario({ server, connection, log });
    } finally {
        connection.stop();
        await server.stop();
    }
}

test('a browser that is allowed pairs by itself and keeps its token for this server only', () => withServer(async ({ server, connection, log }) => {
    await until('up', () => connection.isUp);

    assert.deepEqual([log.ups, localStorage.getItem(`st_bme_bridge.token:${server.url}`)], [1, TOKEN]);
    assert.equal(localStorage.getItem('st_bme_bridge.token:http://127.0.0.1:1'), null);
}));

test('the token is shown to nobody who has not said hello as our server', () => withServer(async ({ server, connection }) => {
    await until('refused', () => connection.status.reason === 'wrong_server');
    assert.ok(server.requests.every(({ token }) => token === ''));
}, server => {
    server.hello = { ...HELLO, name: 'something else' };
    localStorage.setItem('st_bme_bridge.token', TOKEN);
}));

test('a server of another version is not used', () => withServer(async ({ connection }) => {
    await until('refused', () => connection.status.reason === 'version_mismatch');
    assert.deepEqual([connection.status.phase, connection.status.detail], ['down', 'server 9.0.0']);
}, server => { server.hello = { ...HELLO, version: '9.0.0', api_min: 2, api_max: 3 }; }));

test('a page that is not JSON is another program', () => withServer(async ({ connection }) => {
    await until('refused', () => connection.status.reason === 'wrong_server');
}, server => { server.answers['/v1/hello'] = () => ({ text: '<html>router</html>' }); }));

test('pairing waits for the user, and a code is sent when it is typed', () => withServer(async ({ server, connection }) => {
    await until('waiting', () => connection.status.reason === 'pairing_waits');
    assert.deepEqual([connection.status.phase, connection.status.detail], ['unpaired', `${server.url}/allow`]);

    server.answers['/v1/pair'] = ({ code }) => (code === '123456' ? { token: TOKEN } : { status: 403, code: 'wrong_code', error: 'x' });
    connection.pairWithCode(' 000000 ');
    await until('refused', () => connection.status.reason === 'wrong_code');
    connection.pairWithCode('123456');

    await until('up', () => connection.isUp);
}, server => { server.isPairing = false; }));

test('a command carries the token and gives the answer', () => withServer(async ({ server, connection }) => {
    await until('up', () => connection.isUp);

    assert.deepEqual(await connection.command('chat/ack', { rev: 1 }), { ok: true });

    const { path, token, body, headers } = server.requests.at(-1);
    assert.deepEqual([path, token, body.rev], ['/v1/chat/ack', `Bearer ${TOKEN}`, 1]);
    assert.match(body.id, /^[0-9a-f]{24}$/);
    assert.equal(headers['content-type'], 'application/json');
}));

test('an error is read from the body, whatever the status', () => withServer(async ({ server, connection }) => {
    await until('up', () => connection.isUp);
    for (const status of [200, 400, 404, 500]) {
        server.answers['/v1/chat/recall'] = () => ({ status, code: 'unknown_chat', error: 'x' });
        await assert.rejects(connection.command('chat/recall', {}), error => error instanceof Refused && error.code === 'unknown_chat');
    }
    assert.ok(connection.isUp, 'a server that refuses is there');
}));

test('after a command without an answer the server counts as down until it says hello again', () => withServer(async ({ server, connection, log }) => {
    await until('up', () => connection.isUp);
    server.answers['/v1/chat/recall'] = () => null;

    await assert.rejects(connection.command('chat/recall', {}, { timeoutMs: 50 }), error => error instanceof Unreachable && error.kind === 'timeout');
    await until('down', () => !connection.isUp);
    const started = performance.now();
    await assert.rejects(connection.command('chat/recall', {}), Unreachable);
    assert.ok(performance.now() - started < 20, 'nothing is asked meanwhile');

    await until('up again', () => connection.isUp);
    assert.deepEqual([log.ups, log.downs], [2, 1]);
}));

test('a command that nobody waits for any more says nothing about the server', () => withServer(async ({ server, connection }) => {
    await until('up', () => connection.isUp);
    server.answers['/v1/chat/recall'] = () => null;
    const stop = new AbortController();
    const asked = connection.command('chat/recall', {}, { signal: stop.signal });

    stop.abort();

    await assert.rejects(asked, error => error instanceof Unreachable && error.kind === 'stopped');
    assert.ok(connection.isUp);
}));

test('a server that is gone is noticed at once and found again when it is back', async () => {
    clearStorage();
    const server = new FakeServer();
    await server.start();
    const { connection, log } = connect();
    connection.start(server.url);
    const again = new FakeServer();
    try {
        await until('up', () => connection.isUp);
        const started = performance.now();
        await server.stop();
        await until('down', () => !connection.isUp);
        assert.ok(performance.now() - started < 500);
        await until('named', () => connection.status.reason === 'server_off');

        await again.start(server.port);
        await until('up again', () => connection.isUp);

        assert.equal(log.ups, 2);
    } finally {
        connection.stop();
        await again.stop();
    }
});

test('a token that the server forgot is asked for anew', () => withServer(async ({ server, connection }) => {
    await until('up', () => connection.isUp);
    server.answers['/v1/chat/ack'] = () => ({ code: 'not_paired', error: 'x' });

    await assert.rejects(connection.command('chat/ack', {}), Refused);
    assert.equal(localStorage.getItem(`st_bme_bridge.token:${server.url}`), null);

    await until('up again', () => connection.isUp && localStorage.getItem(`st_bme_bridge.token:${server.url}`) === TOKEN);
}));

test('events arrive in order, and a missing number is a gap', () => withServer(async ({ server, connection, log }) => {
    await until('up', () => connection.isUp);
    server.publish('job', { task: 'one' });
    server.publish('job', { task: 'two' });
    await until('two events', () => log.events.length === 2);
    assert.equal(log.gaps, 0);

    server.publish('job', { task: 'four' }, server.number + 2);
    await until('three events', () => log.events.length === 3);

    assert.equal(log.gaps, 1);
    assert.deepEqual(log.events.map(event => event.data.task), ['one', 'two', 'four']);
}));

test('a stream that broke goes on after the last event', () => withServer(async ({ server, connection, log }) => {
    await until('up', () => connection.isUp);
    server.publish('job', { task: 'one' });
    await until('one event', () => log.events.length === 1);
    for (const stream of server.streams) stream.destroy();
    await until('down', () => log.downs === 1);
    await until('up again', () => log.ups === 2);

    const last = server.requests.filter(({ path }) => path === '/v1/events').at(-1);
    assert.equal(last.headers['last-event-id'], '101');
}));

test('after stop nothing is asked any more', () => withServer(async ({ server, connection }) => {
    await until('up', () => connection.isUp);
    connection.stop();
    const before = server.requests.length;
    await new Promise(resolve => { setTimeout(resolve, 700); });

    assert.deepEqual([server.requests.length, server.streams.size, connection.status.phase], [before, 0, 'off']);
}));

test('an address that is none is said to be none', () => {
    const { connection } = connect();
    connection.start('not an address');
    assert.deepEqual([connection.status.phase, connection.status.reason], ['down', 'bad_url']);
});

for (const [given, expected] of [
    [' http://127.0.0.1:8791/ ', 'http://127.0.0.1:8791'],
    ['https://host/bridge//', 'https://host/bridge'],
    ['http://127.0.0.1:8791/?x=1#y', 'http://127.0.0.1:8791'],
    ['127.0.0.1:8791', null],
    ['javascript:alert(1)', null],
    ['http://user:secret@host/', null],
    ['', null],
]) {
    test(`the address ${JSON.stringify(given)} is ${expected}`, () => assert.equal(cleanUrl(given), expected));
}
