"""docs/seeds.md has every promise of the seeds and every setting, once."""

from __future__ import annotations

import pytest

import seeds_coverage
from docs.pages import code, read_page, table_below, tables
from st_bme.settings import SETTINGS

PAGE = read_page("seeds.md")
PROMISES = {"000": 16, "001": 54, "002": 11, "003": 26, "004": 31}
MOST_WORDS = 15


def _table(seed: str):
    return next(table for table in tables(PAGE) if table.heading.startswith(f"{seed} "))


@pytest.mark.parametrize("seed", PROMISES)
def test_every_promise_has_its_number(seed: str):
    assert [row["no"] for row in _table(seed).rows] == [str(number) for number in range(1, PROMISES[seed] + 1)]


@pytest.mark.parametrize("seed", PROMISES)
def test_promises_are_short(seed: str):
    long = [row["promise"] for row in _table(seed).rows if not 0 < len(row["promise"].split()) <= MOST_WORDS]

    assert long == []


def test_every_setting_of_the_schema_has_one_row():
    keys = [code(row["key"]) for row in table_below(PAGE, "Settings").rows]

    assert {setting.key for setting in SETTINGS} <= set(keys)
    assert len(keys) == len(set(keys))


def test_only_what_is_in_the_schema_is_shown_to_work():
    known = {setting.key for setting in SETTINGS}
    rows = seeds_coverage.read_rows(PAGE)["Settings"]

    assert [row.name for row in rows if row.tests and code(row.name) not in known] == []


def test_every_named_test_exists():
    rows = seeds_coverage.read_rows(PAGE)

    named = {test for each in rows.values() for row in each for test in row.tests}
    assert named
    assert {test for test in named if not seeds_coverage.exists(test)} == set()
