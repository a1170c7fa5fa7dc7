"""Stories that use every operation, for the golden folds. A new story is a new name; none is ever changed."""

from graph.story import (
    answer,
    archive,
    character,
    edit,
    event,
    know,
    link,
    named,
    off,
    on,
    over,
    region,
    set_to,
    time,
    told,
    unlink,
    update,
    upkeep,
    wake,
)
from st_bme.model.operation import Operation, Target
from st_bme.model.schema import SUMMARY
from st_bme.model.scope import Scope
from st_bme.model.story_time import StoryTime

PIER = Scope(region_primary="Pier", region_path=("Town", "Pier"))
HERS = Scope("pov", "character", "ann", "Ann")


def _told_by_the_model():
    town = Operation("create", 0, "location", {"name": "Pier", "state": "foggy"}, scope=PIER, ref="pier")
    meeting = Operation(
        "create", 0, "event", {"title": "The meeting", "summary": "Ann meets Bob"}, 7.5, PIER,
        StoryTime("that night", "past"), ("guild",), "meeting",
    )  # fmt: skip
    at_the_pier = Operation("link", 0, target=Target(ref="meeting"), to=Target(ref="pier"), relation="occurred_at")
    belief = Operation("create", 1, "pov_memory", {"summary": "Bob lies", "about": "Bob"}, scope=HERS)
    doubt = Operation("link", 1, target=named("Ann"), to=named("Bob"), relation="contradicts", strength=0.4)
    cause = Operation("update", 2, fields={"state": "hurt"}, target=named("Ann"), to=named("Bob"), strength=0.6)
    return [
        answer(1, "ab", character("Ann", state="glad"), character("Bob"), town, meeting, at_the_pier, belief, doubt,
               related=0.25),
        answer(2, "cde", update("Ann", 0, name="Queen Ann", goal="the sea"), link("Ann", "Bob", cite=1), cause,
               event("Rain", 2), event("Rain", 1), related=0.25),
        answer(3, "f", unlink("Ann", "Bob"), archive("Bob"), archive("Nobody"), update("Cleo", state="new")),
        answer(4, "gh", wake("Bob"), character("BOB", 1, state="back"), event("It ends", None)),
    ]  # fmt: skip


def _changed_by_hand():
    first = answer(1, "ab", character("Ann", state="glad"), character("Annie", 1), event("Dawn", 1))
    merge = Operation("merge", target=named("Annie"), to=named("Ann"), fields={"traits": "one and the same"})
    oath = Operation("create", type="rule", fields={"title": "No magic"}, importance=9.0, ref="oath")
    kept = [Operation(action, target=Target(ref="oath")) for action in ("pin", "lock")]
    undone = edit(5, "abc", archive("Ann", None))
    return [
        first,
        edit(2, "ab", oath, *kept, update("Ann", None, state="brave")),
        edit(3, "ab", merge),
        answer(4, "c", update("Annie", state="sad"), archive("Ann")),
        undone,
        off(6, undone),
        on(7, undone),
    ]


def _kept_up():
    first = answer(1, "ab", event("Dawn"), event("Noon", 1), character("Ann"), character("Anna", 1))
    dawn, ann, noon, anna = told("ab", first).nodes.values()
    day = Operation("create", type="event", fields={"summary": "Day"}, ref="day")
    hang = [Operation("archive", target=Target(id=node.id), to=Target(ref="day")) for node in (dawn, noon)]
    merge = Operation("merge", target=Target(id=anna.id), to=Target(id=ann.id), fields={"traits": "one"})
    summary = Operation("create", type=SUMMARY, fields={"summary": "how it began"})
    gone = upkeep(5, "ab", {"gone": "unlike"}, archive("Ann", None), task="forget")
    return [
        first,
        upkeep(2, "ab", over(dawn, noon), day, *hang),
        upkeep(3, "ab", over(ann, anna), merge, task="merge"),
        upkeep(4, "ab", {}, summary, task="summarize", run="ab"),
        gone,
        answer(6, "c", update("Anna", state="awake"), event("Evening")),
    ]


def _read_in_pieces():
    """Runs that overlap, stand broken or twice, and an answer marked off."""
    late = answer(4, "f", event("Never"))
    return [
        answer(1, "abc", character("Ann"), event("One", 1), event("All", None)),
        answer(2, "bx", event("Two"), event("Other", 1)),
        answer(3, "de", update("Ann", state="glad"), event("Three", 1)),
        late,
        off(5, late),
    ]


def _said_beside():
    """When, who knows what, where everyone is, what variables hold."""
    return [
        answer(1, "abc", time("day one"), event("Dawn"), character("Ann", 1), character("Bob", 1),
               know("Ann", "Bob", cite=1), time("day two", 2, relation="after"), event("Noon", 2),
               know("Bob", "Ann", "mistaken", 2, belief="a spy"),
               region("Town", "Pier", cite=2, beside=("Mill",)), set_to(2, hp="9", mood="calm")),
        answer(2, "d", time("the war", relation="before", anchor="day one", tense="flashback"), event("It burns"),
               know("Bob", "Ann", "partial", strength=0.4), know("Cleo", "Ann", "partial", strength=0.4),
               region("Mill", who="Ann"), set_to(hp="3", mood=""), time("")),
        edit(3, "abcd", know("Cleo", "Bob", "hidden", None), set_to(None, gold="7")),
        answer(4, "e", Operation("know", 0, scope=HERS, target=named("Nobody")), event("Dusk")),
    ]  # fmt: skip


STORIES = {
    "told_by_the_model": (tuple("abcdefgh"), _told_by_the_model()),
    "changed_by_hand": (tuple("abc"), _changed_by_hand()),
    "kept_up": (tuple("abc"), _kept_up()),
    "said_beside": (tuple("abcde"), _said_beside()),
    "read_in_pieces": (tuple("abxdedefg"), _read_in_pieces()),
}
