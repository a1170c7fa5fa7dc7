"""Operations in words, as the history shows them."""

import pytest

from graph.story import character, know, link, region, set_to, time, update
from st_bme.graph.describe import describe_operation


@pytest.mark.parametrize(
    ("operation", "line"),
    [
        (character("Ann", state="glad"), "create character Ann (state: glad)"),
        (update("Ann", state="sad"), "update character Ann (state: sad)"),
        (link("Ann", "Bob"), "link character Ann involved_in character Bob"),
        (time("the feast"), "time the feast"),
        (know("Ann", "Bob"), "know character Bob: Ann known"),
        (know("Ann", "Bob", "mistaken", belief="a spy"), "know character Bob: Ann mistaken (belief: a spy)"),
        (region("Town", "Pier"), "region Town / Pier"),
        (region("Pier", who="Ann"), "region Ann: Pier"),
        (set_to(hp="9"), "set (hp: 9)"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_operation_in_one_line(operation, line):
    assert describe_operation(operation, {}, {}) == line
