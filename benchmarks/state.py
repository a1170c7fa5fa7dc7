"""Size and speed of the state: `python3 benchmarks/state.py [--json]`.

Bytes are held to their limits by `tests/benchmarks/test_state.py`; milliseconds depend on the machine.
"""

# ruff: noqa: E402 - the package is found only in the environment that is entered first

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "server")]
import bootstrap

bootstrap.enter()

import orjson
from benchmarks.chats import GeneratedChat, generate, listed, message_list, records_of, texts
from benchmarks.memories import IDENTITY, LINEAGE, memory_in, put_chat
from benchmarks.story import Turn
from pydantic import JsonValue

from st_bme.adapters.process_memory import settle_collector
from st_bme.commands.replay import bytes_per_node
from st_bme.graph.fold import Folder
from st_bme.graph.json_reader import JsonObject
from st_bme.graph.records import Answer, Mark, RecordSet, Stamp, record_id
from st_bme.graph.state import decode_state
from st_bme.graph.state_patch import apply_steps
from st_bme.history.view import view_of
from st_bme.model.message import Message
from st_bme.protocol.commands import ChatAttach
from st_bme.protocol.encoding import encode
from st_bme.session.chat_session import ChatSession
from st_bme.session.copy import Draft

MESSAGES, TURNS = 5_000, 60
REPEATS = 3
UNDONE = 10
RECALLED = 12


async def measure(messages: int = MESSAGES, turns: int = TURNS) -> tuple[dict[str, float], Sequence[int]]:
    """All figures by the names of the report, and the bytes that each turn sent to the page.

    The state is that of a chat of `messages`; attached and folded is one twice as long, with as many answers.
    """
    chat = generate(2 * max(messages, turns) + 1)
    with tempfile.TemporaryDirectory(prefix="st-bme-") as folder:
        attach_ms = await measure_attach(Path(folder), chat)
    with tempfile.TemporaryDirectory(prefix="st-bme-") as folder:
        state, bytes_by_turn = await measure_turns(Path(folder), chat, messages, turns)
    encode_ms, decode_ms = measure_codec(chat.upto(messages))
    fold_ms, undo_ms = measure_fold(chat)
    figures = {
        **sizes_of(state),
        "attach_ms_10000_messages": attach_ms,
        "fold_ms_5000_answers": fold_ms,
        "undo_ms": undo_ms,
        "encode_ms": encode_ms,
        "decode_ms": decode_ms,
        "delta_bytes_per_turn": max(bytes_by_turn),
    }
    return {name: round(figure, 1) for name, figure in figures.items()}, bytes_by_turn


def sizes_of(state: JsonObject) -> dict[str, float]:
    """Bytes of a state: a node with its share of everything but tail and list, the tail, and all together."""
    nodes = state["nodes"]
    assert isinstance(nodes, list)
    return {
        "bytes_per_node": bytes_per_node(dict(state), len(nodes)),
        "tail_bytes": len(orjson.dumps(state["tail"])),
        "bytes_at_5000_messages": len(orjson.dumps(state)),
    }


async def measure_attach(folder: Path, chat: GeneratedChat) -> float:
    """Milliseconds of the processor from the page's request to the answer, the best of three.

    Each time the server has just started and knows the chat.
    """
    async with memory_in(folder) as memory:
        await put_chat(memory.store, chat)
    settings: dict[str, JsonValue] = {"enabled": True, "extractAutoEnabled": False}
    messages = message_list(chat.messages)
    body = ChatAttach(page="page", chat=IDENTITY, messages=messages, settings=settings).model_dump_json()
    return min([await _attach_once(folder, body) for _ in range(REPEATS)])


async def _attach_once(folder: Path, body: str) -> float:
    async with memory_in(folder) as memory:
        started = time.process_time()
        attached = await memory.bridge.attach(ChatAttach.model_validate(orjson.loads(body)))
        encode(attached)
        elapsed_ms = 1_000 * (time.process_time() - started)
    assert attached.lineage == LINEAGE
    assert not attached.need
    return elapsed_ms


