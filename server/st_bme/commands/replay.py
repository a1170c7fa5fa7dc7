"""`replay`: read a chat file through the whole pipeline and say what is remembered."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import orjson

from st_bme.adapters.chat_file import ChatFile, read_chat_file
from st_bme.commands.injected import injected
from st_bme.commands.out_file import out_file
from st_bme.core import build_core
from st_bme.errors import BadRequest
from st_bme.history.view import Slot
from st_bme.model.message import ROLES
from st_bme.protocol import commands, results
from st_bme.protocol.wire import ChatIdentity, MessageList, Row, Text
from st_bme.session.bridge import Bridge

# Beyond the nodes themselves a state carries a header: what this much pays for does not count against the nodes.
FREE_BYTES = 16 * 1024
TEXTS_A_COMMAND = 5_000
NO_MODEL = {"modelSource": "none"}


@dataclass(frozen=True, slots=True)
class Replayed:
    """What came of a chat."""

    state: dict[str, object]
    extracted: results.Extracted
    recalls: tuple[tuple[str, results.Recalled], ...]
    seconds: float


def run(arguments: argparse.Namespace) -> int:
    """Replay one chat file; writes the state where asked."""
    chat, settings = read_chat_file(Path(arguments.chat)), model_settings(arguments)
    out = out_file(arguments.out) if arguments.out else None
    if logging.lastResort is not None:
        logging.lastResort.setLevel(logging.ERROR)  # why a model failed is said once, below
    replayed = asyncio.run(replay(chat, arguments.query, settings))
    if out is not None:
        out.write_bytes(orjson.dumps(replayed.state))
    report, extracted = summary(chat, replayed), replayed.extracted
    if extracted.reason:
        print(f"{extracted.pending} messages were not read: {extracted.reason}", file=sys.stderr)
    if arguments.json:
        sys.stdout.write(orjson.dumps(report).decode() + "\n")
    else:
        _print(report)
    return 0


def model_settings(arguments: argparse.Namespace) -> dict[str, str]:
    """The settings that the options for the model stand for. The key comes from OPENAI_API_KEY.

    Raises: BadRequest: an option for a model without the model, or a model without its address or name.
    """
    if arguments.model == "none":
        if arguments.base_url or arguments.model_name:
            raise BadRequest("--base-url and --model-name belong to --model openai")
        return NO_MODEL
    if not arguments.base_url or not arguments.model_name:
        raise BadRequest("--model openai needs --base-url and --model-name; the key comes from OPENAI_API_KEY")
    # Whoever names the endpoint here means the key of the environment for it.
    os.environ["OPENAI_BASE_URL"] = arguments.base_url
    return {"modelSource": "openai", "llm.baseURL": arguments.base_url, "llm.model": arguments.model_name}


async def replay(chat: ChatFile, queries: list[str], model: Mapping[str, str] | None = None) -> Replayed:
    """Attach, extract all, recall: what a page would ask of the server. `model`: settings of the chat model."""
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="st-bme-") as folder:
        core = build_core(Path(folder))
        await core.open()
        try:
            lineage = await attach(core.bridge, chat, NO_MODEL if model is None else model)
            extracted = await core.bridge.extract(commands.ChatExtract(lineage=lineage, whole=True))
            recalls = [
                (query, await core.bridge.recall(commands.ChatRecall(lineage=lineage, text=query, early=True)))
                for query in queries
            ]
            state = await core.bridge.state(commands.ChatState(lineage=lineage))
        finally:
            await core.bridge.stop()
    return Replayed(dict(state.state), extracted, tuple(recalls), time.perf_counter() - started)


async def attach(bridge: Bridge, chat: ChatFile, model: Mapping[str, str], *, owner: str = "") -> str:
    """Open the chat and hand over its texts; the lineage."""
    identity = ChatIdentity(name=chat.name, owner=owner, user_name=chat.user_name, character_name=chat.character_name)
    settings: dict[str, bool | str] = {
        "enabled": True,
        "extractAutoEnabled": False,
        "embeddingSource": "none",
        "cacheMode": False,  # one text shows all
        **model,
    }
    attached = await bridge.attach(
        commands.ChatAttach(page="replay", chat=identity, messages=message_list(chat.slots), settings=dict(settings))
    )
    texts = [
        Text(floor=slot.floor, key=slot.raw, text=text)
        for slot, text in zip(chat.slots, chat.texts, strict=True)
        if slot is not None
    ]
    for chunk in range(0, len(texts), TEXTS_A_COMMAND):
        some = texts[chunk : chunk + TEXTS_A_COMMAND]
        await bridge.receive(commands.ChatMessages(lineage=attached.lineage, texts=some))
    return attached.lineage


def message_list(slots: tuple[Slot, ...]) -> MessageList:
    """The list as a page sends it."""
    names = list(dict.fromkeys(slot.name for slot in slots if slot is not None))
    rows = [
        None
        if slot is None
        else Row(key=slot.raw, role=ROLES.index(slot.role), name=names.index(slot.name), hidden=slot.hidden)
        for slot in slots
    ]
    return MessageList(names=names, rows=rows)


def bytes_per_node(state: dict[str, object], nodes: int) -> float:
    """Bytes a node costs beyond the free header; records and the list of messages are counted apart."""
    own = {key: value for key, value in state.items() if key not in ("tail", "known")}
    return max(0, len(orjson.dumps(own)) - FREE_BYTES) / nodes if nodes else 0.0


def summary(chat: ChatFile, replayed: Replayed) -> dict[str, object]:
    """The report as JSON."""
    state, extracted = replayed.state, replayed.extracted
    nodes, edges, tail = state["nodes"], state["edges"], state["tail"]
    assert isinstance(nodes, list)
    assert isinstance(edges, dict)
    assert isinstance(tail, list)
    return {
        "floors": len(chat.slots),
        "nodes": len(nodes),
        "edges": sum(len(alike) for alike in edges.values() if isinstance(alike, list)),
        "records": extracted.records,
        "state_bytes": len(orjson.dumps(state)),
        "bytes_per_node": round(bytes_per_node(state, len(nodes)), 1),
        "model_calls": extracted.calls,
        "refused_operations": extracted.refused,
        "queries": [
            {
                "query": query,
                "tokens": answer.tokens,
                "items": [item.model_dump() for item in answer.items],
                "text": answer.text,
            }
            for query, answer in replayed.recalls
        ],
        "seconds": round(replayed.seconds, 3),
    }


def _print(report: dict[str, object]) -> None:
    queries = report.pop("queries")
    if report["nodes"] and not report["bytes_per_node"]:
        report["bytes_per_node"] = f"under {FREE_BYTES // 1024} KiB in all, too little to tell"
    for key, value in report.items():
        print(f"{key:20} {value}")
    for query in queries if isinstance(queries, list) else []:
        told = injected(item["type"] for item in query["items"])
        print(f"\n? {query['query']}  ({query['tokens']} tokens, {told})\n{query['text']}")
