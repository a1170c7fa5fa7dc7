"""A server without its web part, and pages of SillyTavern that talk to it: what the session tests act with."""

import asyncio
import copy
import json
from contextlib import asynccontextmanager
from dataclasses import replace

import orjson

from graph.unpacked import fields_of
from scenarios.chat_model import Chat
from st_bme.adapters.testing import FixedClock, ScriptedExtractor
from st_bme.core import build_core
from st_bme.errors import ModelFailed
from st_bme.graph.state_patch import apply_steps
from st_bme.history.view import list_digest
from st_bme.model.message import ROLES, ListedMessage
from st_bme.protocol import commands
from st_bme.protocol.wire import ChatIdentity, MessageList, Row, Text
from st_bme.session.bridge import Bridge
from st_bme.session.budget import Budget
from st_bme.session.models import Models
from st_bme.session.usage import Usage


class FailingExtractor(ScriptedExtractor):
    """Fails where a message says `[fail]`, as long as `is_down`."""

    def __init__(self, *, cites=True):
        super().__init__(cites=cites)
        self.is_down = True

    async def extract(self, request):
        if self.is_down and any("[fail]" in message.text for message in request.run):
            raise ModelFailed("the model is down")
        return await super().extract(request)


class SlowExtractor(ScriptedExtractor):
    """Answers when it is let go; `asked` is set while it is being asked."""

    def __init__(self, *, cites=True):
        super().__init__(cites=cites)
        self.asked = asyncio.Event()
        self.go = asyncio.Event()

    async def extract(self, request):
        self.asked.set()
        await self.go.wait()
        return await super().extract(request)


class _Maker:
    """Gives the one extractor of a test, or makes it of the model in force, and its chat model, if it has one."""

    def __init__(self, extractor, model):
        self._extractor = extractor
        self._model = model

    async def chat(self, values):
        return self._model

    def extractor(self, model):
        return self._extractor(model) if isinstance(self._extractor, type) else self._extractor

    async def reranker(self, values, model):
        return None

    async def embedder(self, values):
        return None

    async def put_secret(self, setting, secret, values):
        raise NotImplementedError

    async def shown_secrets(self, values):
        return {}

    async def close(self):
        pass


class Desk:
    """A running server over one data folder."""

    def __init__(self, folder, extractor, model=None):
        core = build_core(folder)
        self._open_stores = core.open_stores
        self.extractor = extractor
        self.store, self.events = core.store, core.events
        self.clock = FixedClock()
        settings = core.bridge._settings
        usage = Usage(core.store, self.clock, core.counter)
        tools = replace(
            core.bridge._tools,
            models=Models(_Maker(extractor, model), usage),
            clock=self.clock,
            usage=usage,
            budget=Budget(usage, settings, core.events),
        )
        self.bridge = Bridge(tools, settings)

    async def open(self):
        await self._open_stores()
        await self.bridge.start()

    async def extracted(self, lineage):
        """Wait until nothing is under way in a chat."""
        chat = self.bridge._chats[lineage]
        async with asyncio.timeout(20):
            while not (chat.extraction.is_idle and chat.upkeep.is_idle):  # noqa: ASYNC110 - the queue tells nobody, so that a server has no test hook
                await asyncio.sleep(0.005)

    def session(self, lineage):
        return self.bridge._chats[lineage].session


@asynccontextmanager
async def serving(folder, extractor=None, model=None):
    """A server that is stopped in the end."""
    folder.mkdir(exist_ok=True)
    desk = Desk(folder, extractor or ScriptedExtractor(), model)
    await desk.open()
    try:
        yield desk
    finally:
        await desk.bridge.stop()


