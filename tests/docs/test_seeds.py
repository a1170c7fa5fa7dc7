"""docs/seeds.md has every promise of the seeds and every setting, once."""

from __future__ import annotations

import pytest

import seeds_coverage
from docs.pages import code, read_page, table_below, tables
from st_bme.settings import SETTINGS

PAGE = read_page("seeds.md")
PROMISES = {"000": 16, "001": 54, "002": 11, "003": 26, "004": 31}
MOST_WORDS = 15
IN_SILLYTAVERN = "tests/e2e/"
# Settings whose effect is not shown there, and why; the page names the tests that show it.
ELSEWHERE = {
    "idleMinutes": "a minute at least",
    "maxCallsPerTurn": "needs a chat with much to tidy",
    "consolidationThreshold": "a likeness that only vectors of real texts have",
    "enablePreciseConflict": "a likeness that only vectors of real texts have",
    "conflictThreshold": "a likeness that only vectors of real texts have",
    "enableEvolution": "no call of its own",
    "evoNeighborCount": "needs a chat with much to tidy",
    "enableSleepCycle": "forty messages at least",
    "forgetThreshold": "forty messages at least",
    "sleepEveryN": "forty messages at least",
    "decayClock": "a story of many segments",
    "enableLifecycle": "a chat of many turns",
    "evoConsolidateEvery": "needs a chat with much to tidy",
    "dailyTokenBudget": "a day's worth of calls",
    "extractGatePrompt": "a prompt of the user's like `extractPrompt`",
    "extractPovPrompt": "a prompt of the user's like `extractPrompt`",
    "extractDefaultBatchRelatedEdges": "only in edges",
    "extractDefaultBatchRelatedEdgeStrength": "only in edges",
    "enableDiversitySampling": "of a short chat all events are recalled",
    "enableTemporalLinks": "of a short chat all events are recalled",
    "enableCrossRecall": "of a short chat all events are recalled",
    "enableProbRecall": "chance",
    "probRecallChance": "chance",
}


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


def test_what_each_setting_does_is_shown_in_the_real_sillytavern_or_a_reason_is_given():
    """Schema and page together: no setting without a named test, none without its effect where it can show."""
    rows = {code(row.name): row.tests for row in seeds_coverage.read_rows(PAGE)["Settings"]}
    keys = [setting.key for setting in SETTINGS]

    assert [key for key in keys if not rows[key]] == []
    in_browser = {key for key in keys if any(test.startswith(IN_SILLYTAVERN) for test in rows[key])}
    assert set(keys) - in_browser == ELSEWHERE.keys()


def test_only_what_is_in_the_schema_is_shown_to_work():
    known = {setting.key for setting in SETTINGS}
    rows = seeds_coverage.read_rows(PAGE)["Settings"]

    assert [row.name for row in rows if row.tests and code(row.name) not in known] == []


def test_every_named_test_exists():
    rows = seeds_coverage.read_rows(PAGE)

    named = {test for each in rows.values() for row in each for test in row.tests}
    assert named
    assert {test for test in named if not seeds_coverage.exists(test)} == set()
