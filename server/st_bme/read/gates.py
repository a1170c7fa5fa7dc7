"""Which memories may be injected and how far each is from who speaks, for all at once before any is scored."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from st_bme.model.recall import Query
from st_bme.read.arrays import Floats, Ints, Mask
from st_bme.read.index import NO_FLOOR, RecallIndex
from st_bme.read.options import GateOptions
from st_bme.read.standing import Standing
from st_bme.scoring.knowledge_gate import knowledge_weights
from st_bme.scoring.scope_gate import BUCKET_WEIGHTS, Bucket, Viewpoint, scope_buckets
from st_bme.scoring.story_gate import story_cue, story_weights


@dataclass(frozen=True, slots=True)
class Gated:
    """What gates say of n memories and p passages. A closed memory still leads energy to its neighbours."""

    is_open: Mask  # (n,) of what is awake
    is_asleep: Mask  # (n,) it sleeps, and may be injected once it is woken
    weights: Floats  # (n,) around 1: how near it is in view, place and story time
    closed: Mask  # (p,) passages that are kept from who speaks
    hidden_floors: Ints  # floors of the memories that are kept from them, ascending

    def hides(self, first: int, last: int) -> bool:
        """Whether something of these floors is kept from who speaks."""
        place = int(np.searchsorted(self.hidden_floors, first))
        return place < self.hidden_floors.size and int(self.hidden_floors[place]) <= last


def gate(index: RecallIndex, query: Query, options: GateOptions) -> Gated:
    """What may be injected, and how much it counts for being near."""
    is_open = _has_place(index) & ~_is_in_prompt(index, query)
    is_hidden = np.zeros(len(index), np.bool_)
    standing = index.standing
    viewpoint = standing.viewpoint(query.speaker)
    if options.has_visibility:
        is_hidden |= ~standing.is_seen_by(query.speaker)
    buckets = scope_buckets(standing.scopes, _as_wanted(viewpoint, options))
    weights = (BUCKET_WEIGHTS / BUCKET_WEIGHTS[Bucket.ANYWHERE])[buckets]
    knowing = standing.knowing(query.speaker, index.mentions) if options.has_knowledge else None
    if knowing is not None:
        by_knowledge, is_known = knowledge_weights(knowing, buckets)
        weights *= by_knowledge
        is_hidden |= ~is_known
    if options.has_story_time and standing.ledgers.segments:
        by_time, must_wait = _by_time(standing, query)
        weights *= by_time
        is_open &= ~must_wait | index.arrays.is_pinned
    floors = _hidden_floors(index, is_hidden)
    is_open &= ~is_hidden
    asleep = index.arrays.is_asleep
    closed = _closed_passages(index, floors, query.speaker)
    return Gated(is_open & ~asleep, is_open & asleep, weights, closed, floors)


def _hidden_floors(index: RecallIndex, is_hidden: Mask) -> Ints:
    """Where memories come from that are kept from who speaks.

    Views of others do not count: one may stand by and not know what another thinks.
    """
    arrays = index.arrays
    is_kept = is_hidden & index.standing.scopes.owners.equal("")
    if not is_kept.any():
        return np.empty(0, np.int64)
    floors: Ints = np.unique(arrays.source_floors[is_kept[arrays.source_rows]])
    return floors


def _closed_passages(index: RecallIndex, floors: Ints, speaker: str) -> Mask:
    """(p,) True for what was said in turns of which a memory is kept from who speaks; their own words are theirs."""
    passages = index.passages
    if floors.size == 0:
        return np.zeros(len(passages), np.bool_)
    is_closed: Mask = np.isin(passages.turns, passages.turns_of(floors))
    return is_closed & ~passages.speakers.said_by(speaker)


def _as_wanted(viewpoint: Viewpoint, options: GateOptions) -> Viewpoint:
    if options.has_regions:
        return viewpoint
    return Viewpoint(viewpoint.character, viewpoint.user)


def _by_time(standing: Standing, query: Query) -> tuple[Floats, Mask]:
    cue = story_cue([query.text, query.previous_assistant, query.previous_user])
    return story_weights(standing.stories, standing.now, cue)


def _has_place(index: RecallIndex) -> Mask:
    """Its messages stand in the chat, or the user wrote it."""
    has_place: Mask = (index.arrays.last_floors != NO_FLOOR) | index.arrays.is_by_user
    return has_place


def _is_in_prompt(index: RecallIndex, query: Query) -> Mask:
    """The prompt still holds every message it comes from; what the user pinned is injected all the same."""
    if query.in_context_from is None:
        return np.zeros(len(index), np.bool_)
    is_held: Mask = index.arrays.first_floors >= max(query.in_context_from, 0)
    if query.hidden:
        is_held &= np.array([query.hidden.isdisjoint(node.sources) for node in index.nodes], np.bool_)
    return is_held & ~index.arrays.is_pinned