class Page:
    """A browser page with one chat open. `file` is the copy in the chat's metadata, None without one; `file_text` its
    whole text where that says more;
    `told` are the notices and `jobs` the job events that came.
    """

    page = "p"
    has_deleted = False
    owner_gone = chat_gone = False
    file_text = ""

    def __init__(self, desk, chat=None, *, name="Chat", owner="ann.png", file=None, **settings):
        self.desk = desk
        self.chat = chat or Chat()
        self.identity = ChatIdentity(name=name, owner=owner, user_name="Uma", character_name="Ann")
        self.settings = {"enabled": True, "extractSettleS": 0.0} | settings
        self.file = copy.deepcopy(file)
        self.lineage = ""
        self.notices = []
        self.told = []
        self.jobs = []
        self._sent = ()
        self._told = set()
        self._news = None

    def slots(self):
        return tuple(
            ListedMessage(floor, message.key, message.role, message.name)
            for floor, message in enumerate(self.chat.messages())
        )

    def _list(self, keep=0):
        slots = self.slots()
        names = sorted({slot.name for slot in slots})
        rows = [Row(key=slot.raw, role=ROLES.index(slot.role), name=names.index(slot.name)) for slot in slots[keep:]]
        base = list_digest(self._sent[:keep])
        self._sent = slots
        return MessageList(keep=keep, base=base, names=names, rows=rows)

    def _patch(self):
        slots, keep = self.slots(), 0
        while keep < min(len(slots), len(self._sent)) and slots[keep] == self._sent[keep]:
            keep += 1
        return self._list(keep)

    def _texts(self, floors=None):
        messages = self.chat.messages()
        wanted = [message for message in messages if floors is None or message.floor in floors]
        return [Text(floor=message.floor, key=message.key, text=message.text) for message in wanted]

    def _new_texts(self):
        fresh = [text for text in self._texts() if text.key not in self._told]
        self._told.update(text.key for text in fresh)
        return fresh

    def _claim(self):
        """What the copy in the file says of itself."""
        if self.file is None:
            return None
        said = self.file.get("chat", {})
        return commands.CopyHead(
            version=self.file.get("version", 0),
            lineage=self.file.get("lineage", ""),
            chat=said.get("name", ""),
            owner=said.get("owner", ""),
            rev=self.file.get("rev", 0),
            head=self.file.get("head", ""),
            messages=len(known) // 8 if isinstance(known := self.file.get("known"), str) else 0,
            owner_gone=self.owner_gone,
            chat_gone=self.chat_gone,
        )

    async def attach(self, *, with_texts=True):
        """Open the chat as a page does: the claim first, the whole copy if it is asked for, texts in the end."""
        self._news = self.desk.events.subscribe(None)
        await anext(self._news)
        self._sent = ()
        command = commands.ChatAttach(
            page=self.page,
            chat=self.identity,
            messages=self._list(),
            copy_head=self._claim(),
            settings=self.settings,
            deleted=self.has_deleted,
        )
        attached = await self.desk.bridge.attach(command)
        self.was_asked_for_copy = attached.need_copy
        if attached.need_copy:
            whole = self.file_text or json.dumps(self.file)
            attached = await self.desk.bridge.attach(command.model_copy(update={"copy_state": whole}))
        self.notices = attached.notices
        if attached.read_only:
            return attached
        self.lineage = attached.lineage
        if attached.patch is not None:
            self._apply(attached.patch)
        if with_texts:
            texts = self._texts(set(attached.need))
            await self.desk.bridge.receive(commands.ChatMessages(lineage=self.lineage, page=self.page, texts=texts))
            self._told = {text.key for text in self._texts()}
        return attached

    def _apply(self, patch):
        if patch.lineage != self.lineage:
            return
        steps = orjson.loads(orjson.dumps(patch.steps))
        if patch.base_rev == -1:
            self.file = apply_steps({}, steps)
        elif self.file is not None and patch.rev > self.file["rev"]:
            assert patch.base_rev == self.file["rev"], f"patch of {patch.base_rev} for a copy at {self.file['rev']}"
            self.file = apply_steps(self.file, steps)

    async def event(self, name, *args, dry_run=False):
        return await self.desk.bridge.event(
            commands.ChatEvent(
                lineage=self.lineage,
                page=self.page,
                event=name,
                args=list(args),
                dry_run=dry_run,
                messages=self._patch(),
                texts=self._new_texts(),
            )
        )

    async def take_seat(self):
        """The user presses "use this one"."""
        self._sent = ()
        command = commands.ChatSeat(
            lineage=self.lineage, page=self.page, messages=self._list(), texts=self._new_texts()
        )
        return await self.desk.bridge.take_seat(command)

    async def close(self):
        await self.desk.bridge.close(commands.ChatClose(lineage=self.lineage, page=self.page))

    async def recall(self, text="", **more):
        messages, texts = self._patch(), self._new_texts()
        return await self.desk.bridge.recall(
            commands.ChatRecall(lineage=self.lineage, page=self.page, text=text, messages=messages, texts=texts, **more)
        )

    async def turn(self, text, reply):
        """The user writes, the character answers, and the answer has settled."""
        self.chat.send(text, reply)
        await self.event("GENERATION_ENDED")
        await self.settled()

    async def settled(self):
        """Wait for the extraction, then apply the patches that came."""
        await self.desk.extracted(self.lineage)
        await self.read_events()

    async def read_events(self):
        """Apply the patches of the event stream so far."""
        while True:
            try:
                event = await asyncio.wait_for(anext(self._news), 0.02)
            except TimeoutError:
                return
            if event.name == "notice":
                self.told.append(orjson.loads(event.data)["notice"])
            if event.name == "job":
                self.jobs.append(orjson.loads(event.data))
            if event.name == "state_patch":
                self._apply(commands_patch(event.data))

    async def state(self):
        return (await self.desk.bridge.state(commands.ChatState(lineage=self.lineage))).state

    def names(self):
        """What the copy in the file remembers: names and summaries that are not archived."""
        return {
            fields.get("name", fields.get("summary"))
            for node in self.file["nodes"]
            if not node.get("archived") and (fields := fields_of(self.file, node))
        }


def commands_patch(data):
    """The patch of an event's JSON."""
    from st_bme.protocol.events import PatchEvent

    return PatchEvent.model_validate_json(data).patch


def content(state):
    """What two copies of one chat share, whatever their revisions."""
    return {key: state[key] for key in ("known", "knownFloors", "nodes", "edges")} | {
        "pending": state.get("pending", [])
    }
