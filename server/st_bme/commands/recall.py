"""`recall`: what a state would inject for a query."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

import orjson

from st_bme.adapters.token_counter import LocalTokenCounter
from st_bme.commands.injected import injected
from st_bme.commands.state_file import read_state_file
from st_bme.graph.state import DecodedState
from st_bme.model.recall import Query, Recall
from st_bme.read.index import RecallIndex, first_floors
from st_bme.read.options import RecallOptions
from st_bme.read.recall import recall
from st_bme.write.language import detect_language


def run(arguments: argparse.Namespace) -> int:
    """Recall once, as if nothing of the chat were in the prompt any more."""
    answer = recall_from(read_state_file(Path(arguments.state)), arguments.query)
    if arguments.json:
        print(orjson.dumps(report(arguments.query, answer)).decode())
    else:
        _print(answer)
    return 0


def recall_from(state: DecodedState, text: str) -> Recall:
    """The recall of a text from the graph as it was written."""
    index = RecallIndex()
    index.update(state.nodes, state.edges, first_floors(state.known.keys, state.known.floors))
    told = (value for node in state.nodes.values() for value in node.fields.values())
    options = RecallOptions(language="zh" if detect_language(told) == "zh" else "en")
    counter = LocalTokenCounter()
    counter.load()
    return recall(index, Query(text), options, counter)


def report(query: str, answer: Recall) -> dict[str, object]:
    """The answer as JSON."""
    items = [asdict(item) for item in answer.items]
    return {"query": query, "tokens": answer.tokens, "items": items, "text": answer.text}


def _print(answer: Recall) -> None:
    print(answer.text or "Nothing to recall.")
    print(f"\n{answer.tokens} tokens, {injected(item.type for item in answer.items)}")
    for item in answer.items:
        print(f"  {item.score:.2f}  {item.reason:10} {item.type:10} {item.text}")
