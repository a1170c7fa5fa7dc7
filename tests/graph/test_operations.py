"""What operations do where they are folded (docs/storage.md, rules 21 to 23 and 26)."""

from dataclasses import replace

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
    over,
    reasons,
    told,
    update,
    upkeep,
    wake,
)
from st_bme.model.operation import Operation, Target
from st_bme.model.scope import Scope


def test_a_created_node_is_made_of_its_message():
    ann = find(told("ab", answer(1, "ab", character("Ann", 1, state="sad"))), "Ann")

    assert (ann.type, ann.fields, ann.sources, ann.importance) == (
        "character",
        {"name": "Ann", "state": "sad"},
        ("b",),
        5.0,
    )
    assert (ann.mentions, ann.setters, ann.archived) == (1, {}, False)


def test_creating_a_known_name_updates_it():
    graph = told("ab", answer(1, "a", character("Ann", state="sad")), answer(2, "b", character("Ann", state="glad")))

    ann = find(graph, "Ann")
    assert ann.fields["state"] == "glad"
    assert ann.sources == ("a", "b")
    assert ann.setters == {"state": "b"}
    assert ann.mentions == 2


def test_creating_a_known_place_updates_it():
    empty, flooded = (Operation("create", 0, "location", {"name": "Mill", "state": state}) for state in ("dry", "wet"))

    graph = told("ab", answer(1, "a", empty), answer(2, "b", flooded))

    assert [node.fields["state"] for node in graph.nodes.values() if node.type == "location"] == ["wet"]


@pytest.mark.parametrize("spelling", ["ann", "ＡＮＮ", " Ann ", "ANN"])
def test_width_case_and_blanks_make_no_other_name_and_no_change(spelling):
    graph = told("ab", answer(1, "a", character("Ann")), answer(2, "b", character(spelling)))

    assert [node.fields["name"] for node in graph.nodes.values()] == ["Ann"]
    assert events(graph) == []


def test_one_name_in_two_regions_is_two_places():
    here = Operation("create", 0, "location", {"name": "Gate"}, scope=Scope(region_primary="North"))
    there = Operation("create", 0, "location", {"name": "Gate"}, scope=Scope(region_primary="South"))

    assert len(told("a", answer(1, "a", here, there)).nodes) == 2


def test_updating_a_missing_name_creates_it():
    ann = find(told("a", answer(1, "a", update("Ann", state="sad"))), "Ann")

    assert ann.fields == {"name": "Ann", "state": "sad"}


def test_renaming_a_missing_name_leaves_it_answering_to_both():
    graph = told("ab", answer(1, "a", update("Ann", name="Queen")), answer(2, "b", update("Ann", state="sad")))

    assert find(graph, "Queen").fields["state"] == "sad"
    assert find(graph, "Ann") is None


def test_updating_another_missing_node_is_dropped_with_its_reason():
    lost = Operation("update", 0, fields={"summary": "x"}, target=Target(type="event", id="gone"))
    graph = told("a", answer(1, "a", lost, character("Ann")))

    assert reasons(graph) == ["target_missing"]
    assert "gone" in graph.drops[0].refusal.detail
    assert graph.drops[0].index == 0
    assert find(graph, "Ann") is not None


def test_what_points_to_a_node_of_a_message_that_is_gone_is_dropped():
    first, second = event("Dawn", 0, ref="r1"), Operation("update", 1, target=Target(ref="r1"), fields={"status": "x"})

    assert reasons(told("b", answer(1, "ab", first, second))) == ["target_missing"]
    assert reasons(told("ab", answer(1, "ab", first, second))) == []


def test_a_missing_target_in_archive_wake_pin_and_merge_is_a_drop():
    gone = [Operation(action, 0, target=named("Ann")) for action in ("archive", "wake", "pin", "merge")]

    assert reasons(told("a", answer(1, "a", *gone))) == ["target_missing"] * 4


def test_an_exact_repeat_is_a_mention():
    graph = told("ab", answer(1, "a", event("Dawn")), answer(2, "b", event("Dawn")))

    dawn = find(graph, "Dawn")
    assert (dawn.mentions, dawn.sources) == (2, ("a", "b"))


def test_what_differs_in_a_word_is_an_event_of_its_own():
    assert len(told("a", answer(1, "a", event("Dawn"), event("Dusk"))).nodes) == 2


