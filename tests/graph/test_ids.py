"""Ids are functions of content only (docs/storage.md, rule 29)."""

import subprocess
import sys

import pytest

from st_bme.graph.ids import (
    change_event_id,
    content_node_id,
    digest,
    edge_id,
    fields_text,
    fold_name,
    made_node_id,
    named_node_id,
)
from st_bme.model.scope import OBJECTIVE, Scope


def test_the_digests_that_chat_files_carry_stay_what_they_are():
    """SHA-256 over the parts joined by U+001F, as lower-case base32."""
    assert digest("a", "b") == "6bgnz3mxg2"
    assert digest("a", "b", length=16) == "6bgnz3mxg2tj3jqq"
    assert digest("a", "b", length=20).startswith(digest("a", "b", length=16))


def test_parts_are_kept_apart():
    assert digest("ab", "c") != digest("a", "bc")


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("Ann", "ann"),
        ("ＡＮＮ", "ann"),
        ("  Ann \n Lee ", "ann lee"),
        ("Straße", "strasse"),
        ("王芳", "王芳"),
        ("", ""),
    ],
)
def test_a_name_is_folded_by_width_case_and_blanks(name, folded):
    assert fold_name(name) == folded


def test_fields_have_one_text_in_any_order():
    assert fields_text({"a": "1", "b": "2"}) == fields_text({"b": "2", "a": "1"})
    assert fields_text({"a": "1"}) != fields_text({"a": "2"})
    assert fields_text({"ab": "c"}) != fields_text({"a": "bc"})


def test_each_kind_of_id_tells_what_it_is_made_of_apart():
    north, ann = Scope(region_primary="North"), Scope("pov", "character", "ann")
    ids = [
        named_node_id("character", OBJECTIVE, "Ann"),
        named_node_id("location", OBJECTIVE, "Ann"),
        named_node_id("character", north, "Ann"),
        named_node_id("character", ann, "Ann"),
        content_node_id("event", OBJECTIVE, {"summary": "Ann"}),
        content_node_id("event", OBJECTIVE, {"summary": "Ann"}, 1),
        content_node_id("event", north, {"summary": "Ann"}),
        change_event_id("x", "key", 0),
        change_event_id("x", "key", 1),
        change_event_id("x", "other", 0),
        made_node_id("memo", 0, "event", {}),
        made_node_id("memo", 1, "event", {}),
        edge_id("x", "y", "related", OBJECTIVE, 0),
        edge_id("y", "x", "related", OBJECTIVE, 0),
        edge_id("x", "y", "updates", OBJECTIVE, 0),
        edge_id("x", "y", "related", OBJECTIVE, 1),
        edge_id("x", "y", "related", north, 0),
    ]

    assert len(set(ids)) == len(ids)
    assert {len(identity) for identity in ids} == {10}


def test_two_spellings_of_a_name_have_one_id():
    assert named_node_id("character", OBJECTIVE, "Ann") == named_node_id("character", OBJECTIVE, " ＡＮＮ ")


@pytest.mark.parametrize("seed", ["0", "1", "4711"])
def test_no_id_depends_on_the_hash_seed_of_the_process(seed):
    program = (
        "from graph.story import *\n"
        "g = told('abc', answer(1, 'abc', character('Ann'), character('Bob', 1), update('Ann', 2, state='sad'),"
        " link('Ann', 'Bob'), event('Dawn', 1), related=0.25))\n"
        "print(list(g.nodes), list(g.edges), records(answer(1, 'a'), edit(2, 'a', archive('Ann'))).head)"
    )
    environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)}

    printed = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )

    local: dict[str, object] = {}
    exec(program.replace("print(", "shown = ("), local)
    assert printed.stdout.strip() == " ".join(map(str, local["shown"]))
