"""Our fold, given inputs and giving outputs in the form of the golden files."""

import contextlib
import json
import re
from typing import Any

from st_bme.errors import AnswerUnusable
from st_bme.graph.fold import fold
from st_bme.graph.ledgers import Ledgers
from st_bme.graph.records import Answer, Base, RecordSet, Stamp, record_id
from st_bme.model.message import Message
from st_bme.model.node import Node
from st_bme.model.operation import Operation
from st_bme.model.story_time import StoryTime
from st_bme.ports import KnownNode
from st_bme.prompts.answer import read_answer
from st_bme.write.answer_context import AnswerContext
from st_bme.write.normalize import normalize


def story_batch(given: list[dict[str, Any]], _now_ms: int) -> list[dict[str, Any]]:
    """What the timeline is after each of these times, one a message."""
    view = tuple(f"message{number}" for number in range(len(given)))
    times = (Operation("time", 0, story_time=_time(said), flag=bool(said.get("advances"))) for said in given)
    answers = [Answer(Stamp(n), (key,), (time,)) for n, (key, time) in enumerate(zip(view, times, strict=True), 1)]
    steps = []
    before = ""
    for number in range(1, len(given) + 1):
        graph = fold(view[:number], RecordSet(answers[:number]))
        is_refused = any(drop.record_id == record_id(answers[number - 1]) for drop in graph.drops)
        steps.append({"ok": not is_refused, **_timeline(graph.ledgers, before)})
        before = steps[-1]["active"]
    return steps


def _time(said: dict[str, Any]) -> StoryTime:
    return StoryTime(said["label"].strip(), said.get("tense", "unknown"), said.get("relation", "unknown"))


def _timeline(ledgers: Ledgers, before: str) -> dict[str, Any]:
    active = ledgers.active_segment.label if ledgers.active_segment else ""
    return {
        "advanced": before not in ("", active),
        "active": active,
        "segments": [
            [
                segment.label,
                segment.order,
                segment.relation,
                ledgers.segments[segment.parent_id].label if segment.parent_id else "",
                [segment.label, *segment.aliases],
            ]
            for segment in sorted(ledgers.segments.values(), key=lambda segment: segment.order)
        ],
    }


RUN = tuple(Message(f"message{floor}", "assistant", "", "", floor) for floor in (4, 5, 6))
FIRST = "message1"
FIXTURE = (
    Node("char-1", "character", {"name": "艾琳", "state": "平静"}, (FIRST,), 6.0),
    Node("loc-1", "location", {"name": "钟楼", "state": "开放"}, (FIRST,)),
    Node("evt-0", "event", {"summary": "旧事件", "status": "ongoing"}, (FIRST,)),
)
_CHANGE = re.compile(r"(\w+): (.*?) -> (.*?)(?:[；;]\s*|$)")


def extract_apply(given: Any, _now_ms: int) -> dict[str, Any]:
    """The graph after an answer about floors 4 to 6; default edges are off, since the first version had none."""
    view = (FIRST, *(message.key for message in RUN))
    records = [Base(Stamp(1), (FIRST,), FIXTURE)]
    with contextlib.suppress(AnswerUnusable):
        known = [KnownNode(node.id, node.id, node.type, node.name, "") for node in FIXTURE]
        said = normalize([read_answer(json.dumps(given))], AnswerContext(run=RUN, known=known))
        records.append(Answer(Stamp(2), view[1:], said.operations, related=0.0))
    graph = fold(view, RecordSet(records))
    floors = {FIRST: 1, **{message.key: message.floor for message in RUN}}
    names = {node.id: node.id for node in FIXTURE}
    for identity in graph.nodes:
        names.setdefault(identity, f"new{len(names) - len(FIXTURE) + 1}")
    nodes = [_node(node, names[node.id], floors) for node in graph.nodes.values()]
    edges = [
        {
            "from": names[edge.from_id],
            "to": names[edge.to_id],
            "relation": edge.relation,
            "strength": edge.strength,
            "edgeType": edge.edge_type,
            "active": edge.is_current,
        }
        for edge in graph.edges.values()
    ]
    is_read = not graph.pending[-1]
    made = {"nodes": nodes, "edges": edges, "lastProcessedSeq": RUN[-1].floor if is_read else -1}
    return graph_of({"result": {"success": is_read}, "graph": made})


def _node(node: Node, name: str, floors: dict[str, int]) -> dict[str, Any]:
    span = sorted(floors[key] for key in node.sources)
    return {
        "id": name,
        "type": node.type,
        "fields": dict(node.fields),
        "seq": span[-1],
        "seqRange": [span[0], span[-1]],
        "importance": node.importance,
        "archived": node.archived,
        "clusters": list(node.clusters),
    }


def graph_of(output: dict[str, Any]) -> dict[str, Any]:
    """What is compared: nodes without chain and vector, edges in any order, changes by their values."""
    graph = output["graph"]
    left_out = ("prevId", "nextId", "hasEmbedding")
    nodes = [{key: value for key, value in node.items() if key not in left_out} for node in graph["nodes"]]
    return {
        "success": output["result"]["success"],
        "lastProcessedSeq": graph["lastProcessedSeq"],
        "nodes": [{**node, "fields": _fields(node["fields"])} for node in nodes],
        "edges": sorted(graph["edges"], key=_ends),
    }


def _ends(edge: dict[str, Any]) -> tuple[str, ...]:
    return edge["from"], edge["to"], edge["relation"]


def _fields(fields: dict[str, Any]) -> dict[str, Any]:
    """An event that tells of a change by what changed: its wording is nobody's to keep."""
    _, mark, told = fields.get("summary", "").replace("：", ": ").partition(": ")
    changes = _CHANGE.findall(told) if mark else []
    if not changes or fields.get("status") != "resolved":
        return fields
    said = [[name, before.strip("空-"), after] for name, before, after in changes]
    return {"changes": said, "participants": fields["participants"]}
