import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import test from 'node:test';

import { EMPTY_CHAIN, chainStep, messageKey, normalizeText, shortHash, wellFormed } from '../../st-extension/src/hash.js';

const VECTORS = JSON.parse(readFileSync(new URL('../vectors/keys.json', import.meta.url), 'ascii'));

test('keys are those of the shared vectors', () => {
    for (const { what, role, text, key } of VECTORS.keys) assert.equal(messageKey(role, text), key, what);
});

test('texts are normalized as in the shared vectors', () => {
    for (const { what, text, normalized } of VECTORS.normalized) assert.equal(normalizeText(text), normalized, what);
});

test('lists have the digests of the shared vectors', () => {
    for (const { what, rows, digest } of VECTORS.lists) {
        const entries = rows.map(row => (row ? [row.key, row.role, row.hidden ? 1 : 0, row.name].join('\x1f') : ''));
        assert.equal(entries.reduce(chainStep, EMPTY_CHAIN), digest, what);
    }
});

test('the hash is the start of SHA-256 at every length up to four blocks', () => {
    for (let length = 0; length <= 256; length++) {
        const text = 'b'.repeat(length);
        const whole = createHash('sha256').update(text).digest();
        assert.equal(shortHash(text), whole.subarray(0, 6).toString('base64url'), `length ${length}`);
    }
});

test('the hash of "abc" is the published one', () => {
    // FIPS 180-4: ba7816bf 8f01…
    assert.equal(shortHash('abc'), Buffer.from('ba7816bf8f01', 'hex').toString('base64url'));
});

test('lone surrogates become the replacement character and pairs stay', () => {
    assert.equal(wellFormed('\ud83d\ude00\ud83d'), '\ud83d\ude00\ufffd');
});
