import assert from 'node:assert/strict';
import test from 'node:test';

import { newCounters } from '../../st-extension/src/counters.js';
import { Injection } from '../../st-extension/src/injection.js';
import { ANSWER_LIMIT_MS, Interceptor } from '../../st-extension/src/interceptor.js';
import { Refused, Unreachable } from '../../st-extension/src/protocol.js';
import { never, settle } from './fakes.js';

const LINE = { key: 'key', role: 0, name: 'Mira', hidden: false, entry: '', text: 'Rain again.' };
const MEMORY = { text: 'Mira hid the key.', tokens: 5, position: 1, depth: 3, role: 0, items: [{}], need: [] };

/** An interceptor with everything around it; `recall` stands for the server. */
function world({ recall = () => Promise.resolve(MEMORY), length = 4 } = {}) {
    const prompts = [];
    const at = { enabled: true, isUp: true, isTextCompletion: false, givenUp: 0, reopened: 0, length, choiceLimitMs: 0, counted: 0 };
    Object.assign(at, { questions: [], inContext: undefined }); // what was asked, and what SillyTavern knows
    const attachment = {
        recall: (question, _snapshot, signal) => {
            at.questions.push(question);
            return recall(question, signal);
        },
    };
    const connection = { get isUp() { return at.isUp; }, giveUp: () => { at.givenUp += 1; } };
    at.chat = { attachment, ready: () => Promise.resolve(at.chat.attachment), reopen: () => { at.reopened += 1; } };
    const counters = newCounters();
    const interceptor = new Interceptor({
        isEnabled: () => at.enabled,
        connection,
        chat: at.chat,
        injection: new Injection((...prompt) => prompts.push(prompt)),
        snapshot: () => ({ chat: [], lines: Array(at.length).fill(LINE) }),
        speaker: () => 'Mira',
        cardText: () => 'A calm woman.', // 13 bytes: 5 tokens beside the instructions' 300
        lastInContext: () => at.inContext,
        countTokens: () => Promise.resolve(at.counted),
        isTextCompletion: () => at.isTextCompletion,
        choiceLimitMs: () => at.choiceLimitMs,
        counters,
    });
    return { at, prompts, counters, interceptor };
}

const shown = prompts => prompts.at(-1)[1];

test('the memory is put into the prompt as the server says', async () => {
    const { prompts, interceptor, counters, at } = world();

    await interceptor.run(4000.5, 'normal');

    assert.deepEqual(prompts.at(-1), ['recalled', 'Mira hid the key.', 1, 3, 0]);
    assert.equal(counters.lastOutcome, 'injected');
    assert.deepEqual(at.questions, [{ generation: 'normal', speaker: 'Mira', context_tokens: 4000, fixed_tokens: 305, token_ratio: 1 }]);
});

test('a tokenizer that counts more than the server is told from then on', async () => {
    const { at, interceptor } = world({ recall: () => Promise.resolve({ ...MEMORY, steady: '', tokens: 100 }) });
    at.counted = 150;

    await interceptor.run(4000, 'normal');
    await settle();
    at.counted = 100_000;
    await interceptor.run(4000, 'normal');
    await settle();
    await interceptor.run(4000, 'normal');

    assert.deepEqual(at.questions.map(question => question.token_ratio), [1, 1.5, 5]);
});

for (const type of ['normal', 'swipe', 'regenerate', 'continue', 'impersonate']) {
    test(`${type} is recalled for`, async () => {
        const { at, interceptor } = world();
        await interceptor.run(100, type);
        assert.equal(at.questions[0].generation, type);
    });
}

for (const type of ['quiet', undefined, 'something_new']) {
    test(`${type} gets an empty prompt and asks nothing`, async () => {
        const { at, prompts, interceptor } = world();
        await interceptor.run(100, 'normal');
        at.questions.length = 0;

        await interceptor.run(100, type);

        assert.deepEqual([shown(prompts), at.questions], ['', []]);
    });
}

for (const [outcome, change] of [
    ['off', at => { at.enabled = false; }],
    ['offline', at => { at.isUp = false; }],
    ['no_chat', at => { at.chat.attachment = null; }],
]) {
    test(`${outcome}: the prompt is cleared and nothing is asked`, async () => {
        const { at, prompts, counters, interceptor } = world();
        await interceptor.run(100, 'normal');
        at.questions.length = 0;
        change(at);

        await interceptor.run(100, 'normal');

        assert.deepEqual([shown(prompts), at.questions, counters.lastOutcome], ['', [], outcome]);
    });
}

