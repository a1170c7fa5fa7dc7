"""The ranking of memories once more, with dictionaries and loops: what `read/` computes with arrays.

It takes no quotes, and of the ledgers what the generated graphs say.
"""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from benchmarks.recall_graph import Asked, GeneratedGraph

from st_bme.graph.ids import fold_name
from st_bme.graph.ledgers import NOTHING_SAID, Ledgers, owner_key
from st_bme.model.edge import INHIBITORY
from st_bme.model.schema import STORY_TYPES
from st_bme.read.index import embedded_text
from st_bme.read.options import RecallOptions
from st_bme.read.query import intent_segments
from st_bme.read.relevance import IMPORTANT, LENT, LENT_BACK, LINKED, WORDED
from st_bme.read.stop_words import is_telling
from st_bme.read.vectors import Vectors
from st_bme.scoring.terms import fold, terms

Numbers = dict[str, float]

K1, B, LITTLE = 1.2, 0.75, 0.5
WORD_SEEDS, NAMED, SPEAKER = 15, 2.0, 0.5
LITTLE_MEANING, LITTLE_ENERGY = 1.5, 0.1
FAN = 8
OWN, OTHERS, SURE, NAMED_BY = 1.25 / 0.75, 0.6 / 0.75, 1.18, 0.92
NEEDED, NEEDED_OF_VIEWS = 0.56, 0.18


class PlainMemory:
    """The same graph as dictionaries."""

    def __init__(self, graph: GeneratedGraph, ledgers: Ledgers = NOTHING_SAID) -> None:
        self.nodes = graph.nodes
        self.ledgers = ledgers
        self.floors = graph.floors
        self.terms = {key: terms("\n".join(node.fields.values())) for key, node in self.nodes.items()}
        self.counts = {key: Counter(found) for key, found in self.terms.items()}
        self.holders: dict[str, int] = Counter(term for found in self.counts.values() for term in found)
        self.mean = statistics.fmean(map(len, self.terms.values()))
        table = graph.table
        self.vectors = {key: _listed(table.vector(embedded_text(node))) for key, node in self.nodes.items()}
        self.names = {
            key: [fold(name) for name in (node.fields.get("name"), node.fields.get("title")) if name]
            for key, node in self.nodes.items()
        }
        self.links = self._links(graph)

    def floor(self, key: str) -> int:
        """Where a memory was told; of a state nobody asks when."""
        node = self.nodes[key]
        return -1 if STORY_TYPES[node.type].latest_only else self.floors[node.sources[-1]]

    def _links(self, graph: GeneratedGraph) -> dict[str, list[tuple[str, float, bool]]]:
        links: dict[str, list[tuple[str, float, bool]]] = defaultdict(list)
        joined = [
            (edge.from_id, edge.to_id, edge.strength, edge.edge_type == INHIBITORY) for edge in graph.edges.values()
        ]
        for start, end, strength, inhibits in joined:
            links[start].append((end, strength, inhibits))
            links[end].append((start, strength, inhibits))
        for key, found in links.items():
            share = math.sqrt(min(1.0, FAN / len(found)))
            links[key] = [(end, strength * share, inhibits) for end, strength, inhibits in found]
        return links


def plain_recall(memory: PlainMemory, asked: Asked, options: RecallOptions) -> list[str]:
    """Ids of the chosen memories, best first."""
    weights = _gates(memory, asked.query.speaker)
    wording = _wording(memory, asked)
    words = _smoothed(memory, wording)
    nearness = _z_scores(_cosines(memory, asked))
    meaning = _smoothed(memory, nearness)
    energies = _diffused(memory, _seeds(memory, asked, words, options), options)
    best = max(words.values())
    found = [key for key in memory.nodes if key in weights]
    near = sorted((key for key in found if meaning[key] >= options.min_meaning), key=lambda key: -meaning[key])
    recent = set(sorted(found, key=lambda key: -memory.floors[memory.nodes[key].sources[-1]])[: options.recent])
    candidates = [
        key
        for key in found
        if 0 < words[key] >= options.min_words * best
        or energies.get(key, 0.0) >= options.min_energy
        or key in near[: options.nearest]
        or (key in recent and _is_touched(wording[key], energies.get(key, 0.0), nearness[key]))
    ]
    own = _own(memory, wording, nearness)
    linked = _z_scores({key: energies.get(key, 0.0) for key in memory.nodes})
    weighty = _z_scores({key: node.importance for key, node in memory.nodes.items()})
    relevance = {
        key: own[key] + LINKED * linked[key] + IMPORTANT * weighty[key] + math.log(weights[key]) for key in candidates
    }
    pool = set(sorted(candidates, key=lambda key: -relevance[key])[: options.top_k * 3])
    pooled = [key for key in candidates if key in pool]
    lexical, vector = _squashed(pooled, words), _squashed(pooled, meaning)
    head = max(memory.floors.values())
    scores = {}
    for key in pooled:
        used, node = options.weights, memory.nodes[key]
        total = used.graph * min(1.0, max(0.0, energies.get(key, 0.0)) / 2)
        total += used.vector * vector[key] + used.lexical * lexical[key] + used.importance * node.importance / 10
        age = (head - memory.floors[node.sources[-1]]) / 2
        scores[key] = total / used.total * (0.8 + 0.2 / (1 + math.log1p(age))) * weights[key]
    chosen = _diverse(memory, pooled, scores, options.top_k) if options.is_diverse else pooled
    return sorted(chosen, key=lambda key: -relevance[key])[: options.top_k]


