"""Long runs in parts, and what is shortened to fit into a prompt."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from st_bme.model.message import Message
from st_bme.write.room import divide, fit

ROLES = {"u": "user", "a": "assistant"}


def said(turns: str) -> list[Message]:
    """`u12 a30`: a user message of 12 characters, a reply of 30."""
    words = turns.split()
    return [Message(f"k{n}", ROLES[word[0]], "", word[0] * int(word[1:]), n) for n, word in enumerate(words)]


def lengths(messages) -> list[int]:
    return [len(message.text) for message in messages]


def test_a_long_run_is_read_in_parts_that_end_with_a_reply():
    parts = divide(said("u10 a30 u10 a30 u10 a30 u5"), 90)

    assert [lengths(part) for part in parts] == [[10, 30, 10, 30], [10, 30, 5]]


def test_one_exchange_is_never_parted():
    assert [lengths(part) for part in divide(said("u100 u100 a100"), 50)] == [[100, 100, 100]]


def test_a_run_that_fits_stays_whole():
    assert [lengths(part) for part in divide(said("a40 u10 a40"), 90)] == [[40, 10, 40]]


def test_the_oldest_of_the_context_give_way_first():
    context, run = fit(said("u30 a30 u30"), said("u20 a20"), 100)

    assert lengths(context) == [30, 30]
    assert lengths(run) == [20, 20]


def test_only_what_is_too_long_is_shortened_and_keeps_beginning_and_end():
    long = Message("k", "assistant", "", "b" * 500 + "m" * 9_000 + "e" * 500, 1)

    context, (short, cut) = fit(said("u30"), [*said("u200"), long], 1_000)

    assert context == ()
    assert len(short.text) == 200
    assert len(cut.text) <= 800
    assert cut.text.startswith("b" * 300)
    assert cut.text.endswith("e" * 300)
    assert "[…]" in cut.text


@given(st.lists(st.integers(0, 4_000), min_size=1, max_size=12), st.integers(500, 5_000))
def test_what_is_shown_never_exceeds_the_limit(sizes, most):
    messages = [Message(f"k{n}", "user", "", "x" * size, n) for n, size in enumerate(sizes)]

    context, run = fit(messages, messages, most)

    assert sum(lengths(context)) + sum(lengths(run)) <= most + len(sizes) * len("\n[…]\n")
    assert [message.key for message in run] == [message.key for message in messages]
