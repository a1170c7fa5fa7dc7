"""How much would be injected, in words."""

import pytest

from st_bme.commands.injected import injected


@pytest.mark.parametrize(
    ("types", "told"),
    [
        ([], "0 memories"),
        (["event"], "1 memory"),
        (["event", "character"], "2 memories"),
        (["event", "passage", "passage", "rule"], "2 memories and 2 quotes"),
        (["passage"], "0 memories and 1 quote"),
    ],
)
def test_memories_and_quotes_are_counted_apart(types, told):
    assert injected(types) == told
