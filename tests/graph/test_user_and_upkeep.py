"""What the user and upkeep do to the graph (docs/storage.md, rules 22, 24 to 26)."""

import pytest

from graph.story import (
    answer,
    archive,
    character,
    edit,
    event,
    events,
    find,
    joined,
    named,
    off,
    over,
    reasons,
    told,
    update,
    upkeep,
)
from st_bme.graph.records import record_id
from st_bme.model.operation import Operation, Target
from st_bme.model.schema import SUMMARY


def merge(gone, kept, **fields):
    return Operation("merge", target=Target(id=gone.id), to=Target(id=kept.id), fields=fields)


def test_compression_hangs_children_on_their_parent():
    first = answer(1, "a", event("Dawn"), event("Noon"))
    dawn, noon = told("a", first).nodes.values()
    parent = Operation("create", type="event", fields={"summary": "Day"}, ref="day")
    hang = [Operation("archive", target=Target(id=node.id), to=Target(ref="day")) for node in (dawn, noon)]

    graph = told("a", first, upkeep(2, "a", over(dawn, noon), parent, *hang))

    day = find(graph, "Day")
    assert (day.child_ids, day.level) == ((dawn.id, noon.id), 1)
    assert [graph.nodes[node.id].parent_id for node in (dawn, noon)] == [day.id] * 2
    assert [node.id for node in graph.active_nodes()] == [day.id]


def test_what_condenses_nodes_has_their_edges_to_others():
    first = answer(1, "a", event("Dawn", ref="d"), event("Noon", ref="n"), character("Ann"))
    ends = (Target(ref="d"), Target(ref="n"), named("Ann"))
    inside, outside = (
        Operation("link", 0, target=ends[0], to=other, relation="advances") for other in (ends[1], ends[2])
    )
    linked = answer(1, "a", *first.operations, inside, outside)
    dawn, noon, _ = told("a", linked).nodes.values()
    parent = Operation("create", type="event", fields={"summary": "Day"}, ref="day")
    hang = [Operation("archive", target=Target(id=node.id), to=Target(ref="day")) for node in (dawn, noon)]

    graph = told("a", linked, upkeep(2, "a", over(dawn, noon), parent, *hang))

    assert joined(graph) == {("Dawn", "advances", "Noon"), ("Dawn", "advances", "Ann"), ("Day", "advances", "Ann")}


def test_a_merged_node_redirects_and_gives_its_sources_and_edges():
    first = answer(
        1,
        "ab",
        character("Ann"),
        character("Anna", 1),
        character("Bob"),
        Operation("link", 1, target=named("Anna"), to=named("Bob"), relation="related"),
    )
    before = told("ab", first)
    joining = upkeep(
        2, "ab", over(find(before, "Ann"), find(before, "Anna")), merge(find(before, "Anna"), find(before, "Ann"))
    )

    graph = told("abc", first, joining, answer(3, "c", update("Anna", state="sad")))

    assert find(graph, "Anna").redirect == find(graph, "Ann").id
    assert find(graph, "Anna").archived
    assert find(graph, "Ann").fields["state"] == "sad"
    assert find(graph, "Ann").sources == ("a", "b", "c")
    assert ("Ann", "related", "Bob") in joined(graph)
    assert ("Anna", "related", "Bob") not in joined(graph)


def test_an_undone_merge_redirects_no_more():
    first = answer(1, "ab", character("Ann"), character("Anna", 1))
    before = told("ab", first)
    joining = upkeep(
        2, "ab", over(find(before, "Ann"), find(before, "Anna")), merge(find(before, "Anna"), find(before, "Ann"))
    )

    graph = told("abc", first, joining, off(3, joining), answer(4, "c", update("Anna", state="sad")))

    assert find(graph, "Anna").fields["state"] == "sad"
    assert find(graph, "Anna").redirect == ""


def test_two_nodes_never_redirect_to_each_other():
    first = answer(1, "a", character("Ann"), character("Anna"))
    one, other = told("a", first).nodes.values()
    both = edit(2, "a", merge(one, other), merge(other, one))

    graph = told("a", first, both)

    assert reasons(graph) == ["self_merge"]
    assert [node.redirect for node in graph.nodes.values()] == [other.id, ""]


