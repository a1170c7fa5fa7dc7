"""Where in its run an operation takes effect."""

from graph.story import character, event, named
from st_bme.graph.operation_order import settle_cites
from st_bme.model.operation import Operation, Target


def cites(*operations):
    return [operation.cite for operation in settle_cites(operations)]


def link_to(ref, cite):
    return Operation("link", cite, target=Target(ref=ref), to=named("Bob"))


def test_a_link_waits_for_the_node_that_it_names():
    assert cites(link_to("r1", 0), event("Dawn", 2, ref="r1")) == [2, 2]


def test_a_link_after_its_node_stays_where_it_was_told():
    assert cites(event("Dawn", 0, ref="r1"), link_to("r1", 1)) == [0, 1]


def test_what_names_a_node_of_the_whole_run_is_of_the_whole_run():
    assert cites(event("Dawn", None, ref="r1"), link_to("r1", 1)) == [None, None]


def test_the_later_of_two_ends_decides():
    both = Operation("link", 0, target=Target(ref="r1"), to=Target(ref="r2"))

    assert cites(event("Dawn", 1, ref="r1"), event("Noon", 3, ref="r2"), both) == [1, 3, 3]


def test_an_unknown_ref_changes_nothing():
    assert cites(link_to("r9", 1), character("Ann", 0)) == [1, 0]


def test_what_cites_the_whole_run_stays_so():
    assert cites(event("Dawn", 1, ref="r1"), link_to("r1", None)) == [1, None]
