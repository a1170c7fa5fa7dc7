"""What an extractor is told of the story so far: what is known, summaries, when and where the story is, variables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from st_bme.graph.ids import fold_name
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.ports import Background
from st_bme.settings import Values
from st_bme.write.asking import forbidden_names, tracked_variables

NOTHING_TOLD = Background()
_MOST_SEGMENTS = 8
_MOST_SUMMARIES = 12


def background_of(graph: MemoryGraph, values: Values, from_page: Background = NOTHING_TOLD) -> Background:
    """What page and graph say, as far as the settings want it told. Variables are those that are followed now."""
    has_card, has_world_info = values.bool("extractIncludeCard"), values.bool("extractIncludeWorldInfo")
    held = graph.ledgers.variables
    followed = tracked_variables(values.text("trackedVariables"))
    return Background(
        persona=from_page.persona if has_card else "",
        card=from_page.card if has_card else "",
        world_info=from_page.world_info if has_world_info else "",
        counts=Counter(node.type for node in graph.active_nodes()),
        summaries=_summaries(graph) if values.bool("extractIncludeSummaries") else (),
        story_time=_story_time(graph) if values.bool("extractIncludeStoryTime") else "",
        regions=_regions(graph) if values.bool("enableSpatialAdjacency") else "",
        variables=tuple(
            replace(variable, value=held[key].value) if (key := fold_name(variable.name)) in held else variable
            for variable in followed
        ),
        forbidden=forbidden_names(values.text("forbiddenVariables")),
    )


def _summaries(graph: MemoryGraph) -> Sequence[str]:
    texts = [summary.fields.get("summary", "") for summary in graph.frontier()]
    return tuple(text for text in texts if text)[-_MOST_SUMMARIES:]


def _story_time(graph: MemoryGraph) -> str:
    """The latest segments in their order, the one where the story stands in brackets."""
    segments = graph.ledgers.timeline()
    named = [f"[{segment.label}]" if segment.is_now else segment.label for segment in segments]
    return " → ".join(named[-_MOST_SEGMENTS:])


def _regions(graph: MemoryGraph) -> str:
    """Where the scene is, in what, and beside what: `Market < Old Town | Harbour, Gate`."""
    here = graph.ledgers.active_region()
    if not here:
        return ""
    beside = graph.ledgers.adjacent_to(here)
    return " < ".join((here, *graph.ledgers.parents_of(here))) + (f" | {', '.join(beside)}" if beside else "")
