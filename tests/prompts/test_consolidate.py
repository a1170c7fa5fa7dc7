"""How the verdicts on new memories are read."""

import json

import pytest

from st_bme.errors import AnswerUnusable
from st_bme.prompts.consolidate import read_verdicts

REFS = ("N1", "N2")


def test_each_memory_gets_its_verdict_and_what_is_passed_over_is_kept():
    said = {"results": [{"memory": "N2", "action": "Merge", "target": "O1", "fields": {"summary": "x"}}]}

    verdicts = read_verdicts(json.dumps(said), REFS)

    assert [verdicts[ref].action for ref in REFS] == ["keep", "merge"]
    assert verdicts["N2"].fields == {"summary": "x"}


def test_an_answer_in_the_originals_form_is_understood():
    evolution = {
        "should_evolve": True,
        "suggested_connections": ["bad", {"id": "O1", "relation": "evolves"}],
        "neighbor_updates": [{"nodeId": "O2", "newContext": "y", "newTags": ["t"]}],
    }
    said = {"results": [{"node_id": "N1", "action": "keep", "merge_target_id": None, "evolution": evolution}]}

    verdict = read_verdicts(json.dumps(said), REFS)["N1"]

    assert [link.target for link in verdict.links] == ["O1"]
    assert [(change.target, change.text, change.tags) for change in verdict.changes] == [("O2", "y", ["t"])]


def test_what_should_not_evolve_does_not():
    evolution = {"should_evolve": False, "neighbor_updates": [{"nodeId": "O2", "newContext": "y"}]}

    verdict = read_verdicts(json.dumps({"results": [{"memory": "N1", "evolution": evolution}]}), REFS)["N1"]

    assert verdict.changes == []


def test_a_single_verdict_is_on_the_first():
    verdicts = read_verdicts('{"action": "skip", "target": "O1"}', REFS)

    assert [verdicts[ref].action for ref in REFS] == ["skip", "keep"]


@pytest.mark.parametrize("answer", ["I would keep both.", '{"results": []}', '{"results": [{"memory": "N9"}]}', "{}"])
def test_an_answer_that_judges_nothing_is_refused(answer):
    with pytest.raises(AnswerUnusable):
        read_verdicts(answer, REFS)
