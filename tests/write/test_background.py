"""What an extractor is told of the story so far."""

from __future__ import annotations

from graph.story import answer, archive, character, event, region, set_to, time, told, upkeep
from st_bme.model.operation import Operation
from st_bme.ports import Background, TrackedVariable
from st_bme.settings import DEFAULTS, validate
from st_bme.write.background import background_of

SUMMARY = Operation("create", type="summary", fields={"summary": "They met at the mill."})
STORY = told(
    "ab",
    answer(1, "a", character("Iris"), character("Tam"), archive("Tam"), time("dawn"), region("Valley", "Mill")),
    answer(
        2, "b", event("fire"), time("dusk", relation="after"), region("Mill", beside=("Ford",)), set_to(mood="glad")
    ),
    upkeep(3, "ab", {}, SUMMARY, task="summarise", run="ab"),
)


def test_the_story_so_far_is_told():
    background = background_of(STORY, validate({"trackedVariables": "Mood: how Iris feels\ngold"}))

    assert background == Background(
        counts={"character": 1, "event": 1},
        summaries=("They met at the mill.",),
        story_time="dawn → [dusk]",
        regions="Mill < Valley | Ford",
        variables=(TrackedVariable("Mood", "how Iris feels", "glad"), TrackedVariable("gold")),
    )


def test_what_the_page_says_is_told_only_where_it_is_wanted():
    page = Background(persona="a sailor", card="a clockmaker", world_info="The tide rules.")
    both = validate({"extractIncludeCard": True, "extractIncludeWorldInfo": True})

    assert background_of(told(""), both, page) == page
    assert background_of(told(""), DEFAULTS, page) == Background()


def test_what_is_switched_off_is_not_told():
    off = {"extractIncludeSummaries": False, "extractIncludeStoryTime": False, "enableSpatialAdjacency": False}

    assert background_of(STORY, validate(off)) == Background(counts={"character": 1, "event": 1})


def test_an_empty_graph_has_nothing_to_tell():
    assert background_of(told(""), DEFAULTS) == Background()


def test_forbidden_names_are_told():
    assert background_of(told(""), validate({"forbiddenVariables": "password"})).forbidden == ("password",)
