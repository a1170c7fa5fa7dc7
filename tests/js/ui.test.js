import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import test from 'node:test';

import { whyUnreachable } from '../../st-extension/src/diagnose.js';
import { readValue } from '../../st-extension/src/settings.js';
import { badgeOf } from '../../st-extension/src/ui/badge.js';
import { ENGLISH, nameModel, say, sayNumber, sayTime } from '../../st-extension/src/ui/texts.js';

const ROOT = new URL('../../', import.meta.url);
const read = path => readFileSync(new URL(path, ROOT), 'utf8');
const MANIFEST = JSON.parse(read('manifest.json'));
const SOURCES = readdirSync(new URL('st-extension/', ROOT), { recursive: true })
    .filter(name => name.endsWith('.js'))
    .map(name => [name, read(`st-extension/${name}`)]);
const gapsOf = text => [...text.matchAll(/\{(\w+)(?::[^}]*)?\}/g)].map(([, gap]) => `{${gap}}`).sort();

for (const path of new Set(Object.values(MANIFEST.i18n))) {
    test(`${path} has every text of the page, with the same gaps`, () => {
        const other = JSON.parse(read(path));

        assert.deepEqual(Object.keys(other).sort(), Object.keys(ENGLISH).sort());
        for (const [key, text] of Object.entries(ENGLISH)) {
            assert.deepEqual(gapsOf(other[key]), gapsOf(text), key);
            assert.notEqual(other[key], text, `${key} is not translated`);
        }
    });
}

for (const [count, said] of [[0, '0 memories.'], [1, '1 memory.'], [21, '21 memories.']]) {
    test(`a count stands with its form of the word: ${said}`, () => {
        globalThis.SillyTavern = { getContext: () => ({ translate: text => text }) };

        assert.equal(say('bme.graph.of', { shown: count }), said);
    });
}

test('a count in a language with one form is a count', () => {
    globalThis.SillyTavern = { getContext: () => ({ translate: () => '{shown} 条记忆。' }) };

    assert.equal(say('bme.graph.of', { shown: 1 }), '1 条记忆。');
});

for (const [locale, time] of [['en', 'Nov 30, 2026, 8:05 PM'], ['zh-cn', '2026年11月30日 20:05'], ['fr-fr', 'Nov 30, 2026, 8:05 PM']]) {
    test(`times and numbers are in the language of the texts: ${locale}`, () => {
        globalThis.SillyTavern = { getContext: () => ({ getCurrentLocale: () => locale }) };

        assert.equal(sayTime(new Date(2026, 10, 30, 20, 5).getTime()).replace('\u202f', ' '), time);
        assert.equal(sayNumber(1090), '1,090');
    });
}

test('a model goes by its name, and SillyTavern by its own', () => {
    globalThis.SillyTavern = { getContext: () => ({ translate: text => text }) };

    assert.deepEqual(['relay', 'heuristic', 'gpt-9'].map(nameModel), ['SillyTavern’s connection', 'patterns only', '“gpt-9”']);
});

test('no text that is read speaks of a relay', () => {
    for (const [key, text] of Object.entries(ENGLISH)) assert.doesNotMatch(text, /relay/i, key);
});

test('no time and no number is in the language of the browser', () => {
    for (const [name, source] of SOURCES) assert.doesNotMatch(source, /toLocale\w*String\(\)/, name);
});

test('the manifest names files that are there', () => {
    for (const path of [MANIFEST.js, MANIFEST.css, ...Object.values(MANIFEST.i18n)]) assert.ok(read(path).length > 0, path);
    assert.ok(read(MANIFEST.js).includes(MANIFEST.generate_interceptor));
});

