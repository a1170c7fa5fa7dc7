"""Where the fold answers otherwise on purpose: unseen cases of each kind come out as the rules say."""

import json

import pytest

from golden import check, fold_functions, fold_rules

NAME = "extract_apply_v0"
RECORDED = json.loads((check.GOLDEN / f"{NAME}.json").read_text("utf-8"))["cases"][0]["output"]


def create(node_type, fields, **said):
    return {"action": "create", "type": node_type, "fields": fields, **said}


def update(node_id, fields, **said):
    return {"action": "update", "nodeId": node_id, "fields": fields, **said}


CONTRADICTS = [{"targetRef": "e", "relation": "contradicts"}]
UNSEEN = [
    {"entries": [{"op": "create", "type": "location", "name": "旧城区", "state": "安静"}]},
    {"operations": [create("character", {"name": "艾琳", "state": "警觉"})]},
    {"operations": [create("location", {"name": " 钟楼 ", "danger": "塌"}, ref="x")]},
    {"operations": [update("loc-1", {"state": "封闭", "danger": "塌", "features": "钟"})]},
    {
        "operations": [
            update("char-1", {"state": "a", "goal": "b"}),
            update("char-1", {"state": "c"}, importance=2),
            {"action": "delete", "nodeId": "evt-0"},
        ]
    },
    {
        "operations": [
            update("loc-1", {"state": "z"}, links=CONTRADICTS),
            create("event", {"summary": "x"}, ref="e", clusters=["c"]),
        ]
    },
]


@pytest.mark.parametrize("given", UNSEEN, ids=range(len(UNSEEN)))
def test_an_unseen_case_comes_out_as_its_rule_says(given):
    rules = [rule for rule in check.load_differences() if rule.file == NAME and check.named(rule.when)(given)]

    assert rules
    expected = fold_rules.our_graph(given, fold_functions.graph_of(RECORDED))
    assert check.same(expected, fold_functions.extract_apply(given, 0))
