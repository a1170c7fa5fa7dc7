"""Graphs for the tests of recall: each message says in brackets what is remembered of it (`ScriptedExtractor`)."""

from __future__ import annotations

from st_bme.adapters.testing import scripted_operations
from st_bme.graph.fold import fold
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.records import Answer, RecordSet, Stamp
from st_bme.history.keys import message_key
from st_bme.model.message import Message
from st_bme.model.node import Node
from st_bme.model.operation import Operation
from st_bme.model.recall import Query, Recall
from st_bme.read.index import RecallIndex, index_of
from st_bme.read.options import RecallOptions
from st_bme.read.recall import recall
from st_bme.scoring.tokens import conservative_estimate


class EstimatingCounter:
    """Counts without a vocabulary, as the server does where none can be loaded."""

    def count(self, text: str) -> int:
        return conservative_estimate(text)


COUNTER = EstimatingCounter()
OPTIONS = RecallOptions()


def told(*messages: str) -> MemoryGraph:
    """The graph of a chat whose messages each make what they say, one record a message."""
    return fold(keys_of(*messages), records_of(*messages))


def keys_of(*messages: str) -> tuple[str, ...]:
    """Keys of the messages; equal texts at two floors are two messages."""
    return tuple(message_key("assistant", f"{floor} {text}") for floor, text in enumerate(messages))


def records_of(*messages: str) -> RecordSet:
    """One record a message."""
    keys = keys_of(*messages)
    records = RecordSet()
    for floor, (key, text) in enumerate(zip(keys, messages, strict=True)):
        message = Message(key, "assistant", "", text, floor)
        operations = tuple(scripted_operations(message, 0, cite=0))
        records.add(Answer(Stamp(floor + 1), (key,), operations, related=0))
    return records


def folded(*operations: Operation, floors: int = 1) -> MemoryGraph:
    """The graph of one record over a chat of so many messages; `cite` is the floor."""
    keys = tuple(message_key("assistant", str(floor)) for floor in range(floors))
    return fold(keys, RecordSet([Answer(Stamp(1), keys, operations, related=0)]))


def indexed(graph: MemoryGraph) -> RecallIndex:
    """An index of a chat whose floors are its positions."""
    return index_of(graph, range(len(graph.view)))


def asked(graph: MemoryGraph, text: str, *, options: RecallOptions = OPTIONS, **query: object) -> Recall:
    """A recall from a graph."""
    return recall(indexed(graph), Query(text, **query), options, COUNTER)


def recalled_names(answer: Recall, graph: MemoryGraph) -> list[str]:
    """Names of what was injected beside the core, best first."""
    return [graph.nodes[item.node_id].name for item in answer.items if item.section != "core"]


def node_named(graph: MemoryGraph, name: str) -> Node:
    return next(node for node in graph.nodes.values() if node.name == name)
