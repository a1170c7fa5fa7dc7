"""A query becomes the text to inject: gates, candidates, scores, selection, scene, budget. Pure and deterministic."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from st_bme.graph.ledgers import owner_key
from st_bme.model.recall import NOTHING_RECALLED, Query, Recall, RecallItem
from st_bme.model.schema import columns_of
from st_bme.ports import TokenCounter
from st_bme.read.arrays import Floats, Ints, Mask
from st_bme.read.candidates import Question, core_rows, find_candidates, gather_evidence, waken
from st_bme.read.fit import SHORTEST_ROW, Fitted, Fitter, Offer, form_for
from st_bme.read.flashback import flashbacks
from st_bme.read.gates import Gated, gate
from st_bme.read.index import FULL_IMPORTANCE, RecallIndex, Told
from st_bme.read.inject import HEADINGS, Mark, group_of, now_text
from st_bme.read.marks import marks_of
from st_bme.read.options import RecallOptions
from st_bme.read.query import QueryPart, blend, triviality
from st_bme.read.quotes import Quote, find_quotes, quote_length, said_once
from st_bme.read.relevance import relevance_of_memories, weigh_passages
from st_bme.read.scene import complete_scene
from st_bme.read.select import Choice, Weights, select
from st_bme.read.steady import NO_STEADY, SLOW_TYPES, Steady, SteadyWriter, Wanted
from st_bme.read.vectors import Meaning
from st_bme.read.wording import asked_words

PASSAGE = "passage"
"""Type of an item that is no memory but a quote."""

_SCENE_SIZE = 6  # the original ST-BME's: so many more than were selected


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a query found, best first, before it is written out; `chosen` may yet be put in order."""

    query: Query
    options: RecallOptions
    gated: Gated
    relevance: Floats  # (n,)
    chosen: Sequence[Choice]
    quotes: Sequence[Quote]
    timings_ms: Mapping[str, float]
    is_asked: bool = True  # False where nothing is asked, and only what stays from turn to turn is written


def recall(
    index: RecallIndex, query: Query, options: RecallOptions, counter: TokenCounter, meaning: Meaning | None = None
) -> Recall:
    """What to inject for a query, within its budget: `rank` and `write_out`."""
    ranking = rank(index, query, options, meaning)
    return NOTHING_RECALLED if ranking is None else write_out(index, ranking, counter)[0]


def rank(index: RecallIndex, query: Query, options: RecallOptions, meaning: Meaning | None = None) -> Ranking | None:
    """What there is to inject for a query. Without its `meaning`, words and relations answer alone.

    A text that asks nothing (a greeting, an "ok", a command) leaves the question to what was said before it. Where
    that says nothing either, or nothing is open, it is None; but what stays from turn to turn is always there.
    """
    watch = _Stopwatch()
    parts = query_parts(query)
    gated = gate(index, query, options.gates)
    is_open = gated.is_open
    if not parts and options.is_steady:
        # What stays must be there in every prompt, or it is no longer the same beginning.
        return Ranking(query, options, gated, np.zeros(len(index)), (), (), {}, is_asked=False)
    if not parts or not (is_open.any() or gated.is_asleep.any() or len(index.passages)):
        return None
    question = Question(parts, asked_words(parts), query.speaker, meaning, gated, query.now_ms)
    evidence = gather_evidence(index, question, options)
    woken = waken(evidence, gated.is_asleep, options)
    candidates = find_candidates(index, evidence, _without(is_open, index.standing_for[woken]), options)
    watch.lap("candidates")
    weighed = weigh_passages(index.passages, question, options)
    length = quote_length(min(options.passage_tokens, query.budget_tokens), options.language)
    quotes = find_quotes(index.passages, weighed, question, options, length)
    watch.lap("passages")
    relevance = relevance_of_memories(index, evidence, weighed, options)
    chosen = select(index, candidates, Weights(evidence, relevance), options)
    chosen += [replace(choice, reason="woken") for choice in _core_choices(index, woken.tolist(), relevance)]
    chosen, quotes = said_once(index, sorted(chosen, key=lambda choice: -choice.scores["relevance"]), quotes)
    taken = {choice.row for choice in chosen}
    for row in flashbacks(index, taken, is_open, chance=options.flashback_chance, seed=query.seed):
        chosen.append(replace(_core_choices(index, [row], relevance)[0], reason="flashback"))
    watch.lap("select")
    return Ranking(query, options, gated, relevance, chosen, quotes, watch.laps_ms)


