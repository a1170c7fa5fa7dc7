"""The defaults of the original's table of settings, and why some are others here."""

import pytest

from st_bme.settings import SETTINGS

DEFAULTS = {setting.key: setting.default for setting in SETTINGS}
SEED = {
    "enabled": False,
    "extractEvery": 1,
    "extractContextTurns": 2,
    "recallEnabled": True,
    "recallTopK": 15,
    "recallMaxNodes": 8,
    "recallEnableLLM": True,
    "injectDepth": 4,
    "graphWeight": 0.6,
    "vectorWeight": 0.3,
    "importanceWeight": 0.1,
    "enableEvolution": True,
    "evoNeighborCount": 5,
    "evoConsolidateEvery": 50,
    "enablePreciseConflict": True,
    "conflictThreshold": 0.85,
    "enableSynopsis": True,
    "synopsisEveryN": 5,
    "enableVisibility": False,
    "enableCrossRecall": False,
    "enableSmartTrigger": False,
    "triggerPatterns": "",
    "smartTriggerThreshold": 2,
    "enableSleepCycle": False,
    "forgetThreshold": 0.5,
    "sleepEveryN": 10,
    "enableProbRecall": False,
    "probRecallChance": 0.15,
    "enableReflection": False,
    "reflectEveryN": 10,
    "embeddingApiUrl": "",
    "embeddingApiKey": "",
    "embeddingModel": "text-embedding-3-small",
}
DIFFERENT = {
    "recallEnableLLM": "costs a call and seconds before every reply",
    "enableSynopsis": "summaries of all levels, which are on, take its place",
}


@pytest.mark.parametrize("key", sorted(SEED.keys() - DIFFERENT.keys()))
def test_the_default_is_the_original_s(key):
    assert DEFAULTS[key] == SEED[key]


@pytest.mark.parametrize("key", DIFFERENT)
def test_what_differs_does_so_for_a_reason(key):
    assert DEFAULTS[key] != SEED[key]
