"""The view is the list of keys of the messages that count (docs/storage.md, rules 2 to 5)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from st_bme.history.view import EMPTY_VIEW, list_digest, list_digests, view_chain, view_of
from st_bme.model.message import ListedMessage


def listed(floor, raw, role="user", name="Uma", *, hidden=False):
    return ListedMessage(floor, raw, role, name, hidden)


SLOTS = (listed(0, "a", "assistant", "Ann"), None, listed(2, "b"), listed(3, "c", hidden=True))


def test_what_counts_as_no_message_is_passed_over_and_keeps_its_floor():
    view = view_of(SLOTS, {}, include_hidden=True)

    assert (view.keys, view.floors) == (("a", "b", "c"), (0, 2, 3))
    assert (view.roles, view.names) == (("assistant", "user", "user"), ("Ann", "Uma", "Uma"))
    assert len(view) == 3


def test_hidden_messages_count_unless_they_are_excluded():
    assert view_of(SLOTS, {}, include_hidden=False).keys == ("a", "b")


def test_an_alias_stands_for_the_older_key():
    assert view_of(SLOTS, {"b": "a"}, include_hidden=True).keys == ("a", "a", "c")


def test_an_empty_chat_has_an_empty_view():
    assert view_of((), {}, include_hidden=True) == EMPTY_VIEW
    assert view_of((None, None), {}, include_hidden=True) == EMPTY_VIEW


@pytest.mark.parametrize(
    "other",
    [
        listed(0, "x"),
        listed(0, "a", "assistant"),
        listed(0, "a", name="Una"),
        listed(0, "a", hidden=True),
        None,
    ],
    ids=["text", "role", "name", "hidden", "nothing"],
)
def test_the_digest_of_a_list_tells_every_difference(other):
    assert list_digest((listed(0, "a"),)) != list_digest((other,))
    assert list_digest((other,)) != list_digest((other, None))


_slot = st.none() | st.builds(listed, st.just(0), st.sampled_from("abc"), hidden=st.booleans())


@given(st.lists(_slot, max_size=8))
def test_the_digests_of_a_list_are_those_of_its_beginnings(slots):
    assert list_digests(slots) == [list_digest(slots[:end]) for end in range(len(slots) + 1)]


def test_the_chain_tells_names_and_order():
    base = view_of((listed(0, "a"), listed(1, "b")), {}, include_hidden=True)
    renamed = view_of((listed(0, "a", name="Una"), listed(1, "b")), {}, include_hidden=True)
    moved = view_of((listed(0, "b"), listed(1, "a")), {}, include_hidden=True)
    farther = view_of((None, listed(1, "a"), listed(2, "b")), {}, include_hidden=True)

    assert len({view_chain(view) for view in (base, renamed, moved)}) == 3
    assert view_chain(farther) == view_chain(base)