def _own(memory: PlainMemory, wording: Numbers, nearness: Numbers) -> Numbers:
    spoken = _z_scores(wording)
    found = {key: WORDED["en"] * spoken[key] + nearness[key] for key in memory.nodes}
    return _smoothed(memory, found, LENT["en"], LENT_BACK)


def _is_touched(wording: float, energy: float, nearness: float) -> bool:
    return wording > 0 or energy >= LITTLE_ENERGY or nearness >= LITTLE_MEANING


def _gates(memory: PlainMemory, speaker: str) -> Numbers:
    """Weights of what may be recalled."""
    owner, name = owner_key("character", speaker), fold_name(speaker)
    knowledge = memory.ledgers.knowledge
    said = {node_id: known for (who, node_id), known in knowledge.items() if who == owner}
    views = {key: fold_name(node.scope.owner_name) for key, node in memory.nodes.items() if node.scope.layer == "pov"}
    is_told_of = bool(said) or name in views.values()
    kept = {node_id for (_, node_id), known in knowledge.items() if is_told_of or known.stance in ("known", "partial")}
    people = {key for key, node in memory.nodes.items() if node.type == "character" and fold_name(node.name) == name}
    weights = {}
    for key in memory.nodes:
        weight = OWN if views.get(key) == name else OTHERS if key in views else 1.0
        if is_told_of or people:
            is_view, known = key in views, said.get(key)
            if known and (known.stance == "hidden" or (known.stance == "mistaken" and not is_view)):
                continue
            is_sure = views.get(key) == name or key in people or (known is not None and known.stance == "known")
            is_named = not is_view and set(terms(speaker)) <= memory.counts[key].keys()
            seen = known.visibility if known else NAMED_BY if is_named else 0.0
            is_enough = seen >= (NEEDED_OF_VIEWS if is_view else NEEDED)
            if not (is_sure or is_enough or (key not in kept and not is_view)):
                continue
            weight *= SURE if is_sure else max(0.35, 0.55 + 0.6 * seen) if is_enough else 1.0
        weights[key] = weight
    return weights


def _wording(memory: PlainMemory, asked: Asked) -> Numbers:
    found = dict.fromkeys(memory.nodes, 0.0)
    for part in asked.parts:
        likeness = _likeness(memory, part.text)
        clauses = intent_segments(part.text, max_segments=12) if part.kind == "user" else ()
        if len(clauses) > 1:
            by_clause = [_likeness(memory, clause) for clause in clauses]
            likeness = {key: (likeness[key] + max(one[key] for one in by_clause)) / 2 for key in likeness}
        best = max(likeness.values())
        for key, value in likeness.items() if best > 0 else ():
            found[key] += part.weight * value / best
    strongest = max(part.weight for part in asked.parts)
    return {key: value / strongest for key, value in found.items()}


def _likeness(memory: PlainMemory, text: str) -> Numbers:
    words = terms(text)
    telling = _bm25(memory, [word for word in words if is_telling(word)])
    others = _bm25(memory, [word for word in words if not is_telling(word)])
    return {key: value + LITTLE * others[key] if value > 0 else 0.0 for key, value in telling.items()}


def _bm25(memory: PlainMemory, words: Sequence[str]) -> Numbers:
    asked = Counter(words)
    idf = {
        word: math.log1p((len(memory.nodes) - memory.holders[word] + 0.5) / (memory.holders[word] + 0.5))
        for word in asked
        if word in memory.holders
    }
    scores = {}
    for key, counts in memory.counts.items():
        norm = K1 * (1 - B + B * len(memory.terms[key]) / memory.mean)
        total = 0.0
        for word, weight in idf.items():
            if word in counts:
                total += asked[word] * weight**2 * (K1 + 1) * counts[word] / (counts[word] + norm)
        scores[key] = total
    return scores


def _cosines(memory: PlainMemory, asked: Asked) -> Numbers:
    queries = [(part.weight, _listed(vector)) for part, vector in zip(asked.parts, asked.vectors, strict=True)]
    found = {}
    for key, vector in memory.vectors.items():
        found[key] = sum(weight * sum(a * b for a, b in zip(vector, query, strict=True)) for weight, query in queries)
    return found


