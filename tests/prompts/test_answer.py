"""What is salvaged from an answer. The operations are abbreviated: what counts is which are kept."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from st_bme.errors import AnswerUnusable
from st_bme.prompts.answer import read_operations

FIRST = {
    "action": "create",
    "type": "event",
    "fields": {"summary": "a {b} [c"},
    "links": [{"target": "x"}, {"target": "y"}],
}
SECOND = {"action": "update", "nodeId": "N1", "fields": {"state": 'it\'s "calm"'}}
A, B = json.dumps(FIRST), json.dumps(SECOND)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(f'{{"operations":[{A},{B}]}}', id="plain"),
        pytest.param(
            f'Sure! Here it is:\n```json\n{{"operations":[{A},{B}]}}\n```\nAnything else?', id="fence and prose"
        ),
        pytest.param(f"[{A},{B}]", id="bare list"),
        pytest.param(f"{A}\n{B}", id="objects beside each other"),
        pytest.param(f'{{"operations":[{A},{B},],}}', id="trailing commas"),
        pytest.param(f'<think>maybe {{"operations":[]}}</think>{{"operations":[{A},{B}]}}', id="reasoning"),
        pytest.param(f'<think>never closed {{x}} {{"operations":[{A},{B}]}}', id="open reasoning"),
        pytest.param(f'the plan</think>{{"operations":[{A},{B}]}}', id="reasoning opened by the prompt"),
        pytest.param(f'{{"memories":[{A},{B}]}}', id="another container"),
        pytest.param(f'{{"thought":"…","stuff":[{A},{B}]}}', id="unknown container"),
        pytest.param(f'{{"result":{{"operations":[{A},{B}]}}}}', id="container in a container"),
        pytest.param(f'{{"operations":[{A},{B}]}}\n{{"operations":[{A},{B}]}}', id="written twice"),
        pytest.param(f'As [1] says {{sic}}: {{"operations":[{A},{B}]}}', id="brackets in prose"),
        pytest.param(f'{{"operations":[{A},{B},{{"action":"create","fields":{{"summ', id="cut in a text"),
        pytest.param(
            f'{{"operations":[{A},{B},{{"action":"create","links":[{{"target":"x"}},', id="cut in a list of links"
        ),
        pytest.param(
            f'{{"operations":[{A},{B},{{"action":"create","fields":{{"summary":"x"}}', id="cut behind a bracket"
        ),
        pytest.param(f'{{"operations":[{A},{B}', id="cut behind an operation"),
        pytest.param(f'[{A},{B},{{"action":', id="bare list, cut"),
        pytest.param(f'{A}\n{B}\n{{"action":"create","links":[{{"target":"x"}},', id="objects, the last one cut"),
    ],
)
def test_every_complete_operation_is_kept(answer):
    assert read_operations(answer) == [FIRST, SECOND]


@pytest.mark.parametrize(
    ("answer", "summary"),
    [
        pytest.param("{'operations':[{'action':'create','fields':{'summary':'x'}}]}", "x", id="single quotes"),
        pytest.param('{operations:[{action:"create",fields:{summary:"x"}}]}', "x", id="bare keys"),
        pytest.param('{"operations":[{"action":"create","fields":{"summary":"a\nb"}}]}', "a\nb", id="line break"),
        pytest.param(
            '{"operations":[{"action":"create","fields":{"summary":"He said "hi" to her"}}]}',
            'He said "hi" to her',
            id="quotes in a text",
        ),
        pytest.param('{"operations":[{"action":"create","fields":{"summary":"x"}} // done\n]}', "x", id="comment"),
        pytest.param('{"operations":{"action":"create","fields":{"summary":"x"}}}', "x", id="one instead of a list"),
        pytest.param('{"action":"create","fields":{"summary":"x"}}', "x", id="one alone"),
    ],
)
def test_broken_json_is_repaired(answer, summary):
    (operation,) = read_operations(answer)

    assert operation["fields"] == {"summary": summary}


@pytest.mark.parametrize("answer", ['{"operations":[]}', "[]", "```json\n[]\n```", 'Nothing. {"operations": []}'])
def test_no_operations_is_an_answer(answer):
    assert read_operations(answer) == []


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("", id="empty"),
        pytest.param("I'm sorry, but I can't help with that.", id="refusal"),
        pytest.param("I can't. - [ ] open point", id="refusal with an empty box"),
        pytest.param('<!DOCTYPE html><script>{"operations":[]}</script>', id="html"),
        pytest.param('{"error":{"message":"busy","type":"server_error"}}', id="error"),
        pytest.param('{"type":"error","message":"overloaded"}', id="another error"),
        pytest.param("{}", id="empty object"),
        pytest.param("null", id="null"),
        pytest.param("[1, 2]", id="numbers"),
        pytest.param('{"operations":[{"action":"create","fields":{"summary":"cut', id="cut in the first"),
    ],
)
def test_what_holds_no_operations_is_unusable(answer):
    with pytest.raises(AnswerUnusable):
        read_operations(answer)


@given(cut=st.integers(0, 400))
def test_a_cut_anywhere_keeps_what_was_complete(cut):
    answer = json.dumps({"operations": [FIRST, SECOND, FIRST | {"ref": "c"}]})[:cut]
    complete = [op for op in (FIRST, SECOND, FIRST | {"ref": "c"}) if json.dumps(op) in answer]

    if complete:
        assert read_operations(answer) == complete
    else:
        with pytest.raises(AnswerUnusable):
            read_operations(answer)


@given(st.text(alphabet="{}[]\",:'\\ab1 \n<think>/`", max_size=120))
def test_any_text_gives_a_list_or_is_unusable(answer):
    try:
        operations = read_operations(answer)
    except AnswerUnusable:
        return
    assert all(isinstance(operation, dict) for operation in operations)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("[" * 100_000, id="deep"),
        pytest.param("{a}" * 50_000, id="many"),
        pytest.param('{"operations":[' + B[:-1] * 3_000, id="open"),
        pytest.param("<think>" * 28_000, id="thoughts"),
        pytest.param("<!-- " * 40_000, id="comments"),
        pytest.param("{" + "':'" * 60_000, id="quotes"),
        pytest.param('{"a":"' + '" + "' * 40_000, id="joins"),
    ],
)
def test_hostile_answers_end_soon(answer):
    started = time.perf_counter()
    with pytest.raises(AnswerUnusable):
        read_operations(answer)

    assert time.perf_counter() - started < 10
