"""A patch turns the old state into the new one, and says little more than what changed (rule 37)."""

import copy
from itertools import pairwise

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.story import answer, character, event, link, update
from graph.test_state import state_of
from st_bme.graph.state_patch import apply_steps, diff_states
from st_bme.history.keys import short_hash

_leaf = st.one_of(st.integers(0, 3), st.sampled_from("abc"), st.none())
_node = st.fixed_dictionaries(
    {"id": st.sampled_from("abcd"), "long": st.just("long enough that a change of one key is told alone")},
    optional={"x": _leaf, "sources": st.lists(st.integers(0, 3), max_size=4)},
)
_edge = st.fixed_dictionaries(
    {"fromId": st.sampled_from("ab"), "toId": st.sampled_from("ab")}, optional={"relation": st.sampled_from("xy")}
)
_state = st.dictionaries(
    st.sampled_from(("rev", "known", "nodes", "edges", "tail", "chat")),
    st.one_of(
        _leaf,
        st.text("abcd", max_size=8),
        st.lists(_node, max_size=6),
        st.lists(_edge, max_size=6),
        st.lists(_leaf, max_size=6),
        st.dictionaries(st.sampled_from("ab"), _leaf),
    ),
    max_size=6,
)


@given(_state, _state)
def test_a_patch_turns_any_state_into_any_other(old, new):
    before = copy.deepcopy(old)

    patched = apply_steps(old, orjson.loads(orjson.dumps(diff_states(old, new))))

    assert orjson.dumps(patched, option=orjson.OPT_SORT_KEYS) == orjson.dumps(new, option=orjson.OPT_SORT_KEYS)
    assert old == before


@given(_state)
def test_equal_states_need_no_steps(state):
    assert diff_states(state, copy.deepcopy(state)) == []


@given(st.lists(_state, min_size=2, max_size=6))
def test_patches_in_a_row_follow_the_state(walk):
    followed = walk[0]
    for old, new in pairwise(walk):
        followed = apply_steps(followed, diff_states(old, new))

    assert followed == walk[-1]


def test_a_step_without_a_path_sets_everything():
    assert apply_steps({"rev": 1, "old": True}, [["set", [], {"rev": 2}]]) == {"rev": 2}


@pytest.mark.parametrize(
    ("old", "new", "steps"),
    [
        ([1, 2, 3], [1, 2, 3, 4, 5], [["splice", ["x"], 3, 0, [4, 5]]]),
        ([1, 2, 3], [1, 3], [["splice", ["x"], 1, 1, []]]),
        ([1, 2, 3], [0, 1, 2, 3], [["splice", ["x"], 0, 0, [0]]]),
        (
            [{"id": "a", "v": 1}, {"id": "b"}],
            [{"id": "a", "v": 2}, {"id": "b"}],
            [["set", ["x", 0, "v"], 2]],
        ),
        ([{"id": "a"}, {"id": "b"}, {"id": "c"}], [{"id": "c"}], [["splice", ["x"], 0, 2, []]]),
    ],
    ids=["append", "remove", "prepend", "change", "shorten"],
)
def test_a_list_is_spliced_where_it_changed(old, new, steps):
    assert diff_states({"x": old}, {"x": new}) == steps


def test_of_a_long_item_only_what_changed_is_told():
    long = {"id": "b", "text": "it goes on and on " * 9, "sources": list(range(90))}
    old = [{"id": "a"}, long, {"id": "c"}]
    new = [{"id": "a"}, {**long, "sources": list(range(91)), "seq": 4}, {"id": "c"}]

    steps = diff_states({"nodes": old}, {"nodes": new})

    assert steps == [["splice", ["nodes", 1, "sources"], 90, 0, [90]], ["set", ["nodes", 1, "seq"], 4]]


def test_the_known_messages_are_spliced_as_text():
    assert diff_states({"known": "aaaabbbb"}, {"known": "aaaaccccbbbb"}) == [["splice", ["known"], 4, 0, "cccc"]]


def chat(turns):
    """A story of `turns` turns: each tells an event, changes a mood and links both."""
    view = tuple(short_hash(str(place)) for place in range(2 * turns))
    listed = []
    for turn in range(turns):
        name = f"C{turn % 20}"
        told = event(f"In turn {turn} something of weight happened between the people at the old harbour.", 1)
        said = (
            character(name, 0),
            update(name, 1, state=f"mood {turn % 7}"),
            told,
            link(name, f"C{(turn + 1) % 20}", cite=1),
        )
        listed.append(answer(turn + 1, view[2 * turn : 2 * turn + 2], *said, related=0.25))
    return view, listed


def patch_bytes(old, new):
    steps = diff_states(old, new)
    assert apply_steps(old, steps) == new
    return len(orjson.dumps(steps))


@pytest.mark.parametrize("turns", [3, 300, 1_500])
def test_a_turn_sends_six_kilobytes_at_most_whatever_the_size(turns):
    view, listed = chat(turns)
    before, spoken, after = (
        state_of(view[:-2], listed[:-1], rev=1),
        state_of(view, listed[:-1], rev=2),
        state_of(view, listed, rev=3),
    )

    assert patch_bytes(before, spoken) + patch_bytes(spoken, after) <= 6 * 1024


def test_a_deleted_reply_in_the_middle_of_a_long_chat_is_a_patch_smaller_than_the_state():
    view, listed = chat(300)
    whole = state_of(view, listed)

    without = state_of((*view[:301], *view[302:]), listed, floors=tuple(range(599)))

    assert patch_bytes(whole, without) < len(orjson.dumps(whole))