def _smoothed(memory: PlainMemory, scores: Numbers, share: float = 0.5, back: float = 0.5) -> Numbers:
    best: dict[int, float] = {}
    for key, value in scores.items():
        floor = memory.floor(key)
        if floor >= 0:
            best[floor] = max(best.get(floor, -math.inf), value)
    smoothed = dict(scores)
    for key in scores:
        floor = memory.floor(key)
        for distance in (1, 2) if floor >= 0 else ():
            smoothed[key] += share / distance * best.get(floor - distance, 0.0)
            smoothed[key] += back / distance * best.get(floor + distance, 0.0)
    return smoothed


def _z_scores(values: Numbers) -> Numbers:
    mean, deviation = statistics.fmean(values.values()), statistics.pstdev(values.values())
    return {key: (value - mean) / deviation if deviation > 0 else 0.0 for key, value in values.items()}


def _squashed(keys: Iterable[str], values: Numbers) -> Numbers:
    return {key: 1 / (1 + math.exp(-value)) for key, value in _z_scores({key: values[key] for key in keys}).items()}


def _seeds(memory: PlainMemory, asked: Asked, words: Numbers, options: RecallOptions) -> Numbers:
    seeds: Numbers = {}
    strongest = max(part.weight for part in asked.parts)
    for part in asked.parts:
        for key in _named(memory, part.text):
            seeds[key] = max(seeds.get(key, 0.0), NAMED * part.weight / strongest)
    for key in _named(memory, asked.query.speaker):
        seeds.setdefault(key, SPEAKER)
    best = max(words.values())
    for key in sorted(words, key=lambda key: -words[key])[:WORD_SEEDS]:
        if 0 < words[key] >= options.min_words * best:
            seeds[key] = max(seeds.get(key, 0.0), min(1.0, words[key]))
    return {key: seeds[key] for key in memory.nodes if key in seeds}


def _named(memory: PlainMemory, text: str) -> set[str]:
    """Memories of which a name stands in the text as whole words; a name inside a longer one does not count."""
    plain = fold(text)
    spans = [
        (match.span(), key)
        for key, names in memory.names.items()
        for name in names
        if name in plain
        for match in re.finditer(rf"\b{re.escape(name)}\b", plain)
    ]
    return {
        key
        for (start, end), key in spans
        if not any(first <= start and end <= last and (first, last) != (start, end) for (first, last), _ in spans)
    }


def _diffused(memory: PlainMemory, seeds: Numbers, options: RecallOptions) -> Numbers:
    used = options.diffusion

    def kept(energies: Numbers) -> Numbers:
        return {
            key: max(-used.max_energy, min(used.max_energy, value))
            for key, value in energies.items()
            if abs(value) >= used.min_energy
        }

    active = best = kept(seeds)
    for _ in range(used.max_steps):
        reached: Numbers = defaultdict(float)
        for key, energy in active.items():
            for end, strength, inhibits in memory.links.get(key, ()):
                flow = energy * strength * used.decay
                reached[end] += -abs(flow) * used.inhibition if inhibits else flow * (1 - used.teleport)
        active = kept(reached)
        for key, energy in kept(seeds).items():
            active[key] = (1 - used.teleport) * active.get(key, 0.0) + used.teleport * energy
        if len(active) > used.top_k:
            strongest = sorted(active, key=lambda key: -abs(active[key]))[: used.top_k]
            active = {key: active[key] for key in strongest}
        best = {key: max(best.get(key, 0.0), active.get(key, 0.0), key=abs) for key in {**best, **active}}
    return best


def _diverse(memory: PlainMemory, keys: Sequence[str], scores: Mapping[str, float], count: int) -> list[str]:
    """Greedy most likely set; how alike two are says their share of common terms."""
    if len(keys) <= count:
        return list(keys)

    def kernel(one: str, other: str) -> float:
        first, second = memory.counts[one].keys(), memory.counts[other].keys()
        return scores[one] * len(first & second) / math.sqrt(len(first) * len(second)) * scores[other]

    gains = {key: scores[key] ** 2 + 1e-8 for key in keys}
    directions: dict[str, list[float]] = {key: [] for key in keys}
    chosen: list[str] = []
    while len(chosen) < count:
        best = max(gains, key=lambda key: gains[key])
        gain, base = gains.pop(best), directions[best]
        chosen.append(best)
        for key in gains:
            shared = sum(a * b for a, b in zip(directions[key], base, strict=True))
            direction = (kernel(best, key) - shared) / math.sqrt(gain)
            directions[key].append(direction)
            gains[key] -= direction**2
    return chosen


def _listed(vector: Vectors | None) -> list[float]:
    assert vector is not None
    found: list[float] = vector.tolist()
    return found