def test_a_repeat_of_what_an_event_once_said_mentions_it_still():
    rewritten = Operation("update", 0, target=Target(ref="r1"), fields={"summary": "Dawn comes"})
    graph = told("ab", answer(1, "a", event("Dawn", ref="r1"), rewritten), answer(2, "b", event("Dawn")))

    assert find(graph, "Dawn comes").mentions == 3
    assert find(graph, "Dawn") is None


def test_a_change_is_told_by_an_event_that_updates_the_node():
    graph = told("ab", answer(1, "a", character("Ann", state="sad")), answer(2, "b", update("Ann", state="glad")))

    (change,) = events(graph)
    assert change.fields["summary"] == "Ann: state: sad -> glad"
    assert (change.fields["participants"], change.fields["status"], change.sources) == ("Ann", "resolved", ("b",))
    assert ("Ann", "updates", "Ann") in joined(graph)


def test_a_later_change_ends_the_edge_of_the_earlier_one():
    graph = told(
        "abc",
        answer(1, "a", character("Ann", state="sad")),
        answer(2, "b", update("Ann", state="glad")),
        answer(3, "c", update("Ann", state="cross")),
    )

    edges = [edge for edge in graph.edges.values() if edge.relation == "updates"]
    assert [(edge.source, edge.ended) for edge in edges] == [("b", "c"), ("c", "")]
    assert [edge.strength for edge in edges] == [0.9, 0.9]


def test_saying_the_same_again_is_no_change():
    graph = told("ab", answer(1, "a", character("Ann", state="sad")), answer(2, "b", update("Ann", state="sad")))

    assert events(graph) == []
    assert find(graph, "Ann").mentions == 2


@pytest.mark.parametrize(("importance", "told_as"), [(1.0, 4.0), (6.0, 6.0), (10.0, 8.0), (None, 5.0)])
def test_the_event_of_a_change_is_of_middling_importance(importance, told_as):
    change = replace(update("Ann", state="glad"), importance=importance)
    graph = told("ab", answer(1, "a", character("Ann")), answer(2, "b", change))

    assert [node.importance for node in events(graph)] == [told_as]
    assert find(graph, "Ann").importance == 5.0


def test_an_event_tells_three_changes_at_most():
    change = update("Ann", traits="t", state="s", goal="g", inventory="i")
    graph = told("ab", answer(1, "a", character("Ann")), answer(2, "b", change))

    assert events(graph)[0].fields["summary"] == "Ann: goal: - -> g; inventory: - -> i; state: - -> s"


def test_two_changes_in_one_message_are_two_events():
    graph = told("a", answer(1, "a", character("Ann"), update("Ann", state="sad"), update("Ann", state="glad")))

    assert [node.fields["summary"] for node in events(graph)] == ["Ann: state: - -> sad", "Ann: state: sad -> glad"]
    assert [edge.is_current for edge in graph.edges.values()] == [False, True]


def test_what_brought_a_change_about_is_joined_to_it_once():
    def caused(cite):
        return replace(update("Ann", cite, state=f"s{cite}"), to=named("Bob"))

    graph = told("abc", answer(1, "abc", character("Ann"), character("Bob"), caused(1), caused(2)))

    causes = [edge for edge in graph.edges.values() if edge.relation == "temporal_update"]
    assert [(edge.source, edge.ended, edge.strength) for edge in causes] == [("b", "c", 0.95), ("c", "", 0.95)]


def test_a_renamed_node_keeps_its_id_and_answers_to_all_its_names():
    born = told("a", answer(1, "a", character("Ann")))
    listed = [
        answer(1, "a", character("Ann")),
        answer(2, "b", update("Ann", name="Queen")),
        answer(3, "c", update("Ann", state="sad")),
        answer(4, "d", character("Queen", goal="rule")),
        answer(5, "e", character("Ann", traits="calm")),
    ]
    graph = told("abcde", *listed)

    queen = next(node for node in graph.nodes.values() if node.type == "character")
    assert queen.id == find(born, "Ann").id
    assert queen.fields == {"name": "Queen", "state": "sad", "goal": "rule", "traits": "calm"}
    assert queen.former_names == ("Ann",)
    assert len([node for node in graph.nodes.values() if node.type == "character"]) == 1


