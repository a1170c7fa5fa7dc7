"""The graph as of an earlier message, and branches (docs/storage.md, rule 28)."""

from graph.story import answer, archive, character, edit, find, off, over, records, told, update, upkeep
from st_bme.graph.fold import fold
from st_bme.graph.records import record_id
from st_bme.graph.time_travel import branch_records, graph_at, records_until

STORY = [answer(1, "a", character("Ann", state="sad")), answer(2, "b"), answer(3, "c", update("Ann", state="glad"))]


def branch(view, length, *listed):
    """The graph of a branch behind the first `length` messages."""
    return fold(tuple(view[:length]), records(*branch_records(tuple(view), length, records(*listed))))


def test_the_graph_as_of_a_message_has_nothing_of_later_ones():
    assert find(graph_at("abc", 2, records(*STORY)), "Ann").fields["state"] == "sad"
    assert find(graph_at("abc", 3, records(*STORY)), "Ann").fields["state"] == "glad"


def test_what_was_made_later_takes_no_part():
    early, late = edit(4, "ab", update("Ann", None, goal="sea")), edit(5, "abc", update("Ann", None, goal="home"))

    assert find(graph_at("abc", 2, records(*STORY, early, late)), "Ann").fields["goal"] == "sea"


def test_a_record_counts_as_made_where_its_anchor_leads_now():
    """Its last message is gone, and the one before it lies behind the cut."""
    made = edit(4, "abcd", update("Ann", None, goal="sea"))

    _, later = records_until("abc", 2, records(*STORY, made))

    assert later == [made]


def test_what_was_made_before_the_first_message_is_always_there():
    made = edit(4, "", update("Ann", None, goal="sea"))

    assert find(graph_at("abc", 1, records(*STORY, made)), "Ann").fields["goal"] == "sea"


def test_a_branch_has_the_graph_of_its_parent_at_that_message():
    ann = find(told("abc", *STORY), "Ann")
    later = upkeep(4, "abc", over(ann), archive("Ann", None))
    listed = [*STORY, later, edit(5, "abc", update("Ann", None, goal="sea"))]

    graph = branch("abc", 2, *listed)

    assert graph.nodes == graph_at("abc", 2, records(*listed)).nodes
    assert find(graph, "Ann").fields == {"name": "Ann", "state": "sad"}


def test_what_the_user_made_later_comes_along_undone():
    late, redone = edit(4, "abc", update("Ann", None, goal="sea")), edit(5, "abc", update("Ann", None, state="calm"))
    copied = branch_records("abc", 2, records(*STORY, late, redone, off(6, redone)))

    assert [record for record in copied if record in (late, redone)] == [late, redone]
    assert records(*copied).switched_off() == {record_id(late), record_id(redone)}


def test_upkeep_made_later_stays_with_the_parent():
    later = upkeep(4, "abc", {}, archive("Ann", None))

    assert later not in branch_records("abc", 2, records(*STORY, later, off(5, later)))
    assert off(5, later) not in branch_records("abc", 2, records(*STORY, later, off(5, later)))


def test_two_branches_at_one_place_have_the_same_records():
    listed = records(*STORY, edit(4, "abc", update("Ann", None, goal="sea")))

    assert branch_records("abc", 2, listed) == branch_records("abc", 2, listed)