async def measure_turns(folder: Path, chat: GeneratedChat, messages: int, turns: int) -> tuple[JsonObject, list[int]]:
    """The state after so many messages, and the bytes of the patches of each turn after them."""
    before = chat.upto(messages)
    async with memory_in(folder) as memory:
        await put_chat(memory.store, before)
        stored = await memory.store.load(LINEAGE)
        assert stored is not None
        session = ChatSession(memory.tools, stored, IDENTITY)
        await session.open()
        first = state = session.state()
        bytes_by_turn = []
        number = 0
        for turn in chat.turns[len(before.turns) :][:turns]:
            await play(session, turn, chat.messages)
            bytes_by_turn.append(0)
            while (event := memory.events.after(number)) is not None:
                number = event.number
                bytes_by_turn[-1] += len(event.data)
                state = apply_steps(state, orjson.loads(event.data)["patch"]["steps"])
        assert state == session.state(), "the patches do not lead to the state that they belong to"
    return first, bytes_by_turn


async def play(session: ChatSession, turn: Turn, messages: Sequence[Message]) -> None:
    """What a turn does: two messages and a recall, the answer about them, and upkeep where some is due."""
    for message in turn.messages:
        upto = messages[: message.floor + 1]
        await session.follow(message_list(upto, keep=message.floor), texts([message]))
        await session.publish()
        if message.role == "user":
            session.recalled(message.key, (), [node.id for node in session.graph.active_nodes()[-RECALLED:]])
    for record in records_of(turn, session.records.highest_n + 1):
        await session.commit([record])


def measure_codec(chat: GeneratedChat) -> tuple[float, float]:
    """Milliseconds to write a state as JSON, as a session does it at each change, and to read one."""
    view = view_of(listed(chat.messages), {}, include_hidden=True)
    records = RecordSet(chat.records())
    draft = Draft(
        lineage=LINEAGE,
        chat=IDENTITY.to_name(),
        rev=1,
        head=records.head,
        view=view,
        graph=Folder().fold(view.keys, records),
        records=records,
        aliases={},
        last_recall=(),
        first_folder=Folder(),
    )

    def write() -> bytes:
        return orjson.dumps(draft.encode())

    body = write()
    return milliseconds(write), milliseconds(lambda: decode_state(orjson.loads(body)))


def measure_fold(chat: GeneratedChat) -> tuple[float, float]:
    """Milliseconds to fold a chat from nothing, and to fold it again when one of its last answers is undone."""
    view = [message.key for message in chat.messages]
    records = RecordSet(chat.records())
    fold_ms = milliseconds(lambda: Folder().fold(view, records))
    folder = Folder()
    folder.fold(view, records)
    answers = [record for record in records.all() if isinstance(record, Answer)]
    times = []
    for answer in answers[-UNDONE:]:
        records.add(Mark(Stamp(records.highest_n + 1), "", record_id(answer), off=True))
        started = time.perf_counter()
        folder.fold(view, records)
        times.append(1_000 * (time.perf_counter() - started))
    return fold_ms, statistics.median(times)


def milliseconds(work: Callable[[], object]) -> float:
    """The median of a few runs."""
    times = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        work()
        times.append(1_000 * (time.perf_counter() - started))
    return statistics.median(times)


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--messages", type=int, default=MESSAGES, help="instead of %(default)s, for a quick try")
    parser.add_argument("--turns", type=int, default=TURNS, help="turns whose patches are counted (%(default)s)")
    options = parser.parse_args(argv)
    settle_collector()  # as the server does when it has started
    figures, bytes_by_turn = asyncio.run(measure(options.messages, options.turns))
    if options.json:
        print(json.dumps(figures))
        return 0
    for name, figure in figures.items():
        print(f"{name:26} {figure:>12,}")
    print(f"bytes of a turn: median {statistics.median(bytes_by_turn):,.0f}, worst of {len(bytes_by_turn)} as above")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
