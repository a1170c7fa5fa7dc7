"""The budget and the caps hold, and the best come first."""

from hypothesis import given
from hypothesis import strategies as st

from st_bme.scoring.budget import Item, Section, pack

items = st.lists(st.builds(Item, st.text("ab"), st.integers(0, 50), st.floats(0, 1)), max_size=10)
sections_strategy = st.lists(
    st.builds(Section, st.text("xy"), items, cap_tokens=st.integers(-5, 120), heading_tokens=st.integers(0, 10)),
    max_size=4,
)


def section(*items: Item, cap: int = 100, heading: int = 0) -> Section:
    return Section("recalled", items, cap_tokens=cap, heading_tokens=heading)


@given(sections_strategy, st.integers(-10, 200))
def test_budget_and_caps_are_never_exceeded(sections, budget):
    packed = pack(sections, budget)

    assert sum(part.tokens for part in packed) <= max(budget, 0)
    for given_section, part in zip(sections, packed, strict=True):
        spent = sum(item.tokens for item in part.taken) + (given_section.heading_tokens if part.taken else 0)
        assert part.tokens == spent <= max(given_section.cap_tokens, 0)


@given(sections_strategy, st.integers(0, 200))
def test_nothing_is_lost_and_nothing_that_would_fit_is_left(sections, budget):
    packed = pack(sections, budget)

    room = budget
    for given_section, part in zip(sections, packed, strict=True):
        assert sorted(map(repr, part.taken + part.left)) == sorted(map(repr, given_section.items))
        free = min(given_section.cap_tokens, room) - (part.tokens or given_section.heading_tokens)
        assert all(item.tokens > free for item in part.left)
        room -= part.tokens


def test_the_best_come_first_and_a_shorter_one_takes_the_room_left():
    long, short, best = Item("long", 60, 0.8), Item("short", 30, 0.5), Item("best", 60, 0.9)

    [part] = pack([section(long, short, best)], 100)

    assert part.taken == (best, short)
    assert part.left == (long,)
    assert part.tokens == 90


def test_an_earlier_section_is_served_first():
    first, second = pack([section(Item("a", 70, 0.1)), section(Item("b", 70, 0.9))], 100)

    assert [item.id for item in first.taken] == ["a"]
    assert second.taken == ()


def test_the_heading_is_paid_once_and_only_with_an_item():
    full, empty = pack(
        [section(Item("a", 5, 1), Item("b", 5, 1), heading=3), section(Item("c", 95, 1), heading=3)], 100
    )

    assert full.tokens == 13
    assert empty.tokens == 0


def test_equal_scores_keep_their_order():
    [part] = pack([section(*(Item(id, 1, 0.5) for id in "cab"))], 100)

    assert [item.id for item in part.taken] == ["c", "a", "b"]
