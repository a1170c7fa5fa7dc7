"""What the settings say about an extraction: what is asked for, what is told beside the messages, what is followed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from st_bme.ports import Asking, MessageForm, Stages, TrackedVariable
from st_bme.settings import Values
from st_bme.settings.node_types import own_types

MOST_VARIABLES = 30
_LONGEST_NAME = 60
_LONGEST_DESCRIPTION = 200
_STAGES: tuple[Stages, ...] = get_args(Stages)
_FORMS: tuple[MessageForm, ...] = get_args(MessageForm)


def asking_of(values: Values) -> Asking:
    """What an extractor is asked for under these settings."""
    stages, form = values.text("extractStages"), values.text("extractPromptStructuredMode")
    return Asking(
        stages=next(known for known in _STAGES if known == stages),
        message_form=next(known for known in _FORMS if known == form),
        template=values.text("extractPrompt"),
        gate_template=values.text("extractGatePrompt"),
        pov_template=values.text("extractPovPrompt"),
        types=own_types(values.text("nodeTypeSchema")),
        time_limit_s=values.float("modelTimeoutS"),
        has_scopes=values.bool("enableScopedMemory"),
        has_pov=values.bool("enablePovMemory"),
        has_cognition=values.bool("enableCognitiveMemory"),
        has_story_time=values.bool("enableStoryTimeline"),
        has_adjacency=values.bool("enableSpatialAdjacency"),
        asks_for_missing=values.bool("enableForceUpdate"),
    )


def default_relation(values: Values) -> float:
    """Strength of the edges between what one message made, 0 for none."""
    is_wanted = values.bool("extractDefaultBatchRelatedEdges")
    return values.float("extractDefaultBatchRelatedEdgeStrength") if is_wanted else 0.0


def tracked_variables(text: str) -> Sequence[TrackedVariable]:
    """The variables that a setting defines, one a line as `name: description`, each name once."""
    found: dict[str, TrackedVariable] = {}
    for line in text.splitlines():
        name, _, description = line.replace("：", ":", 1).partition(":")
        name = name.strip()[:_LONGEST_NAME]
        if name and name.casefold() not in found and len(found) < MOST_VARIABLES:
            found[name.casefold()] = TrackedVariable(name, description.strip()[:_LONGEST_DESCRIPTION])
    return tuple(found.values())


def forbidden_names(text: str) -> Sequence[str]:
    """The names that a setting forbids, one a line."""
    return tuple(dict.fromkeys(name for line in text.splitlines() if (name := line.strip()[:_LONGEST_NAME])))
