"""A base in the fold (docs/storage.md, rule 35)."""

import pytest

from graph.story import answer, character, event, find, joined, off, told, update
from st_bme.graph.ids import named_node_id
from st_bme.graph.records import Base, Stamp, record_from_json, record_id, record_to_json
from st_bme.model.edge import ENDED_BY_HAND, Edge
from st_bme.model.node import SET_BY_ALL, SET_BY_HAND, Node
from st_bme.model.scope import OBJECTIVE, Scope

VIEW = "abcdef"


def node(name, sources, node_type="character", **said):
    """A node whose id is its name; `fields` beside the name in `said`."""
    key = "name" if node_type in ("character", "location") else "summary"
    fields = {key: name, **said.pop("fields", {})}
    return Node(said.pop("id", name), node_type, fields, tuple(sources), **said)


def base(*nodes, known="abcd", edges=(), pending=""):
    return Base(Stamp(1), tuple(known), nodes, tuple(edges), tuple(pending))


def edge(start, end, source="", **said):
    return Edge("", start, end, "involved_in", 0.8, source, **said)


def names(graph):
    return {found.name for found in graph.active_nodes()}


def test_a_base_stands_as_it_was_while_all_its_messages_are_there():
    ann = node(
        "Ann",
        "ac",
        fields={"state": "glad"},
        setters={"state": "c"},
        mentions=3,
        clusters=("guild",),
        former_names=("Al",),
        importance=7.0,
    )
    rule = node("No magic", "b", "rule", story_time=None, scope=Scope(region_primary="Pier"))

    graph = told(VIEW, base(ann, rule, edges=[edge("Ann", "No magic", "b")]))

    assert graph.nodes == {"Ann": ann, "No magic": rule}
    assert joined(graph) == {("Ann", "involved_in", "No magic")}


def test_messages_of_a_base_are_covered():
    graph = told(VIEW, base(node("Ann", "a")))

    assert graph.pending == (False, False, False, False, True, True)


def test_what_a_base_did_not_read_in_full_is_pending():
    assert told("abc", base(known="abc", pending="b")).pending == (False, True, False)


def test_a_node_lives_while_one_of_its_sources_is_in_the_view():
    ann = node("Ann", "ac")

    assert names(told("bcd", base(ann))) == {"Ann"}
    assert names(told("bd", base(ann))) == set()


def test_a_field_whose_setter_is_gone_is_hidden():
    ann = node("Ann", "ac", fields={"state": "glad", "goal": "sea"}, setters={"state": "c"})

    without_first, without_second = told("bcd", base(ann)), told("abd", base(ann))

    assert find(without_first, "Ann").fields == {"name": "Ann", "state": "glad"}
    assert find(without_second, "Ann").fields == {"name": "Ann", "goal": "sea"}


def test_a_node_without_a_name_is_gone_with_its_fields():
    assert names(told("bcd", base(node("The fire", "ac", "event")))) == set()


def test_a_rename_goes_with_the_message_that_told_it():
    queen = node("Queen", "ac", setters={"name": "c"}, former_names=("Ann",))

    assert names(told("abd", base(queen))) == {"Ann"}


def test_what_upkeep_wrote_needs_all_its_sources():
    years = node("The long war", "abc", "event", setters={"summary": SET_BY_ALL}, level=1)

    assert told("abcd", base(years)).nodes == {"The long war": years}
    assert names(told("abd", base(years))) == set()


def test_what_upkeep_put_away_is_awake_where_its_product_is_not():
    years = node("The long war", "abc", "event", setters={"summary": SET_BY_ALL}, level=1, child_ids=("Dawn",))
    dawn = node("Dawn", "a", "event", archived_by="upkeep", parent_id="The long war")

    assert names(told("abcd", base(dawn, years))) == {"The long war"}
    assert names(told("acd", base(dawn, years))) == {"Dawn"}


def test_a_merged_node_stands_for_itself_where_its_merge_does_not():
    kept = node("Ann", "ab", fields={"state": "glad"}, setters={"state": "b"})
    gone = node("Annie", "bc", archived_by="upkeep", redirect="Ann")

    assert names(told("abcd", base(gone, kept))) == {"Ann"}
    assert names(told("abd", base(gone, kept))) == {"Ann", "Annie"}