test('only host.js touches SillyTavern', () => {
    for (const [name, source] of SOURCES) {
        assert.equal(/\bSillyTavern\??\.[a-z]|getContext\(/.test(source.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')), name === 'src/host.js', name);
    }
});

test('nothing is imported from outside', () => {
    for (const [name, source] of SOURCES) {
        for (const [, from] of source.matchAll(/from '([^']+)'/g)) assert.match(from, /^\.\.?\/[\w./-]+\.js$/, name);
    }
});

test('no text enters the page as HTML', () => {
    for (const [name, source] of SOURCES) {
        assert.doesNotMatch(source, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\.html\(/, name);
    }
});

const UP = { phase: 'up', reason: 'connected', detail: '', hello: null, way: 'direct' };
const FACTS = {
    status: UP,
    hasChat: true,
    isAttached: true,
    problem: '',
    lastOutcome: '',
    isRelayOffline: false,
    trouble: null,
    serverUrl: 'http://127.0.0.1:8791',
    pageOrigin: 'http://192.168.1.5:8000',
    folder: 'ST-BME-Bridge',
};
const trouble = code => ({ code, task: 'Extraction', reason: 'status 401' });
const down = (reason, phase = 'down', detail = '') => ({ ...FACTS, status: { ...UP, phase, reason, detail } });

for (const [facts, color, key] of [
    [FACTS, 'green', 'bme.badge.ready'],
    [{ ...FACTS, hasChat: false, isAttached: false }, 'green', 'bme.badge.no_chat'],
    [{ ...FACTS, isAttached: false }, 'amber', 'bme.badge.opening'],
    [{ ...FACTS, lastOutcome: 'late' }, 'amber', 'bme.badge.late'],
    [{ ...FACTS, lastOutcome: 'failed' }, 'amber', 'bme.badge.failed'],
    [{ ...FACTS, isRelayOffline: true }, 'amber', 'bme.badge.relay_offline'],
    [{ ...FACTS, trouble: trouble('key_wrong') }, 'amber', 'bme.trouble.key_wrong'],
    [{ ...FACTS, trouble: trouble('unheard_of') }, 'amber', 'bme.trouble.model_failed'],
    [{ ...FACTS, isAttached: false, problem: 'newer_state' }, 'amber', 'bme.problem.newer_state'],
    [{ ...FACTS, isAttached: false, problem: 'unheard_of' }, 'amber', 'bme.problem.other'],
    [down('disabled', 'off'), 'grey', 'bme.badge.off'],
    [down('connecting', 'connecting'), 'amber', 'bme.badge.connecting'],
    [down('pairing_waits', 'unpaired', 'http://127.0.0.1:8791/allow'), 'amber', 'bme.badge.pairing_waits'],
    [down('server_off'), 'red', 'bme.badge.server_off'],
    [down('bad_url'), 'red', 'bme.badge.bad_url'],
    [down('wrong_server'), 'red', 'bme.badge.wrong_server'],
    [down('version_mismatch'), 'red', 'bme.badge.version_mismatch'],
    [down('blocked_permission'), 'red', 'bme.badge.blocked_permission'],
    [down('unheard_of'), 'red', 'bme.badge.unknown'],
]) {
    test(`the badge is ${color} and says ${key}`, () => {
        const badge = badgeOf(facts);

        assert.deepEqual([badge.color, badge.key], [color, key]);
    });
}

test('each reason for which nothing answers has words of its own', () => {
    const reasons = ['server_off', 'server_off_or_refused', 'wrong_server', 'bad_url', 'pairing_waits', 'wrong_code',
        'blocked_mixed_content', 'blocked_other_machine', 'blocked_permission', 'blocked_origin', 'wrong_host',
        'version_mismatch'];

    const texts = reasons.map(reason => ENGLISH[badgeOf(down(reason)).key]);

    assert.equal(new Set(texts).size, reasons.length);
});

test('each trouble with a model has words of its own and says what and why', () => {
    const codes = ['model_failed', 'answer_unusable', 'model_timeout', 'endpoint_refused', 'key_wrong', 'host_key_wrong',
        'rate_limited', 'request_refused'];

    const badges = codes.map(code => badgeOf({ ...FACTS, trouble: trouble(code) }));

    assert.equal(new Set(badges.map(({ key }) => ENGLISH[key])).size, codes.length);
    for (const { key, gaps } of badges) {
        assert.deepEqual(gapsOf(ENGLISH[key]), ['{reason}', '{task}']);
        assert.deepEqual(gaps, { task: 'Extraction', reason: 'status 401' });
    }
});

test('what the user can do comes with the badge', () => {
    const start = 'python3 "data/default-user/extensions/ST-BME-Bridge/server/start.py"';
    assert.equal(badgeOf(down('server_off')).command, start);
    assert.equal(badgeOf(down('blocked_origin')).command, `${start} --allow-origin http://192.168.1.5:8000`);
    assert.equal(badgeOf(down('blocked_other_machine')).command, 'enableCorsProxy: true');
    assert.equal(badgeOf(down('pairing_waits', 'unpaired', 'http://127.0.0.1:8791/allow?origin=x')).link, 'http://127.0.0.1:8791/allow?origin=x');
});

for (const [serverUrl, end] of [
    ['http://127.0.0.1:8791', '.py"'],
    ['http://127.0.0.1:8795', '.py" --port 8795'],
    ['http://[::1]:8795/', '.py" --port 8795'],
    ['https://memory.example', '.py"'],
]) {
    test(`the line that starts the server lets it listen at ${serverUrl}`, () => {
        const { command } = badgeOf({ ...down('server_off'), serverUrl });

        assert.ok(command.endsWith(end), command);
    });
}

test('a link of the server that is no web address is not offered', () => {
    assert.equal(badgeOf(down('pairing_waits', 'unpaired', 'javascript:alert(1)')).link, '');
});

const LAN = 'http://192.168.1.5:8000/';
const HOME = 'http://127.0.0.1:8000/';
const SERVER = 'http://127.0.0.1:8791';
for (const [pageUrl, serverUrl, permission, answersOpaquely, expected] of [
    [HOME, SERVER, 'unknown', false, 'server_off'],
    [HOME, SERVER, 'unknown', true, 'wrong_server'],
    ['https://127.0.0.1:8000/', SERVER, 'granted', false, 'server_off'],
    ['http://localhost:8000/', 'http://192.168.1.9:8791', 'unknown', false, 'server_off'],
    [LAN, SERVER, 'unknown', false, 'blocked_other_machine'],
    [LAN, SERVER, 'granted', false, 'blocked_other_machine'],
    [LAN, SERVER, 'denied', false, 'blocked_other_machine'],
    ['https://tunnel.example/', SERVER, 'prompt', false, 'blocked_permission'],
    ['https://tunnel.example/', SERVER, 'denied', false, 'blocked_permission'],
    ['https://tunnel.example/', 'http://192.168.1.9:8791', 'denied', false, 'blocked_mixed_content'],
    [LAN, 'http://192.168.1.5:8791', 'unknown', false, 'server_off_or_refused'],
    [LAN, 'http://192.168.1.5:8791', 'unknown', true, 'blocked_origin'],
]) {
    test(`from ${pageUrl} to ${serverUrl} (${permission}, ${answersOpaquely}): ${expected}`, () => {
        assert.equal(whyUnreachable({ pageUrl, serverUrl, permission, answersOpaquely }), expected);
    });
}

const WHOLE = { kind: 'int', minimum: 1, maximum: 50, choices: [] };
for (const [spec, given, expected] of [
    [WHOLE, '7', { value: 7 }],
    [WHOLE, ' 50 ', { value: 50 }],
    [WHOLE, '0', { fault: 'too_small' }],
    [WHOLE, '51', { fault: 'too_large' }],
    [WHOLE, '1.5', { fault: 'not_whole' }],
    [WHOLE, '', { fault: 'not_a_number' }],
    [WHOLE, 'seven', { fault: 'not_a_number' }],
    [WHOLE, 'Infinity', { fault: 'not_a_number' }],
    [{ ...WHOLE, kind: 'float', minimum: 0, maximum: 1 }, '0,25', { value: 0.25 }],
    [{ ...WHOLE, minimum: null, maximum: null }, '-3', { value: -3 }],
    [{ kind: 'bool' }, true, { value: true }],
    [{ kind: 'text' }, ' kept ', { value: ' kept ' }],
    [{ kind: 'choice', choices: [{ value: 'a' }] }, 'a', { value: 'a' }],
    [{ kind: 'choice', choices: [{ value: 'a' }] }, 'b', { fault: 'not_a_choice' }],
]) {
    test(`a setting of kind ${spec.kind} reads ${JSON.stringify(given)} as ${JSON.stringify(expected)}`, () => {
        assert.deepEqual(readValue(spec, given), expected);
    });
}
