"""Our scoring functions, given inputs and giving outputs in the form of the golden files."""

from typing import Any

import numpy as np

from st_bme.scoring.diffusion import Csr, DiffusionOptions, build_csr, diffuse
from st_bme.scoring.diversity import select_diverse
from st_bme.scoring.field_match import field_match
from st_bme.scoring.hybrid import HybridWeights, Signals, hybrid_score
from st_bme.scoring.names import NameIndex
from st_bme.scoring.recency import time_decay
from st_bme.scoring.similarity import Hits, merge_hits, search, unit_rows
from st_bme.scoring.similarity import cosine as cosine_of
from st_bme.scoring.tokens import seed_estimate

MS_PER_DAY = 86_400_000
INHIBITING = 255


def cosine(given: dict[str, Any], _now_ms: int) -> float:
    return cosine_of(given["a"] or [], given["b"] or [])


def search_similar(given: dict[str, Any], _now_ms: int) -> list[dict[str, Any]]:
    query = np.array(given["q"], np.float64)
    ids = [candidate["nodeId"] for candidate in given["cands"]]
    rows = [candidate["embedding"] or [] for candidate in given["cands"]]
    # One matrix holds vectors of one model; a vector of another length is, as a row, none.
    fitting = [row if len(row) == query.size else [0.0] * query.size for row in rows]
    hits = search(query, unit_rows(np.array(fitting, np.float64).reshape(-1, query.size)), given["k"])
    return _listed(hits, ids)


def merge_vector_results(given: dict[str, Any], _now_ms: int) -> dict[str, Any]:
    ids = sorted({hit["nodeId"] for group in given["groups"] for hit in group})
    groups = [
        Hits(
            np.array([ids.index(hit["nodeId"]) for hit in group], np.int64),
            np.array([hit["score"] for hit in group], np.float64),
        )
        for group in given["groups"]
    ]
    return {
        "rawHitCount": sum(group.rows.size for group in groups),
        "results": _listed(merge_hits(groups, given["limit"]), ids),
    }


def diffusion(given: dict[str, Any], _now_ms: int) -> dict[str, Any]:
    options = given["options"]
    return _diffused(
        given,
        DiffusionOptions(
            max_steps=options.get("maxSteps", 2),
            decay=options.get("decayFactor", 0.6),
            teleport=options.get("teleportAlpha", 0.0),
            inhibition=options.get("inhibitMultiplier", 2.0),
            top_k=options.get("topK", 100),
        ),
    )


def diffusion_v0(given: dict[str, Any], now_ms: int) -> dict[str, Any]:
    """The first version takes as much by an inhibiting edge as a plain one gives, and never teleports."""
    options = {"inhibitMultiplier": 1.0, "teleportAlpha": 0.0}
    return diffusion({**given, "options": {**given["options"], **options}}, now_ms)


def energies_by_node(output: dict[str, Any]) -> dict[str, Any]:
    """The order of `energies` is that of a JavaScript map and says nothing; `ranked` holds the order that counts."""
    return {"energies": dict(output["energies"]), "ranked": output["ranked"]}


def hybrid(given: dict[str, Any], now_ms: int) -> float:
    return _hybrid(given, now_ms, lexical_weight=given["w"].get("lexicalWeight", 0.0), is_normalized=True)


def hybrid_v0(given: dict[str, Any], now_ms: int) -> float:
    return _hybrid(given, now_ms, lexical_weight=0.0, is_normalized=False)


def decay(given: dict[str, Any], _now_ms: int) -> float:
    return float(time_decay((given["now_ms"] - given["created_ms"]) / MS_PER_DAY))


def lexical(given: dict[str, Any], _now_ms: int) -> float:
    fields = given["node"]["fields"]
    details = ("summary", "insight", "state", "traits", "participants", "status")
    return field_match(_texts(fields, ("name", "title")), _texts(fields, details), given["sources"])


def diverse(given: dict[str, Any], _now_ms: int) -> list[int]:
    vectors = np.array(given["vecs"], np.float64)
    chosen: list[int] = select_diverse(vectors, given["scores"], given["k"], quality_weight=given["q"]).tolist()
    return chosen


def tokens(given: str, _now_ms: int) -> int:
    return seed_estimate(given)


def entity_anchors(given: dict[str, Any], _now_ms: int) -> list[dict[str, str]]:
    index = NameIndex()
    for node in given["nodes"]:
        for name in names_of(node):
            index.add(name, node["id"])
    named = {match.id: match.name for match in index.find(given["message"])}
    return [{"nodeId": node["id"], "entity": named[node["id"]]} for node in given["nodes"] if node["id"] in named]


def names_of(node: dict[str, Any]) -> list[str]:
    """A node's name or title, then its aliases."""
    return _texts(node["fields"], ("name", "title", "aliases"))


def _texts(fields: dict[str, Any], columns: tuple[str, ...]) -> list[str]:
    values = [fields[column] for column in columns if fields.get(column)]
    return [str(text) for value in values for text in (value if isinstance(value, list) else [value])]


def _listed(hits: Hits, ids: list[str]) -> list[dict[str, Any]]:
    pairs = zip(hits.rows.tolist(), hits.scores.tolist(), strict=True)
    return [{"nodeId": ids[row], "score": score} for row, score in pairs]


def _diffused(given: dict[str, Any], options: DiffusionOptions) -> dict[str, Any]:
    edges = [(source, edge) for source, out in given["adj"].items() for edge in out]
    seeds: dict[str, float] = {}
    for seed in given["seeds"]:
        seeds[seed["id"]] = seeds.get(seed["id"], 0.0) + seed["energy"]
    ids = sorted({*given["adj"], *(edge["targetId"] for _, edge in edges), *seeds})
    row = {node: i for i, node in enumerate(ids)}
    graph: Csr = build_csr(
        len(ids),
        [row[source] for source, _ in edges],
        [row[edge["targetId"]] for _, edge in edges],
        strengths=[edge["strength"] for _, edge in edges],
        inhibits=[edge["edgeType"] == INHIBITING for _, edge in edges],
    )
    result = diffuse(graph, {row[node]: energy for node, energy in seeds.items()}, options)
    energies = {ids[i]: float(result[i]) for i in np.flatnonzero(result)}
    ranked = sorted((pair for pair in energies.items() if pair[1] > 0), key=lambda pair: (-pair[1], pair[0]))
    return {"energies": energies, "ranked": [{"nodeId": node, "energy": energy} for node, energy in ranked]}


def _hybrid(given: dict[str, Any], now_ms: int, *, lexical_weight: float, is_normalized: bool) -> float:
    known, weights = given["p"], given["w"]
    age_days = (now_ms - known.get("createdTime", now_ms)) / MS_PER_DAY
    signals = Signals(
        graph=known.get("graphScore", 0),
        vector=known.get("vectorScore", 0),
        lexical=known.get("lexicalScore", 0),
        importance=known.get("importance", 5),
    )
    shares = HybridWeights(
        graph=weights.get("graphWeight", 0.6),
        vector=weights.get("vectorWeight", 0.3),
        importance=weights.get("importanceWeight", 0.1),
        lexical=lexical_weight,
    )
    return float(hybrid_score(signals, shares, decay=time_decay(age_days), is_normalized=is_normalized))