def test_a_user_edit_is_told_by_no_event_and_counts_as_no_mention():
    graph = told("a", answer(1, "a", character("Ann")), edit(2, "a", update("Ann", None, state="sad")))

    ann = find(graph, "Ann")
    assert (ann.fields["state"], ann.user_edited, ann.mentions, ann.sources) == ("sad", True, 1, ("a",))
    assert events(graph) == []


def test_a_user_edit_holds_until_a_later_message_changes_that_field():
    listed = [
        answer(1, "a", character("Ann", state="sad", goal="home")),
        edit(2, "a", update("Ann", None, state="glad", goal="sea")),
    ]

    assert find(told("a", *listed), "Ann").fields["state"] == "glad"
    later = find(told("ab", *listed, answer(3, "b", update("Ann", state="cross"))), "Ann")
    assert (later.fields["state"], later.fields["goal"]) == ("cross", "sea")


def test_an_answer_to_an_older_message_does_not_overwrite_a_user_edit():
    made = edit(2, "ab", update("Ann", None, state="glad"))
    listed = [answer(1, "b", character("Ann")), made, answer(9, "a", character("Ann", state="sad"))]

    assert find(told("ab", *listed), "Ann").fields["state"] == "glad"


def test_a_user_edit_waits_for_its_node_and_returns_with_it():
    ann = answer(1, "b", character("Ann", state="sad"))
    made = edit(2, "ab", update("Ann", None, state="glad"))

    without, again = told("a", ann, made), told("ab", ann, made)

    assert without.nodes == {}
    assert reasons(without) == ["target_missing"]
    assert find(again, "Ann").fields["state"] == "glad"


def test_a_user_edit_finds_its_node_by_id_else_by_identity():
    ann = find(told("a", answer(1, "a", character("Ann"))), "Ann")
    target = Target(id="another", type="character", name="Ann")
    by_name = edit(2, "a", Operation("update", fields={"state": "glad"}, target=target))
    by_id = edit(3, "a", Operation("update", fields={"goal": "sea"}, target=Target(id=ann.id, type="event", name="x")))

    found = find(told("a", answer(1, "a", character("Ann")), by_name, by_id), "Ann")

    assert found.fields == {"name": "Ann", "state": "glad", "goal": "sea"}


def test_a_pin_is_set_and_taken_off():
    pin, unpin = (Operation("pin", target=named("Ann"), flag=flag) for flag in (True, False))
    listed = [answer(1, "a", character("Ann")), edit(2, "a", pin)]

    assert find(told("a", *listed), "Ann").pinned
    assert not find(told("a", *listed, edit(3, "a", unpin)), "Ann").pinned


def test_a_lock_is_no_pin():
    lock, unlock = (Operation("lock", target=named("Ann"), flag=flag) for flag in (True, False))
    listed = [answer(1, "a", character("Ann")), edit(2, "a", lock)]

    locked, free = find(told("a", *listed), "Ann"), find(told("a", *listed, edit(3, "a", unlock)), "Ann")

    assert (locked.locked, locked.pinned) == (True, False)
    assert not free.locked


def test_upkeep_leaves_what_the_user_merged():
    first = answer(1, "a", character("Ann"), character("Anna"))
    ann, anna = told("a", first).nodes.values()
    by_hand = edit(2, "a", merge(anna, ann))
    kept = find(told("a", first, by_hand), "Ann")

    graph = told("a", first, by_hand, upkeep(3, "a", over(kept), archive("Ann", None)))

    assert not find(graph, "Ann").archived


def test_what_the_user_makes_has_an_id_of_its_record():
    made = edit(1, "a", Operation("create", type="event", fields={"summary": "Dawn"}))
    again = edit(2, "a", Operation("create", type="event", fields={"summary": "Dawn"}))

    graph = told("a", made, again)

    assert len(graph.nodes) == 2
    assert graph.nodes.keys() == told("xa", made, again).nodes.keys()
    assert record_id(made) not in graph.nodes


