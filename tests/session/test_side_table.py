"""What recalls leave behind: once a node and user message (docs/storage.md, rule 31)."""

from st_bme.read.ages import LastUse
from st_bme.session.side_table import Shown, SideTable


def test_a_node_is_counted_once_a_message():
    side = SideTable()

    assert side.count("a", ["x", "y"])
    assert not side.count("a", ["x", "y"])
    assert side.count("b", ["x"])

    assert side.access == {"x": 2, "y": 1}


def test_a_regeneration_that_finds_more_counts_only_the_new():
    side = SideTable()
    side.count("a", ["x"])

    assert side.count("a", ["x", "y"])

    assert side.access == {"x": 1, "y": 1}
    assert side.last_result == ["x", "y"]


def test_a_recall_that_finds_less_changes_the_last_result_only():
    side = SideTable()
    side.count("a", ["x", "y"])

    assert side.count("a", ["y"])

    assert (side.access, side.last_result) == ({"x": 1, "y": 1}, ["y"])


def test_it_comes_back_as_it_was_stored():
    side = SideTable()
    side.count("a", ["x"], 7)
    again = SideTable(side.to_bytes())

    assert not again.count("a", ["x"])
    assert (again.access, again.last_result) == ({"x": 1}, ["x"])
    assert again.used == {"x": LastUse("a", 7)}


def test_what_was_shown_comes_back_as_it_was_stored_and_is_noted_once():
    side = SideTable()
    shown = [Shown("x", "event", "recalled", "words", 0.25)]
    noted = [side.note("a", shown), side.note("a", shown)]
    again = SideTable(side.to_bytes())

    assert noted == [True, False]
    assert (again.shown_for("a"), again.shown_for("b")) == (shown, None)
    assert not again.note("a", shown)


def test_the_last_use_is_the_newest_message_that_a_node_was_recalled_for():
    side = SideTable()
    side.count("a", ["x", "y"], 1)
    side.count("b", ["x"], 2)
    side.count("b", ["x"], 3)

    assert side.used == {"x": LastUse("b", 2), "y": LastUse("a", 1)}
