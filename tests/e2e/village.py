"""A short story with people, places, rules and threads, and a scripted model that notes them chapter by chapter."""

import json
import re
from collections.abc import Mapping, Sequence

from st_bme.adapters.scripted_endpoint import RecordedRequest, ScriptedEndpoint, ScriptedReply

_CHAPTER = re.compile(r"Chapter (\d)\b")
# Each task of upkeep takes from it what it asked for.
_UPKEEP = {
    "summary": "Mira and Otto went from the mill to the harbour, and the lantern is still missing.",
    "insight": "Mira trusts nobody who owes money.",
    "importance": 7,
    "results": [],
}

# Of each chapter: what happened, who was there, where, and what else was said.
_CHAPTERS: Sequence[tuple[str, Sequence[str], str, Mapping[str, Mapping[str, str]]]] = (
    ("Mira found the mill's lantern gone", ["Mira"], "Old mill", {"thread": {"title": "The missing lantern"}}),
    ("Otto confessed that he owes the miller", ["Mira", "Otto"], "Old mill", {}),
    ("The two of them rowed to the harbour", ["Mira", "Otto"], "Harbour", {}),
    ("Captain Ilse refused to search the ship", ["Mira", "Ilse"], "Harbour", {"rule": {"title": "No search at sea"}}),
    ("Otto saw a light in the chapel", ["Otto"], "Chapel", {"reflection": {"insight": "The light may be a sign"}}),
    ("Ilse paid the miller's debt in secret", ["Ilse"], "Old mill", {"thread": {"title": "Who paid the debt?"}}),
    ("Father Bruno locked the chapel", ["Bruno"], "Chapel", {"rule": {"title": "The chapel shuts at dusk"}}),
    ("Mira climbed in through the vestry window", ["Mira", "Bruno"], "Chapel", {}),
)
LINES = [
    (f"Chapter {number}: what happens next?", f"Chapter {number}. {told}. Nobody spoke of it for a long while.")
    for number, (told, *_) in enumerate(_CHAPTERS)
]


def write_memories(endpoint: ScriptedEndpoint) -> None:
    """Let an endpoint note what each chapter says."""
    endpoint.script = _answer


def _answer(request: RecordedRequest) -> ScriptedReply:
    run = request.prompt.partition("NEW MESSAGES")[2]
    if not run:
        return ScriptedReply(json.dumps(_UPKEEP))
    chapters = sorted({int(number) for number in _CHAPTER.findall(run)})
    cite = re.findall(r"#(\d+) ", run)[-1]
    operations = [operation for number in chapters for operation in _operations(number, f"#{cite}")]
    return ScriptedReply(json.dumps({"operations": operations}))


def _operations(number: int, cite: str) -> list[dict[str, object]]:
    told, people, place, more = _CHAPTERS[number]

    def made(kind: str, ref: str, fields: Mapping[str, str], importance: float, *links: object) -> dict[str, object]:
        said = {"type": kind, "fields": dict(fields), "importance": importance, "ref": ref, "links": list(links)}
        return {"action": "create", "cite": cite, **said}

    def link(ref: str, relation: str) -> dict[str, object]:
        return {"target": ref, "relation": relation, "strength": 0.8}

    state = f"as of chapter {number}"
    cast = [made("character", f"p{n}", {"name": name, "state": state}, 6) for n, name in enumerate(people)]
    where = made("location", "w", {"name": place, "features": f"seen in chapter {number}"}, 5)
    others = [
        made(kind, f"o{kind}", {**fields, **({"constraint": fields["title"]} if kind == "rule" else {})}, 8)
        for kind, fields in more.items()
    ]
    links = [link(str(one["ref"]), "involved_in") for one in cast] + [link("w", "occurred_at")]
    links += [link(str(one["ref"]), "advances") for one in others]
    return [*cast, where, *others, made("event", "e", {"summary": told}, 3 + number, *links)]
