"""Which memories an extractor is shown."""

from __future__ import annotations

from graph.story import answer, archive, character, event, named, told
from st_bme.model.message import Message
from st_bme.model.operation import Operation, Target
from st_bme.write.known import MOST_SHOWN, KnownMemories, Seen


def thread(title):
    return Operation("create", 0, "thread", {"title": title})


def said(text, role="user", name=""):
    return Message("x", role, name, text, 9)


def shown(graph, *run, context=(), language="en", finder=None):
    seen = Seen(graph, range(len(graph.view)), run, context, language)
    return (finder or KnownMemories()).find(seen)


STORY = told(
    "abc",
    answer(1, "a", character("Iris", state="tired"), character("Tam"), event("The mill burned down", ref="fire")),
    answer(2, "b", Operation("link", 0, target=named("Tam"), to=Target(ref="fire")), thread("Who lit the fire?")),
    answer(3, "c", character("Old Ben"), archive("Old Ben"), event("Rain fell on the harbour")),
)


def test_who_is_named_comes_first_with_what_is_told_of_them():
    first, *_ = shown(STORY, said("Where is iris?"))

    assert (first.ref, first.type, first.name) == ("N1", "character", "Iris")
    assert first.text == "name: Iris; state: tired"


def test_who_speaks_is_named_too():
    assert shown(STORY, said("Good evening, everyone.", name="Tam"))[0].name == "Tam"


def test_what_the_words_are_about_is_found_as_recall_finds_it():
    assert shown(STORY, said("The mill is only ashes since it burned."))[0].name == "The mill burned down"
    assert shown(STORY, said("Rain ran down the harbour wall."))[0].name == "Rain fell on the harbour"


def test_the_newest_and_open_threads_are_always_there_and_archived_memories_never():
    names = [node.name for node in shown(STORY, said("Old Ben sat by the window."))]

    assert {"Rain fell on the harbour", "Who lit the fire?"} <= set(names)
    assert "Old Ben" not in names


def test_no_more_are_shown_than_the_limit_and_refs_are_counted():
    many = told("a", answer(1, "a", *(character(f"Guard {letter}") for letter in "abcdefghijklmnopq")))
    found = shown(many, said(" ".join(f"Guard {letter}," for letter in "abcdefghijklmnopq")))

    assert [node.ref for node in found] == [f"N{number}" for number in range(1, MOST_SHOWN + 1)]


def test_an_index_that_saw_another_graph_finds_the_same():
    finder = KnownMemories()
    shown(STORY, said("iris"), finder=finder)
    earlier = told("a", answer(1, "a", character("Iris")))

    assert shown(earlier, said("iris, tam"), finder=finder) == shown(earlier, said("iris, tam"))


def test_an_empty_graph_shows_nothing():
    assert shown(told(""), said("hello")) == ()
