"""Timeline, cognition, regions and variables as they stand in a state and in a base, and back.

Messages are named by their place in `known`, as in nodes; -1 where the user said it. What a message said that is not in
`known` is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast, get_args

from st_bme.errors import CorruptState
from st_bme.graph.ids import fold_name
from st_bme.graph.json_reader import Json, JsonObject, JsonReader
from st_bme.graph.ledgers import KnowledgeKey, Ledgers, region_key
from st_bme.graph.operation_json import without_defaults
from st_bme.model.ledger import STANCES, Knowledge, RegionFact, RegionRelation, Variable
from st_bme.model.story_time import Segment, TimeRelation

LEDGER_KEYS = ("timeline", "cognition", "regions", "variables")
BY_HAND = -1


def ledgers_to_json(ledgers: Ledgers, places: Mapping[str, int]) -> JsonObject:
    """Each ledger under its name, where it says anything."""
    places = {**places, "": BY_HAND}
    variables: list[Json] = [
        variable_to_json(said, places) for _, said in sorted(ledgers.variables.items()) if said.source in places
    ]
    regions: list[Json] = [
        region_to_json(fact, places) for _, fact in sorted(ledgers.regions.items()) if fact.source in places
    ]
    return without_defaults(
        timeline=_timeline_to_json(ledgers, places),
        cognition=_cognition_to_json(ledgers.knowledge, places),
        regions=regions,
        variables=variables,
    )


def region_to_json(fact: RegionFact, places: Mapping[str, int]) -> JsonObject:
    said: JsonObject = {"relation": fact.relation, "place": fact.place, "source": places[fact.source]}
    return said | without_defaults(other=fact.other)


def variable_to_json(variable: Variable, places: Mapping[str, int]) -> JsonObject:
    return {"name": variable.name, "value": variable.value, "source": places[variable.source]}


def _timeline_to_json(ledgers: Ledgers, places: Mapping[str, int]) -> list[Json]:
    """Segments in the order of the story, so that one more is one more item."""
    written: list[Json] = []
    order = 0
    for segment in ledgers.timeline():
        if segment.source in places:
            written.append(segment_to_json(segment, places, beside=bool(written) and segment.order == order))
            order = segment.order
    return written


def segment_to_json(segment: Segment, places: Mapping[str, int], *, beside: bool) -> JsonObject:
    aliases: JsonObject = {label: places[key] for label, key in segment.aliases.items() if key in places}
    said: JsonObject = {"id": segment.id, "label": segment.label, "source": places[segment.source]}
    return said | without_defaults(
        beside=beside or None,
        relation="" if segment.relation == "unknown" else segment.relation,
        parentId=segment.parent_id,
        aliases=aliases,
        nowSince=None if segment.now_since is None else places.get(segment.now_since),
    )


def _cognition_to_json(knowledge: Mapping[KnowledgeKey, Knowledge], places: Mapping[str, int]) -> list[Json]:
    """One object for each who knows something, by stance and node."""
    owners: dict[str, list[Knowledge]] = {}
    for _, said in sorted(knowledge.items()):
        if said.source in places:
            owners.setdefault(said.owner, []).append(said)
    return [owner_to_json(known, places) for known in owners.values()]


def owner_to_json(known: Sequence[Knowledge], places: Mapping[str, int]) -> JsonObject:
    """What one of them knows."""
    stances: dict[str, JsonObject] = {}
    written: JsonObject = {"id": known[0].owner, "name": known[0].owner_name}
    for said in known:
        told: list[Json] = [places[said.source]]
        if said.stance == "partial":
            told.append(said.visibility)
        if said.belief:
            told.append(said.belief)
        stances.setdefault(said.stance, {})[said.node_id] = told
    written.update(stances)
    return written


def ledgers_from_json(reader: JsonReader, keys: Sequence[str]) -> Ledgers:
    """Raises CorruptState where the JSON is none of ours."""
    facts = [region_from_json(item, keys) for item in reader.objects("regions")]
    known = [said for item in reader.objects("cognition") for said in owner_from_json(item, keys)]
    return Ledgers(
        segments=_timeline_from_json(reader.objects("timeline"), keys),
        knowledge={(said.owner, said.node_id): said for said in known},
        regions={region_key(fact.relation, fact.place, fact.other): fact for fact in facts},
        variables=_variables_from_json(reader.objects("variables"), keys),
    )


def _source(reader: JsonReader, keys: Sequence[str], place: int) -> str:
    if place == BY_HAND:
        return ""
    if not 0 <= place < len(keys):
        raise CorruptState(f"{reader.where}: no message {place} among the {len(keys)} known ones")
    return keys[place]


def region_from_json(reader: JsonReader, keys: Sequence[str]) -> RegionFact:
    relation = cast(RegionRelation, reader.choice("relation", get_args(RegionRelation)))
    source = _source(reader, keys, reader.integer("source", None))
    return RegionFact(relation, reader.text("place", None), reader.text("other"), source)


def _variables_from_json(items: Sequence[JsonReader], keys: Sequence[str]) -> Mapping[str, Variable]:
    said = [variable_from_json(item, keys) for item in items]
    return {fold_name(variable.name): variable for variable in said}


def variable_from_json(reader: JsonReader, keys: Sequence[str]) -> Variable:
    source = _source(reader, keys, reader.integer("source", None))
    return Variable(reader.text("name", None), reader.text("value", None), source)


def _timeline_from_json(items: Sequence[JsonReader], keys: Sequence[str]) -> Mapping[str, Segment]:
    segments: dict[str, Segment] = {}
    order = 0
    for item in items:
        order += not item.flag("beside")
        segment = segment_from_json(item, keys)
        segments[segment.id] = replace(segment, order=order)
    return segments


def segment_from_json(reader: JsonReader, keys: Sequence[str]) -> Segment:
    """A segment without its place in the timeline, which the list says."""
    aliases = reader.object("aliases")
    now_since = _source(reader, keys, reader.integer("nowSince")) if reader.has("nowSince") else None
    return Segment(
        id=reader.text("id", None),
        label=reader.text("label", None),
        order=0,
        source=_source(reader, keys, reader.integer("source", None)),
        relation=cast(TimeRelation, reader.choice("relation", get_args(TimeRelation), "unknown")),
        parent_id=reader.text("parentId"),
        aliases={label: _source(aliases, keys, aliases.integer(label)) for label in aliases.names()} if aliases else {},
        now_since=now_since,
    )


def owner_from_json(reader: JsonReader, keys: Sequence[str]) -> list[Knowledge]:
    owner, name = reader.text("id", None), reader.text("name", None)
    told = [(stance, said) for stance in STANCES if (said := reader.object(stance)) is not None]
    return [
        _knowledge(Knowledge(owner, name, node_id, stance, ""), said.items(node_id), reader, keys)
        for stance, said in told
        for node_id in said.names()
    ]


def _knowledge(blank: Knowledge, told: Sequence[Json], reader: JsonReader, keys: Sequence[str]) -> Knowledge:
    """Read [place], [place, visibility] or [place, belief]."""
    match blank.stance, told:
        case ("known" | "hidden" | "mistaken") as stance, [int(place)]:
            said = replace(blank, visibility=1.0 if stance == "known" else 0.0)
        case "partial", [int(place), (int() | float()) as visibility]:
            said = replace(blank, visibility=float(visibility))
        case "mistaken", [int(place), str(belief)]:
            said = replace(blank, visibility=0.0, belief=belief)
        case _:
            raise CorruptState(f"{reader.where}: what {blank.owner!r} knows of {blank.node_id!r} cannot be read")
    return replace(said, source=_source(reader, keys, place))
