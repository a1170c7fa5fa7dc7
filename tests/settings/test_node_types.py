"""Node types that the user defines."""

import pytest

from st_bme.errors import BadRequest
from st_bme.model.schema import Hint
from st_bme.settings import validate
from st_bme.settings.node_types import own_types, types_fault

SPELL = "spell (magic, of any kind | 法术): name*, effect (what it does | 作用), cost"


def test_a_line_is_a_type_with_its_columns():
    spell = own_types(SPELL)["spell"]

    assert spell.columns == ("name", "effect", "cost")
    assert spell.required == ("name",)
    assert spell.hint == Hint("magic, of any kind", "法术")
    assert spell.column_hints == {"effect": Hint("what it does", "作用")}


def test_the_first_column_is_required_where_none_is_marked():
    assert own_types("\nrumour： summary， about\n")["rumour"].required == ("summary",)


def test_a_star_behind_the_type_says_that_something_of_it_is_to_be_noted():
    types = own_types("spell* (magic): name\nrumour*： about\nplace: name")

    assert {name: each.force_update for name, each in types.items()} == {"spell": True, "rumour": True, "place": False}


def test_words_in_one_language_hold_for_both():
    assert own_types("spell (法术): name")["spell"].hint == Hint("法术", "法术")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("spell", "line 1: write `type: column*, column`"),
        ("sp*ell: name", "line 1: write `type: column*, column`"),
        ("spell: name\n\nSpell: name", "line 3: 'Spell' must be of a-z"),
        ("event: summary", "'event' is a built-in type"),
        ("summary: text", "'summary' is a built-in type"),
        ("spell: name, effect, name", "names a column twice"),
        ("spell: name\nspell: name", "line 2: 'spell' is defined twice"),
        ("spell: name,, effect", "column ''"),
        ("spell: name | effect", "column 'name | effect'"),
        ("spell: " + ", ".join(f"c{number}" for number in range(11)), "more than 10 columns"),
        ("\n".join(f"t{number}: name" for number in range(13)), "more than 12 types"),
    ],
)
def test_a_fault_names_its_line(text, told):
    assert told in types_fault(text)
    assert own_types(text) == {}
    with pytest.raises(BadRequest, match="nodeTypeSchema"):
        validate({"nodeTypeSchema": text})


def test_no_text_defines_no_type():
    assert (own_types(""), types_fault("")) == ({}, "")
