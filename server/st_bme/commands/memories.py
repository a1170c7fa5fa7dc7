"""`import` and `export`: memory of a chat into and out of the data folder, while no server uses it."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import orjson

from st_bme.adapters.chat_file import ChatFile, read_chat_file
from st_bme.adapters.data_dir import held
from st_bme.commands.out_file import out_file
from st_bme.commands.replay import attach
from st_bme.commands.state_file import METADATA_KEY, read_state
from st_bme.config import Options, load_config
from st_bme.core import Core, build_core
from st_bme.errors import BadRequest
from st_bme.graph.json_reader import Json, json_bytes
from st_bme.graph.records import RecordSet
from st_bme.graph.state import DecodedState, decode_state
from st_bme.history.view import Slot
from st_bme.model.message import ListedMessage
from st_bme.ports import ChatName, Commit
from st_bme.protocol.results import Imported
from st_bme.protocol.wire import ChatIdentity
from st_bme.session.chat_log import slots_to_json
from st_bme.session.chat_session import ChatSession, records_of, stored_record
from st_bme.session.exchange import Exchange, is_original

_CHATS_FOLDER = "chats"


def run_import(arguments: argparse.Namespace) -> int:
    """Take in a chat file of SillyTavern with the memory that it carries, or a state of this program."""
    path = Path(arguments.file)
    report = asyncio.run(_import(path, _data_dir(arguments), arguments.chat))
    if arguments.json:
        sys.stdout.write(orjson.dumps(report).decode() + "\n")
    else:
        for key, value in report.items():
            print(f"{key:10} {value}")
    return 0


def run_export(arguments: argparse.Namespace) -> int:
    """Write the state of a chat to a file, or to the output."""
    out = out_file(arguments.out) if arguments.out else None
    text = asyncio.run(_export(arguments.chat, _data_dir(arguments), original=arguments.original))
    if out is not None:
        out.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text + "\n")
    return 0


def _data_dir(arguments: argparse.Namespace) -> Path:
    return load_config(Options(data_dir=arguments.data_dir), os.environ).data_dir


@asynccontextmanager
async def _core(data_dir: Path) -> AsyncIterator[Core]:
    """The core over the data folder, which no server may use meanwhile."""
    with held(data_dir):
        core = build_core(data_dir)
        await core.open()
        try:
            yield core
        finally:
            await core.bridge.stop()


async def _import(path: Path, data_dir: Path, whose: str | None) -> dict[str, object]:
    is_chat = path.suffix == ".jsonl"
    found = None if is_chat else read_state(path)
    if is_original(found):
        return await _import_original(found, data_dir, whose)
    if whose:
        raise BadRequest(f"--chat is for a state of the original ST-BME alone; {path} says itself whose it is")
    return await (_import_chat(path, data_dir) if is_chat else _import_state(decode_state(found), data_dir))


async def _import_chat(path: Path, data_dir: Path) -> dict[str, object]:
    chat = read_chat_file(path)
    state = chat.metadata.get(METADATA_KEY)
    if not isinstance(state, dict):
        raise BadRequest(f"{path} carries no memory: its chat_metadata has no {METADATA_KEY}")
    async with _core(data_dir) as core:
        lineage = await attach(core.bridge, chat, {"modelSource": "none"}, owner=_owner_of(path, chat))
        session = core.bridge.session(lineage)
        return _report(lineage, await Exchange(session, core.tools).take(_text_of(state)))


async def _import_original(state: Json, data_dir: Path, whose: str | None) -> dict[str, object]:
    """Put the original's graph over the messages of a chat that the store has: it holds none itself."""
    match state:
        case {"historyState": {"chatId": str(said)}}:
            whose = whose or said
    if not whose:
        raise BadRequest("this state of the original ST-BME does not say whose it is; name the chat with --chat")
    async with _core(data_dir) as core:
        session = await _open(core, whose)
        return _report(session.lineage, await Exchange(session, core.tools).take(_text_of(state)))


def _text_of(state: Json) -> str:
    return json_bytes(state, "state").decode()


def _report(lineage: str, imported: Imported) -> dict[str, object]:
    notices = [notice.code for notice in imported.notices]
    return {"lineage": lineage, **imported.model_dump(exclude={"notices"}), "notices": notices}


def _owner_of(path: Path, chat: ChatFile) -> str:
    """The avatar file that SillyTavern knows the chat by: chats lie in a folder of its name."""
    folder = path.resolve().parent
    return f"{folder.name}.png" if folder.parent.name == _CHATS_FOLDER and chat.character_name else ""


async def _import_state(state: DecodedState, data_dir: Path) -> dict[str, object]:
    """Unite the records of a copy with what the store has of its lineage."""
    async with _core(data_dir) as core:
        stored = await core.store.load(state.lineage)
        if stored is None:
            await core.store.create(state.lineage, ChatName(state.chat, state.owner))
        known = RecordSet(records_of(stored) if stored else ())
        fresh = tuple(stored_record(record) for record in state.records)
        added = [entry for entry in fresh if entry.id not in known]
        known.add_all(state.records)
        rev = max(stored.rev if stored else 0, state.rev)
        slots = slots_to_json(_slots_of(state)) if stored is None else None
        await core.store.write(state.lineage, Commit(rev, known.head, tuple(added), slots=slots, aliases=state.aliases))
    return {"lineage": state.lineage, "version": 10, "records": len(added), "notices": []}


def _slots_of(state: DecodedState) -> list[Slot]:
    """The messages that a copy knows, as a list. Who spoke is not in it; the page says so when it opens the chat."""
    slots: list[Slot] = [None] * (max(state.known.floors, default=-1) + 1)
    for key, floor in zip(state.known.keys, state.known.floors, strict=True):
        slots[floor] = ListedMessage(floor, key, "assistant", "")
    return slots


async def _export(chat: str, data_dir: Path, *, original: bool) -> str:
    async with _core(data_dir) as core:
        return Exchange(await _open(core, chat), core.tools).give(original=original)


async def _open(core: Core, chat: str) -> ChatSession:
    """The one chat of this name or lineage. Raises: BadRequest: there is none, or more than one."""
    chats = await core.store.chats()
    found = [lineage for lineage, name in chats.items() if chat in (lineage, name.name)]
    if len(found) != 1:
        listed = ", ".join(f"{lineage} ({chats[lineage].name})" for lineage in found or chats)
        problem = f"{len(found)} chats are named" if found else "there is no chat"
        raise BadRequest(f"{problem} {chat!r}; name one by its lineage: {listed or 'the data folder holds none'}")
    stored = await core.store.load(found[0])
    assert stored is not None
    session = ChatSession(core.tools, stored, ChatIdentity(name=stored.chat.name, owner=stored.chat.owner))
    await session.open()
    return session
