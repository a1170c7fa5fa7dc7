"""Memory of a server with one long chat open: `python3 benchmarks/working.py [--json]`. Not on Windows.

Measured in a process of its own, since nothing else may have been in it. Most vectors lie in the store from the
beginning, as after a first day; the model is loaded, embeds the first texts and is asked once.
"""

# ruff: noqa: E402 - the package is found only in the environment that is entered first

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "server")]
import bootstrap

bootstrap.enter()

import numpy as np
from benchmarks.chats import generate, message_list
from benchmarks.memories import IDENTITY, memory_in, put_chat
from pydantic import JsonValue

from st_bme.adapters.local_embedder import SENTENCE_ENCODER
from st_bme.adapters.process_memory import memory_mb, settle_collector
from st_bme.core import build_core
from st_bme.ports import VectorSpace
from st_bme.protocol.commands import ChatAttach, ChatRecall
from st_bme.protocol.encoding import encode
from st_bme.session.searched_chat import SearchedChat

MESSAGES = 5_000
EMBEDDED = 64
"""Texts that the model itself embeds: all would take minutes, and the vectors of all are of one size."""
PATIENCE_S = 120.0
SPACE = VectorSpace(SENTENCE_ENCODER.name, SENTENCE_ENCODER.dimension)
ATTACH = "attach.json"


async def prepare(folder: Path, messages: int) -> None:
    """Store a chat with the vectors of all but its first texts, and what a page sends to open it."""
    chat = generate(messages)
    settings: dict[str, JsonValue] = {"enabled": True, "extractAutoEnabled": False}
    attach = ChatAttach(page="page", chat=IDENTITY, messages=message_list(chat.messages), settings=settings)
    (folder / ATTACH).write_text(attach.model_dump_json())
    async with memory_in(folder) as memory:
        await put_chat(memory.store, chat)
        attached = await memory.bridge.attach(attach)
        searched = SearchedChat(memory.bridge.session(attached.lineage))
        while not searched.refresh(has_passages=True):
            pass
        texts = list(dict.fromkeys(searched.texts_to_embed()))[EMBEDDED:]
        vectors = np.random.default_rng(1).standard_normal((len(texts), SPACE.dimension)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        await memory.tools.vectors.put(SPACE, texts, vectors)


async def measure(folder: Path) -> dict[str, float]:
    """The memory of this process after each step of a server over a prepared folder, and how many vectors it has."""
    core = build_core(folder)
    await core.open()
    await core.bridge.start()
    settle_collector()
    stored = (await core.vectors.count())[SPACE]
    figures = {"started_mb": resident_mb()}
    attached = await core.bridge.attach(ChatAttach.model_validate_json((folder / ATTACH).read_bytes()))
    encode(attached)
    figures["attached_mb"] = resident_mb()
    async with asyncio.timeout(PATIENCE_S):
        while (await core.vectors.count())[SPACE] < stored + EMBEDDED:  # noqa: ASYNC110 - a file tells of no change
            await asyncio.sleep(0.2)
    recalled = await core.bridge.recall(ChatRecall(lineage=attached.lineage, page="page", text="Who hid the key?"))
    assert recalled.items
    figures |= {"working_mb": resident_mb(), "vectors": stored + EMBEDDED}
    await core.bridge.stop()
    return figures


def resident_mb() -> float:
    """What of this process lies in memory, in MiB."""
    resident = memory_mb(os.getpid())
    if resident is None:
        sys.exit("this system does not tell how much memory a process has: run this on Linux or macOS")
    return resident


def measure_apart(messages: int) -> dict[str, float]:
    """What `measure` finds in a new process."""
    with tempfile.TemporaryDirectory(prefix="st-bme-") as folder:
        asyncio.run(prepare(Path(folder), messages))
        command = [sys.executable, __file__, "--of", folder]
        ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    figures: dict[str, float] = json.loads(ended.stdout)
    return figures


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--messages", type=int, default=MESSAGES, help="instead of %(default)s, for a quick try")
    parser.add_argument("--of", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.of is not None:
        print(json.dumps(asyncio.run(measure(options.of))))
        return 0
    figures = measure_apart(options.messages)
    if options.json:
        print(json.dumps(figures))
        return 0
    for name, figure in figures.items():
        print(f"{name:12} {figure:>8,}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
