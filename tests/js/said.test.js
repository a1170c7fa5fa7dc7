import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';

import { describeOperation } from '../../st-extension/src/ui/said.js';

const CHINESE = JSON.parse(readFileSync(new URL('../../st-extension/i18n/zh-cn.json', import.meta.url), 'utf8'));
const ANN = { type: 'character', name: 'Ann' };
const MILL = { type: 'event', name: 'The mill burns' };
const said = facts => ({
    action: 'create', about: { type: '', name: '' }, to: null, relation: '', owner: '', on: true, fields: {}, refused: '',
    detail: '', ...facts,
});

function read(facts, translate) {
    globalThis.SillyTavern = { getContext: () => ({ translate }) };
    return describeOperation(said(facts));
}

for (const [facts, english, chinese] of [
    [
        { about: MILL, fields: { status: 'over', participants: 'Ann' } },
        'New: Event “The mill burns” (Status: over · Took part: Ann)', '新增：事件“The mill burns”（状态：over · 参与者：Ann）',
    ],
    [{ action: 'update', about: ANN, to: MILL }, 'Changed by Event “The mill burns”: Person “Ann”', '因事件“The mill burns”而修改：人物“Ann”'],
    [{ action: 'update', about: ANN, on: false }, 'Tags spelled alike: Person “Ann”', '统一标签写法：人物“Ann”'],
    [{ action: 'archive', about: ANN }, 'Put away: Person “Ann”', '归档：人物“Ann”'],
    [
        { action: 'archive', about: MILL, to: { type: 'summary', name: '' } },
        'Put away: Event “The mill burns”, as part of Summary', '归档：事件“The mill burns”，并入剧情摘要',
    ],
    [
        { action: 'link', about: ANN, to: MILL, relation: 'involved_in' },
        'Related: Person “Ann” — took part — Event “The mill burns”', '关联：人物“Ann” — 参与 — 事件“The mill burns”',
    ],
    [
        { action: 'archive', about: ANN, to: { type: 'summary', name: 'Ann and Bob walked from the mill to the harbour and back' } },
        'Put away: Person “Ann”, as part of Summary “Ann and Bob walked from the mill to the h…”',
        '归档：人物“Ann”，并入剧情摘要“Ann and Bob walked from the mill to the h…”',
    ],
    [{ action: 'pin', about: ANN }, 'Pinned: Person “Ann”', '固定：人物“Ann”'],
    [{ action: 'pin', about: ANN, on: false }, 'Let go: Person “Ann”', '取消固定：人物“Ann”'],
    [{ action: 'time', about: { type: '', name: 'the feast' } }, 'Time in the story: the feast', '故事时间：the feast'],
    [{ action: 'know', about: MILL, owner: 'Ann', relation: 'known' }, 'Ann knows: Event “The mill burns”', 'Ann 知道：事件“The mill burns”'],
    [
        { action: 'know', about: MILL, owner: 'Ann', relation: 'mistaken', fields: { belief: 'a barn' } },
        'Ann has it wrong: Event “The mill burns” (Believes: a barn)', 'Ann 误解了：事件“The mill burns”（相信：a barn）',
    ],
    [{ action: 'region', about: { type: '', name: 'Pier' } }, 'Place: Pier', '地点：Pier'],
    [{ action: 'region', about: { type: '', name: 'Pier' }, owner: 'Ann', on: false }, 'Place of Ann: Pier', 'Ann 的地点：Pier'],
    [{ action: 'set', fields: { name: '9' } }, 'Values (name: 9)', '变量（name：9）'],
    [{ about: { type: 'spell', name: 'Emberhand' }, fields: { effect: 'fire' } }, 'New: spell “Emberhand” (effect: fire)', '新增：spell“Emberhand”（effect：fire）'],
]) {
    test(`an operation in the words of the reader: ${english}`, () => {
        assert.equal(read(facts, text => text), english);
        assert.equal(read(facts, (_, key) => CHINESE[key]), chinese);
    });
}