@pytest.mark.parametrize("guard", ["pin", "lock", "edit"])
@pytest.mark.parametrize("place", ["target", "to"])
def test_upkeep_leaves_what_the_user_pinned_locked_or_edited(guard, place):
    first = answer(1, "a", character("Ann"), character("Anna"))
    own = update("Ann", None, goal="sea") if guard == "edit" else Operation(guard, target=named("Ann"))
    kept = told("a", first, edit(2, "a", own))
    ann, anna = find(kept, "Ann"), find(kept, "Anna")
    joining = merge(ann, anna) if place == "target" else merge(anna, ann, state="one")

    graph = told("a", first, edit(2, "a", own), upkeep(3, "a", over(ann, anna), joining))

    assert graph.nodes == kept.nodes
    assert record_id(upkeep(3, "a", over(ann, anna), joining)) in graph.dormant


def test_upkeep_sleeps_when_what_it_read_is_another_now():
    first = answer(1, "a", character("Ann", state="sad"))
    asleep = upkeep(2, "ab", over(find(told("a", first), "Ann")), archive("Ann", None))
    changed = answer(3, "b", update("Ann", state="glad"))

    assert find(told("ab", first, asleep), "Ann").archived
    awake = told("ab", first, asleep, changed)
    assert not find(awake, "Ann").archived
    assert record_id(asleep) in awake.dormant


def test_upkeep_sleeps_without_the_messages_it_condensed():
    summary = Operation("create", type="synopsis", fields={"summary": "all"})
    record = upkeep(1, "abc", {}, summary, run="bc")

    assert find(told("abc", record), "all").sources == ("b", "c")
    assert told("ac", record).nodes == {}
    assert told("acb", record).nodes == {}


def test_what_upkeep_made_is_made_of_all_that_it_read():
    first = answer(1, "ab", event("Dawn"), event("Noon", 1))
    dawn, noon = told("ab", first).nodes.values()
    day = Operation("create", type="event", fields={"summary": "Day"})

    graph = told("ab", first, upkeep(2, "ab", over(dawn, noon), day))

    assert set(find(graph, "Day").sources) == {"a", "b"}


def test_upkeep_takes_effect_where_what_it_read_stands_later():
    """The message that set the state it read moved behind the upkeep's place."""
    made = [answer(1, "a", character("Ann")), answer(2, "b", update("Ann", state="sad")), answer(3, "c")]
    asleep = upkeep(4, "abc", over(find(told("abc", *made), "Ann")), archive("Ann", None))

    assert find(told("acb", *made, asleep), "Ann").archived
    assert not find(told("ac", *made, asleep), "Ann").archived


def test_a_user_record_takes_effect_where_its_target_comes_later():
    made = edit(2, "ab", update("Ann", None, state="glad"))

    graph = told("ba", answer(1, "a", character("Ann", state="sad")), answer(3, "b"), made)

    assert find(graph, "Ann").fields["state"] == "glad"
    assert reasons(graph) == []


def test_part_of_a_user_record_waits_alone():
    made = edit(2, "ab", update("Ann", None, goal="sea"), update("Bob", None, goal="home"))

    graph = told("a", answer(1, "a", character("Ann")), made)

    assert find(graph, "Ann").fields["goal"] == "sea"
    assert [drop.index for drop in graph.drops] == [1]


def test_what_a_summary_makes_is_no_memory():
    record = upkeep(1, "ab", {}, Operation("create", type=SUMMARY, fields={"summary": "all"}), run="ab")

    graph = told("ab", record)

    assert graph.nodes == {}
    assert [summary.sources for summary in graph.frontier()] == [("a", "b")]


def test_undone_upkeep_is_withheld_while_what_it_read_stands():
    first = answer(1, "a", character("Ann"))
    undone = upkeep(2, "a", over(find(told("a", first), "Ann")), archive("Ann", None))

    assert told("a", first, undone, off(3, undone)).withheld == {record_id(undone)}
    assert told("", first, undone, off(3, undone)).withheld == set()


def test_what_condenses_a_change_rests_on_both_of_its_messages():
    listed = [answer(1, "a", character("Ann", state="sad")), answer(2, "b", update("Ann", state="glad"))]
    (change,) = (node for node in told("ab", *listed).nodes.values() if node.type == "event")
    parent = Operation("create", type="event", fields={"summary": "how Ann felt"}, ref="all")

    graph = told("ab", *listed, upkeep(3, "ab", over(change), parent))

    assert change.sources == ("b",)
    assert set(find(graph, "how Ann felt").sources) == {"a", "b"}