def write_out(
    index: RecallIndex, ranking: Ranking, counter: TokenCounter, before: Steady = NO_STEADY
) -> tuple[Recall, Steady]:
    """The text of a ranking with the scene around it, as much as the budget holds; and what of it stays.

    `before` is what stayed of the injection before this one. Without `is_steady` nothing stays.
    """
    watch = _Stopwatch()
    query, options = ranking.query, ranking.options
    story, standing = _story(index, ranking), _standing(index, ranking)
    steady = _steady(index, ranking, standing, counter, before) if options.is_steady else NO_STEADY
    scene = complete_scene(index, ranking.chosen, ranking.gated.is_open, limit=_SCENE_SIZE)
    scene = _relevant(scene, ranking.relevance)
    stays = {index.row_of[identity] for identity in steady.lines if identity in index.row_of}
    core = [row for row in standing if row not in stays]
    chosen, beside = (
        [choice for choice in choices if choice.row not in stays] for choices in (ranking.chosen, scene)
    )
    later = [told for told in story if not _is_told(told, steady, index)]
    fitter = Fitter(index, options, counter, query.budget_tokens - steady.tokens)
    marks = _marks(index, ranking, core, [*chosen, *beside]) if options.form == "marked" else {}
    fitted = fitter.fit(Offer(core, chosen, beside, ranking.quotes, later, _now(index, ranking), marks))
    watch.lap("inject")
    return _answer(index, ranking, fitted, steady, {**ranking.timings_ms, **watch.laps_ms}), steady


def _marks(
    index: RecallIndex, ranking: Ranking, core: Sequence[int], choices: Sequence[Choice]
) -> Mapping[str, Mark]:
    """What was asked for is marked by how it was found, though it is in the core as well."""
    standing = _core_choices(index, core, ranking.relevance)
    return marks_of(index, [*standing, *choices], ranking.options, ranking.query.now_ms)


def _now(index: RecallIndex, ranking: Ranking) -> str:
    """When and where the story stands for who speaks."""
    ledgers, gates = index.standing.ledgers, ranking.options.gates
    segment = ledgers.active_segment if gates.has_story_time else None
    key = owner_key("character", ranking.query.speaker)
    place = (ledgers.active_region(key) if key else "") or ledgers.active_region()
    headings = HEADINGS[ranking.options.language]
    return now_text(segment.label if segment else "", place if gates.has_regions else "", headings)


def _story(index: RecallIndex, ranking: Ranking) -> list[Told]:
    """The summaries that no other one condenses, newest first, without those of what the prompt still holds, or of
    which something is kept from who speaks.
    """
    held = ranking.query.in_context_from
    told = [told for told in index.told.values() if told.is_current and (held is None or told.first < held)]
    open_ones = [told for told in told if not ranking.gated.hides(told.first, told.last)]
    return sorted(open_ones, key=lambda told: -told.last)


