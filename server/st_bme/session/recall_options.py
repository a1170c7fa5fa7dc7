"""What the user set about recall, as recall takes it."""

from __future__ import annotations

from collections.abc import Mapping

from st_bme.read.options import DecayClock, GateOptions, InjectionForm, RecallOptions
from st_bme.scoring.hybrid import HybridWeights
from st_bme.settings import Values

_FORMS: Mapping[str, InjectionForm] = {"tables": "tables", "list": "list", "marked": "marked"}
_CLOCKS: Mapping[str, DecayClock] = {"turns": "turns", "story": "story", "real": "real"}


def recall_options(settings: Values) -> RecallOptions:
    """The options that do not depend on the chat."""
    return RecallOptions(
        top_k=settings.int("recallTopK"),
        weights=HybridWeights(
            graph=settings.float("graphWeight"),
            vector=settings.float("vectorWeight"),
            lexical=settings.float("lexicalWeight"),
            importance=settings.float("importanceWeight"),
        ),
        is_normalized=settings.bool("normalizeWeights"),
        clock=_CLOCKS[settings.text("decayClock")],
        has_lifecycle=settings.bool("enableLifecycle"),
        has_cross_recall=settings.bool("enableCrossRecall"),
        is_diverse=settings.bool("enableDiversitySampling"),
        has_time_links=settings.bool("enableTemporalLinks"),
        flashback_chance=settings.float("probRecallChance") if settings.bool("enableProbRecall") else 0.0,
        gates=_gates(settings),
        passage_tokens=settings.int("passageMaxTokens") if settings.bool("enablePassages") else 0,
        form=_FORMS[settings.text("injectFormat")],
        is_steady=settings.bool("cacheMode") and settings.text("injectPosition") == "atDepth",
    )


def _gates(settings: Values) -> GateOptions:
    return GateOptions(
        has_visibility=settings.bool("enableVisibility"),
        has_regions=settings.bool("enableScopedMemory"),
        has_knowledge=settings.bool("enableCognitiveMemory"),
        has_story_time=settings.bool("enableStoryTimeline"),
    )
