import assert from 'node:assert/strict';
import test from 'node:test';

import { Injection, breakMacros } from '../../st-extension/src/injection.js';

test('no two braces are left side by side', () => {
    for (const text of ['{{user}}', '{{{{setvar::a::b}}}}', '{{{x', 'a{ {b', '{{'.repeat(50)]) {
        const broken = breakMacros(text);
        assert.ok(!broken.includes('{{'), broken);
        assert.equal(broken.replaceAll('\u200b', ''), text);
    }
});

test('positions and roles that SillyTavern does not know become the usual place', () => {
    const prompts = [];
    const injection = new Injection((...prompt) => prompts.push(prompt));

    injection.show({ text: 'm', position: 9, depth: -1, role: 'system' });
    injection.show({ text: 'm', position: 2, depth: 0, role: 2 });

    assert.deepEqual(prompts.filter(([, text]) => text), [['recalled', 'm', 1, 4, 0], ['recalled', 'm', 2, 0, 2]]);
});

test('the text is found wherever a text-completion prompt holds it', () => {
    const injection = new Injection(() => {});
    injection.show({ text: '<memory>\n| Mira hid the key in the lighthouse |\n</memory>\n', position: 1, depth: 4, role: 0 });
    const inside = 'before\n<memory>\n| Mira hid the key in the lighthouse |\n</memory>\nafter';

    assert.ok(injection.isIn({ storyString: inside }));
    assert.ok(injection.isIn({ beforeScenarioAnchor: inside }));
    assert.ok(injection.isIn({ finalMesSend: [{ message: 'x', extensionPrompts: [inside] }] }));
    assert.ok(injection.isIn({ finalMesSend: [{ message: inside }] }));
});

test('another memory block is not taken for ours', () => {
    const injection = new Injection(() => {});
    injection.show({ text: '<memory>\nMira hid the key\n</memory>', position: 1, depth: 4, role: 0 });

    assert.ok(!injection.isIn({ storyString: '<memory>\nsomething else\n</memory>', finalMesSend: [{ message: 'Mira' }] }));
    assert.ok(!injection.isIn(undefined));
});

test('what seldom changes stands after the main prompt and goes with the rest', () => {
    const prompts = [];
    const injection = new Injection((...prompt) => prompts.push(prompt));

    injection.show({ text: 'm', steady: 'rules', position: 1, depth: 1, role: 0 });
    assert.deepEqual(prompts.slice(-2), [['steady', 'rules', 0, 4, 0], ['recalled', 'm', 1, 1, 0]]);

    injection.clear();
    assert.deepEqual(prompts.slice(-2), [['steady', '', 0, 4, 0], ['recalled', '', 1, 4, 0]]);
    assert.ok(injection.isEmpty);
});

test('only for macros nothing stands in the prompt, and macros hold it until it is cleared', () => {
    const prompts = [];
    const injection = new Injection((...prompt) => prompts.push(prompt));

    injection.show({ text: '<m>{{user}}</m>', steady: '', parts: { core: 'c {{char}}' }, position: -1, depth: 4, role: 0 });

    assert.ok(prompts.every(([, text]) => text === ''));
    const said = ['', 'core', 'recalled'].map(part => injection.macro(part).replaceAll('\u200b', ''));
    assert.deepEqual([said, injection.isEmpty], [['<m>{{user}}</m>', 'c {{char}}', ''], false]);
    assert.ok(!injection.macro('').includes('{{'));
    injection.clear();
    assert.deepEqual([injection.macro(''), injection.isEmpty], ['', true]);
});
