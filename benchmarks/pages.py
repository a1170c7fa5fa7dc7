"""A page of SillyTavern as the server sees it: one chat, its copy of the memory, and what it was told is kept."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace

import orjson
from aiohttp import ClientError, ClientSession, ClientTimeout
from benchmarks.acknowledged import Acknowledged
from benchmarks.chats import message_list, texts
from benchmarks.story import CHARACTER, USER

from st_bme.graph.json_reader import JsonObject
from st_bme.graph.state_patch import apply_steps
from st_bme.history.keys import message_key
from st_bme.model.message import Message
from st_bme.protocol.wire import ChatIdentity

ORIGIN = "http://127.0.0.1:8000"
SETTINGS = {"enabled": True, "modelSource": "none", "embeddingSource": "none", "extractSettleS": 0.2}
PATIENCE_S = 30.0
"""For an answer; whoever only wants it, however slow the machine is, may have more."""


class ServerGone(Exception):
    """The server was killed while it was asked."""


class Refused(Exception):
    """The server answered with an error."""


class Server:
    """The way to a running server."""

    def __init__(self, http: ClientSession, address: str, token: str, *, patience_s: float = PATIENCE_S) -> None:
        self._http = http
        self._timeout = ClientTimeout(total=patience_s)
        self._address = address
        self._headers = {"Origin": ORIGIN, "Authorization": f"Bearer {token}"}

    async def call(self, command: str, body: Mapping[str, object]) -> JsonObject:
        """The answer to a command. Raises ServerGone or Refused."""
        url, data = f"{self._address}/v1/{command}", orjson.dumps(body)
        headers = {**self._headers, "Content-Type": "application/json"}
        try:
            async with self._http.post(url, data=data, headers=headers, timeout=self._timeout) as response:
                answer: JsonObject = orjson.loads(await response.read())
        except (ClientError, TimeoutError, orjson.JSONDecodeError) as error:
            raise ServerGone(f"{command}: {error!r}") from None
        if response.status != 200:
            raise Refused(f"{command}: {answer.get('code')}: {answer.get('error')}")
        return answer

    async def follow(self, pages: Sequence[Page]) -> None:
        """Hand the events on until the server is gone."""
        url = f"{self._address}/v1/events"
        try:
            async with self._http.get(url, headers=self._headers, timeout=ClientTimeout()) as response:
                async for line in response.content:
                    if line.startswith(b"data: ") and b'"patch"' in line:
                        for page in pages:
                            page.take(orjson.loads(line[6:])["patch"])
        except (ClientError, ValueError):
            return


class Page:
    """One page with one chat. What it holds itself survives a kill of the server; `reload` is a kill of the page."""

    def __init__(self, name: str, story: Sequence[Message], dice: random.Random) -> None:
        self.identity = ChatIdentity(name=name, owner="mira.png", user_name=USER, character_name=CHARACTER)
        self.book = Acknowledged()
        self.state: JsonObject = {}
        self._coming = [_unique(message) for message in story]
        self.messages = [self._coming.pop(0)]
        self._dice = dice
        self._saved: tuple[JsonObject, list[Message]] = ({}, self.messages[:])
        self._number = 0

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(message.key for message in self.messages)

    def reload(self) -> None:
        """Go down with whatever was under way; what comes back is the chat file as it was saved last."""
        self._number += 1
        self.state, self.messages = self._saved[0], self._saved[1][:]

    def _save(self) -> None:
        """SillyTavern saves messages and metadata together."""
        self._saved = (self.state, self.messages[:])

    def take(self, patch: JsonObject) -> None:
        """Apply a patch to the copy if it fits, as the extension does."""
        steps = patch["steps"]
        assert isinstance(steps, list)
        is_ours = patch["lineage"] == self.book.lineage
        if is_ours and (patch["base_rev"] == -1 or patch["base_rev"] == self.state.get("rev")):
            self.state = apply_steps(self.state, [step for step in steps if isinstance(step, list)])
            self.book.see(self.state)

    async def attach(self, server: Server) -> None:
        """Open the chat: the list first, the copy if it is wanted, then the texts that the server lacks."""
        claim = {key: self.state.get(key) for key in ("version", "lineage", "rev", "head")}
        head = {**claim, "chat": self.identity.name, "owner": self.identity.owner} if self.state else None
        body = {"page": f"p{self._number}", "chat": self.identity.model_dump(), "settings": SETTINGS, "copy_head": head}
        answer = await self._tell(server, "chat/attach", body)
        if answer["need_copy"]:
            answer = await self._tell(server, "chat/attach", {**body, "copy_state": orjson.dumps(self.state).decode()})
        lineage = str(answer["lineage"])
        if self.book.lineage not in ("", lineage):
            raise Refused(f"the chat {self.book.lineage} was opened as {lineage}")
        self.book.lineage = lineage
        if isinstance(answer["patch"], dict):
            self.take(answer["patch"])
        need = answer["need"]
        assert isinstance(need, list)
        if need:
            await self._hand_over(server, [self.messages[floor] for floor in need if isinstance(floor, int)])

    async def _tell(self, server: Server, command: str, body: Mapping[str, object]) -> JsonObject:
        """Send a command with the list; once it is answered, this list is kept."""
        keys = self.keys
        self.book.lists.append(keys)
        answer = await server.call(command, {**body, "messages": message_list(self.messages).model_dump()})
        self.book.lists = self.book.lists[self.book.lists.index(keys) :]
        return answer

    async def _hand_over(self, server: Server, messages: Sequence[Message]) -> None:
        said = [text.model_dump() for text in texts(messages)]
        await server.call("chat/messages", {"lineage": self.book.lineage, "texts": said})
        self.book.texts |= {message.key: message.text for message in messages}

    async def _happen(self, server: Server, event: str, messages: Sequence[Message] = ()) -> None:
        """Report an event with the list as it is now."""
        said = [text.model_dump() for text in texts(messages)]
        await self._tell(server, "chat/event", {"lineage": self.book.lineage, "event": event, "texts": said})
        self.book.texts |= {message.key: message.text for message in messages}

    async def use(self, server: Server) -> None:
        """Open the chat and do all that a user does, until the server is gone."""
        await self.attach(server)
        async with asyncio.TaskGroup() as group:
            group.create_task(self._chat(server))
            group.create_task(self._tend(server))

    async def _chat(self, server: Server) -> None:
        """Go on with the story until the server is gone: mostly turns, now and then an edit or a deletion."""
        while True:
            act = self._dice.choices((self._turn, self._edit, self._delete), (6, 2, 1))[0]
            await act(server)

    async def _turn(self, server: Server) -> None:
        for event in ("MESSAGE_SENT", "MESSAGE_RECEIVED"):
            if not self._coming:
                await asyncio.sleep(0.01)
                return
            self.messages.append(replace(self._coming.pop(0), floor=len(self.messages)))
            self._save()
            await self._happen(server, event, self.messages[-1:])
            if event == "MESSAGE_SENT":
                await server.call("chat/event", {"lineage": self.book.lineage, "event": "GENERATION_AFTER_COMMANDS"})
                await server.call("chat/recall", {"lineage": self.book.lineage, "text": self.messages[-1].text})

    async def _edit(self, server: Server) -> None:
        floor = self._dice.randrange(len(self.messages))
        old = self.messages[floor]
        text = f"{old.text} (again {self._dice.getrandbits(40)})"
        self.messages[floor] = replace(old, key=message_key(old.role, text), text=text)
        self._save()
        await self._happen(server, "MESSAGE_EDITED", [self.messages[floor]])

    async def _delete(self, server: Server) -> None:
        if len(self.messages) > 2:
            self.messages.pop()
            self._save()
            await self._happen(server, "MESSAGE_DELETED")

    async def _tend(self, server: Server) -> None:
        """What goes on beside the story: extraction, edits of memories by hand, undo, acknowledgements."""
        while True:
            act = self._dice.choices((self._extract, self._write, self._undo, self._acknowledge), (4, 2, 1, 2))[0]
            await act(server)
            await asyncio.sleep(self._dice.random() * 0.01)

    async def _extract(self, server: Server) -> None:
        await server.call("chat/extract", {"lineage": self.book.lineage})

    async def _acknowledge(self, server: Server) -> None:
        if self.state:
            await server.call("chat/ack", {"lineage": self.book.lineage, "rev": self.state["rev"], "stage": "set"})

    async def _write(self, server: Server) -> None:
        """Edit a memory by hand; it may have gone with its message meanwhile."""
        nodes = self.state.get("nodes")
        if isinstance(nodes, list) and nodes:
            node, text = self._dice.choice(nodes), f"by hand {self._dice.getrandbits(40)}"
            assert isinstance(node, dict)
            body = {"lineage": self.book.lineage, "node": node["id"], "fields": {"summary": text}}
            if await _is_there(server.call("graph/update", body)):
                self.book.edits.add(text)

    async def _undo(self, server: Server) -> None:
        if self.book.records:
            identity = self._dice.choice(sorted(self.book.records))
            if await _is_there(server.call("history/undo", {"lineage": self.book.lineage, "records": [identity]})):
                self.book.undone.add(identity)


def _unique(message: Message) -> Message:
    """The message with a text that no other one has: what is read twice was then read for nothing."""
    text = f"{message.text} [{message.floor}]"
    return replace(message, key=message_key(message.role, text), text=text)


async def _is_there(answer: Awaitable[JsonObject]) -> bool:
    """False if what was meant is not there, or not of a kind that this can be done to."""
    try:
        await answer
    except Refused as refused:
        if "not_found" not in str(refused):
            raise
        return False
    return True