def _standing(index: RecallIndex, ranking: Ranking) -> list[int]:
    """Rows of what is injected whatever was asked; where nothing was, of what seldom changes."""
    found = core_rows(index, ranking.gated.is_open)[: ranking.query.budget_tokens // SHORTEST_ROW]
    rows: list[int] = found.tolist()
    return rows if ranking.is_asked else [row for row in rows if index.nodes[row].type in SLOW_TYPES]


def _is_told(told: Told, steady: Steady, index: RecallIndex) -> bool:
    """The part that stays holds it, or the smaller ones that it condenses."""
    inside = [index.told[identity] for identity in steady.lines if identity in index.told]
    covered = {floor for part in inside for floor in range(part.first, part.last + 1)}
    return told.id in steady.lines or covered.issuperset(range(told.first, told.last + 1))


def _steady(
    index: RecallIndex, ranking: Ranking, standing: Sequence[int], counter: TokenCounter, before: Steady
) -> Steady:
    options, budget = ranking.options, ranking.query.budget_tokens
    writer = SteadyWriter(index, HEADINGS[options.language], form_for(options, budget), counter)
    cap = int(budget * options.core_share) + options.story_tokens(budget)
    nodes = [index.nodes[row] for row in standing]
    slow = [node for node in nodes if node.type in SLOW_TYPES][: cap // SHORTEST_ROW]
    known = before if _may_stay(before, index, ranking.gated) else NO_STEADY
    return writer.follow(known, Wanted(slow, _story(index, ranking), cap))


def _may_stay(before: Steady, index: RecallIndex, gated: Gated) -> bool:
    """Nothing in it is closed to who speaks now."""
    rows = [index.awake[identity] for identity in before.lines if identity in index.awake]
    told = [index.told[identity] for identity in before.lines if identity in index.told]
    return bool(gated.is_open[rows].all()) and not any(gated.hides(each.first, each.last) for each in told)


def choice_text(index: RecallIndex, choice: Choice) -> str:
    """What a memory says, in the order of its type's columns."""
    node = index.nodes[choice.row]
    fields = node.fields
    return "; ".join(filter(None, map(fields.get, columns_of(node.type, fields))))


def query_parts(query: Query) -> tuple[QueryPart, ...]:
    """The texts that the query is made of, with their shares; none where nothing is asked."""
    own = "" if triviality(query.text) else query.text
    return blend(own, query.previous_assistant, query.previous_user)


def _relevant(choices: Sequence[Choice], relevance: Floats) -> list[Choice]:
    """The choices with how relevant each is."""
    found = zip(choices, relevance[[choice.row for choice in choices]].tolist(), strict=True)
    return [
        Choice(choice.row, choice.reason, choice.score, {**choice.scores, "relevance": relevant})
        for choice, relevant in found
    ]


def _without(mask: Mask, rows: Ints) -> Mask:
    left = mask.copy()
    left[rows] = False
    return left


def _core_choices(index: RecallIndex, rows: Sequence[int], relevance: Floats) -> list[Choice]:
    if not rows:
        return []
    places = np.array(rows, np.int64)
    importances = index.arrays.importances[places].tolist()
    found = zip(rows, index.arrays.is_pinned[places].tolist(), importances, relevance[places].tolist(), strict=True)
    return [
        Choice(
            row,
            "pinned" if is_pinned else "core",
            importance / FULL_IMPORTANCE,
            {"importance": importance, "relevance": relevant},
        )
        for row, is_pinned, importance, relevant in found
    ]


def _answer(
    index: RecallIndex, ranking: Ranking, fitted: Fitted, steady: Steady, timings_ms: Mapping[str, float]
) -> Recall:
    stays = [index.awake[identity] for identity in steady.lines if identity in index.awake]
    items = [
        *(_item(index, choice, "steady") for choice in _core_choices(index, stays, np.zeros(len(index)))),
        *(_item(index, choice, "core") for choice in _core_choices(index, fitted.core, ranking.relevance)),
        *(_item(index, choice, group_of(index.nodes[choice.row].type)) for choice in fitted.recalled),
        *(_quote_item(quote) for quote in fitted.quotes),
    ]
    sections = {"steady": steady.tokens, **fitted.sections} if steady.tokens else fitted.sections
    tokens = fitted.tokens + steady.tokens
    return Recall(fitted.text, tokens, tuple(items), sections, timings_ms, steady=steady.text, parts=fitted.parts)


def _item(index: RecallIndex, choice: Choice, section: str) -> RecallItem:
    node = index.nodes[choice.row]
    return RecallItem(
        node_id=node.id,
        type=node.type,
        section=section,
        reason=choice.reason,
        score=choice.score,
        scores=choice.scores,
        text=choice_text(index, choice),
    )


def _quote_item(quote: Quote) -> RecallItem:
    return RecallItem(
        node_id=quote.passage.id,
        type=PASSAGE,
        section="passages",
        reason=quote.reason,
        score=quote.score,
        scores=quote.scores,
        text=quote.text,
    )


class _Stopwatch:
    """Milliseconds of each stage."""

    def __init__(self) -> None:
        self.laps_ms: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps_ms[name] = (now - self._last) * 1000
        self._last = now