def test_without_the_message_that_renamed_the_old_name_is_back():
    listed = [answer(1, "a", character("Ann")), answer(2, "b", update("Ann", name="Queen"))]

    assert find(told("a", *listed), "Ann").former_names == ()


def test_there_is_one_synopsis():
    first, second = (Operation("create", 0, "synopsis", {"summary": text}) for text in ("one", "two"))

    graph = told("ab", answer(1, "a", first), answer(2, "b", second))

    assert [node.fields["summary"] for node in graph.nodes.values() if node.type == "synopsis"] == ["two"]


def test_an_archived_node_stays_in_the_graph():
    graph = told("a", answer(1, "a", character("Ann"), archive("Ann")))

    assert find(graph, "Ann").archived_by == "model"
    assert graph.active_nodes() == []


def test_a_model_update_wakes_what_the_model_archived():
    graph = told("a", answer(1, "a", character("Ann"), archive("Ann"), update("Ann", state="sad")))

    assert find(graph, "Ann").archived_by == ""


def test_a_model_update_wakes_what_upkeep_archived():
    first = answer(1, "a", character("Ann"))
    asleep = upkeep(2, "a", over(find(told("a", first), "Ann")), archive("Ann", None))

    assert find(told("a", first, asleep), "Ann").archived_by == "upkeep"
    assert find(told("ab", first, asleep, answer(3, "b", update("Ann", state="sad"))), "Ann").archived_by == ""


@pytest.mark.parametrize(
    "said", [update("Ann", state="sad"), character("Ann"), archive("Ann"), wake("Ann")], ids=lambda said: said.action
)
def test_nothing_that_a_model_says_wakes_what_the_user_archived(said):
    put_away = edit(2, "a", archive("Ann", None))
    listed = [
        answer(1, "a", character("Ann")),
        put_away,
        answer(3, "b", said),
        answer(4, "c", update("Ann", goal="sea")),
    ]

    assert find(told("abc", *listed), "Ann").archived_by == "user"


def test_a_repeated_event_that_the_user_archived_stays_away():
    dawn = find(told("a", answer(1, "a", event("Dawn"))), "Dawn")
    put_away = edit(2, "a", Operation("archive", target=Target(id=dawn.id)))

    graph = told("ab", answer(1, "a", event("Dawn")), put_away, answer(3, "b", event("Dawn")))

    assert find(graph, "Dawn").archived_by == "user"


def test_the_user_wakes_anything():
    listed = [answer(1, "a", character("Ann"), archive("Ann")), edit(2, "a", wake("Ann", None))]

    assert find(told("a", *listed), "Ann").archived_by == ""


def test_one_message_archives_a_tenth_of_the_active_nodes_and_at_least_one():
    crowd = [character(f"C{number}") for number in range(20)]
    purge = answer(2, "b", *(archive(f"C{number}") for number in range(5)))

    assert reasons(told("ab", answer(1, "a", *crowd), purge)) == ["archive_cap"] * 3
    assert reasons(told("ab", answer(1, "a", *crowd[:3]), purge)).count("archive_cap") == 4


def test_the_cap_on_archiving_counts_messages_whatever_one_call_reads():
    crowd = answer(1, "a", character("Ann"), character("Bob"))
    together = told("abc", crowd, answer(2, "bc", archive("Ann", 0), archive("Bob", 1)))
    apart = told("abc", crowd, answer(2, "b", archive("Ann")), answer(3, "c", archive("Bob")))

    assert together.nodes == apart.nodes
    assert together.active_nodes() == []


def test_the_user_archives_without_a_cap():
    listed = [answer(1, "a", character("Ann"), character("Bob"))]
    graph = told("a", *listed, edit(2, "a", archive("Ann", None), archive("Bob", None)))

    assert graph.active_nodes() == []


def test_ids_of_nodes_do_not_depend_on_how_calls_were_grouped():
    together = told("ab", answer(5, "ab", character("Ann"), event("Dawn", 1), update("Ann", 1, state="sad")))
    apart = told("ab", answer(2, "b", event("Dawn"), update("Ann", state="sad")), answer(1, "a", character("Ann")))

    assert list(together.nodes) == list(apart.nodes)
    assert list(together.edges) == list(apart.edges)