test('a server that does not answer is given up within the limit', async t => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { at, prompts, counters, interceptor } = world({ recall: never });
    let returned = false;
    const run = interceptor.run(100, 'normal').then(() => { returned = true; });

    await settle();
    t.mock.timers.tick(ANSWER_LIMIT_MS - 1);
    await settle();
    assert.equal(returned, false);
    t.mock.timers.tick(1);
    await run;

    assert.deepEqual([at.givenUp, counters.lastOutcome, shown(prompts)], [1, 'late', '']);
});

test('where a model chooses the user waits as long as was set', async t => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { at, counters, interceptor } = world({ recall: never });
    at.choiceLimitMs = 5000;
    const run = interceptor.run(100, 'normal');
    await settle();

    t.mock.timers.tick(ANSWER_LIMIT_MS + 4999);
    await settle();
    assert.equal(at.givenUp, 0);
    t.mock.timers.tick(1);
    await run;

    assert.deepEqual([at.givenUp, counters.lastOutcome], [1, 'late']);
});

test('an answer after the limit is not put in', async t => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let answer = () => {};
    const { prompts, interceptor } = world({ recall: () => new Promise(resolve => { answer = resolve; }) });
    const run = interceptor.run(100, 'normal');
    await settle();
    t.mock.timers.tick(ANSWER_LIMIT_MS);
    await run;

    answer(MEMORY);
    await settle();

    assert.equal(shown(prompts), '');
});

test('an opening that takes too long is waited for once, and the server is not given up for it', async t => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { at, counters, interceptor } = world();
    at.chat.attachment = null;
    at.chat.ready = never;
    const run = interceptor.run(100, 'normal');
    await settle();
    t.mock.timers.tick(ANSWER_LIMIT_MS);
    await run;
    assert.equal(counters.lastOutcome, 'late');

    await interceptor.run(100, 'normal');

    assert.deepEqual([counters.lastOutcome, at.givenUp], ['no_chat', 0]);
});

test('Stop ends the wait at once and leaves the server in peace', async t => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let given;
    const { at, prompts, counters, interceptor } = world({ recall: (_question, signal) => { given = signal; return never(); } });
    const run = interceptor.run(100, 'normal');
    await settle();

    interceptor.stop();
    await run;

    assert.deepEqual([counters.lastOutcome, at.givenUp, shown(prompts), given.aborted], ['stopped', 0, '', true]);
});

test('an answer for a chat that is no longer open is not put in', async () => {
    const { at, prompts, counters, interceptor } = world({
        recall: () => {
            at.chat.attachment = {};
            return Promise.resolve(MEMORY);
        },
    });

    await interceptor.run(100, 'normal');

    assert.deepEqual([shown(prompts), counters.lastOutcome], ['', 'no_chat']);
});

for (const [what, error] of [
    ['a refusal', new Refused('internal', 'x')],
    ['a broken line', new Unreachable('network', 'x')],
    ['an error of our own', new TypeError('x')],
]) {
    test(`${what} is not thrown at SillyTavern`, async () => {
        const { prompts, counters, interceptor } = world({ recall: () => Promise.reject(error) });

        await interceptor.run(100, 'normal');

        assert.deepEqual([shown(prompts), counters.lastOutcome], ['', 'failed']);
    });
}

test('a chat that the server does not know is opened again and asked for once more', async () => {
    let asked = 0;
    const { at, counters, interceptor } = world({
        recall: () => {
            asked += 1;
            return asked === 1 ? Promise.reject(new Refused('unknown_chat', 'x')) : Promise.resolve(MEMORY);
        },
    });

    await interceptor.run(100, 'normal');

    assert.deepEqual([at.reopened, asked, counters.lastOutcome], [1, 2, 'injected']);
});

test('the part that is still in the prompt moves with the chat', async () => {
    const { at, interceptor } = world({ length: 20 });
    at.inContext = 12;
    await interceptor.run(100, 'normal');
    at.length = 22;
    at.inContext = 13;
    await interceptor.run(100, 'normal');

    assert.deepEqual(at.questions.map(question => question.in_context_from), [14, 15]);
});

test('a chat that the last prompt held whole is taken to be whole', async () => {
    const { at, interceptor } = world();
    at.inContext = 0;
    await interceptor.run(100, 'normal');
    at.length += 2;
    await interceptor.run(100, 'normal');

    assert.deepEqual(at.questions.map(question => question.in_context_from), [0, 0]);
});

test('chat completion gets the memory where it is not left out, text completion where it is wanted', async () => {
    const { at, prompts, interceptor } = world({ length: 2 });
    const depths = [];
    for (at.isTextCompletion of [false, true]) {
        await interceptor.run(100, 'normal');
        depths.push(prompts.at(-1)[3]);
    }

    assert.deepEqual(depths, [2, 3]);
});