@pytest.mark.parametrize("view", ["abcd", "bcd", "cd"])
def test_what_the_user_wrote_stays(view: str):
    oath = node("The oath", "", "rule", setters={"summary": SET_BY_HAND}, user_edited=True)

    assert names(told(view, base(oath))) == {"The oath"}


def test_an_edge_lives_while_its_message_and_both_ends_do():
    edges = [edge("Ann", "Bob", "b"), edge("Bob", "Ann")]
    listed = base(node("Ann", "a"), node("Bob", "c"), edges=edges)

    assert joined(told("abcd", listed)) == {("Ann", "involved_in", "Bob"), ("Bob", "involved_in", "Ann")}
    assert joined(told("acd", listed)) == {("Bob", "involved_in", "Ann")}
    assert joined(told("abd", listed)) == set()


def test_an_edge_holds_again_when_what_ended_it_is_gone():
    ended = base(node("Ann", "a"), node("Bob", "a"), edges=[edge("Ann", "Bob", "a", ended="c")])
    by_hand = base(node("Ann", "a"), node("Bob", "a"), edges=[edge("Ann", "Bob", "a", ended=ENDED_BY_HAND)])

    assert joined(told("abcd", ended)) == set()
    assert joined(told("abd", ended)) == {("Ann", "involved_in", "Bob")}
    assert joined(told("abd", by_hand)) == set()


def test_later_messages_go_on_from_a_base():
    ann = node("Ann", "a", fields={"state": "sad"}, id=named_node_id("character", OBJECTIVE, "Ann"))

    graph = told(VIEW, base(ann), answer(2, "ef", update("Ann", 1, state="glad")))

    assert find(graph, "Ann").fields["state"] == "glad"
    assert find(graph, "Ann").sources == ("a", "f")
    assert [found.fields["summary"] for found in graph.nodes.values() if found.type == "event"] == [
        "Ann: state: sad -> glad"
    ]


def test_an_old_message_read_again_never_overwrites_what_a_later_one_set():
    ann = node("Ann", "ac", fields={"state": "glad"}, setters={"state": "c"})

    graph = told(VIEW, base(ann), answer(2, "b", update("Ann", state="sad")))

    assert find(graph, "Ann").fields["state"] == "glad"


def test_a_message_read_again_takes_nothing_from_the_base():
    listed = base(node("Dawn", "b", "event"), node("Ann", "a"))

    graph = told(VIEW, listed, answer(2, "b", event("Sunrise")))

    assert names(graph) == {"Ann", "Sunrise"}


def test_a_base_under_all_its_records_says_nothing():
    """Two stores unite: the one that lost its records, and the one that still has them."""
    kept = [answer(1, "ab", character("Ann", state="sad")), answer(2, "cd", update("Ann", 1, state="glad"))]
    whole = told(VIEW, *kept)
    remains = Base(Stamp(2), tuple("abcd"), tuple(whole.nodes.values()), tuple(whole.edges.values()))

    assert told(VIEW, remains, *kept).nodes == whole.nodes
    assert told(VIEW, remains, *kept).edges == whole.edges


def test_a_base_marked_off_covers_and_is_empty():
    listed = base(node("Ann", "a"), known="ab")

    graph = told("abc", listed, off(2, listed))

    assert (names(graph), graph.pending) == (set(), (False, False, True))


def test_an_equal_text_further_on_belongs_to_the_base_too():
    """Chats say "ok" often: the second place is covered, and tells nothing twice."""
    graph = told("abab", base(node("Ann", "ab", fields={"state": "glad"}, setters={"state": "b"}), known="ab"))

    assert find(graph, "Ann").mentions == 1
    assert graph.pending == (False,) * 4


def test_a_base_reads_back_as_it_was_written():
    ann = node("Ann", ("aaaaaaaa", "cccccccc"), setters={"name": SET_BY_HAND}, mentions=2, archived_by="user")
    bob = node("Bob", ("bbbbbbbb",), id="Bob")
    ties = (Edge("edge0", "Ann", "Bob", "related", 0.25, "bbbbbbbb", ended="cccccccc"),)
    written = Base(Stamp(3, cause="import"), ("aaaaaaaa", "bbbbbbbb", "cccccccc"), (ann, bob), ties, ("bbbbbbbb",))

    read = record_from_json(record_to_json(written))

    assert read == written
    assert record_id(read) == record_id(written)
