"""Kill the server at random moments and look for what is missing: `python3 benchmarks/kill.py [--kills N] [--json]`.

A server is started again and again on one data directory. Two pages chat with it over real sockets, each with edits,
deletions, extraction, memories written by hand and undo, until it is killed. Then the database is compared with all
that was acknowledged. Now and then a page dies first, in the middle of its requests, and comes back with its chat file.
"""

# ruff: noqa: E402 - the package is found only in the environment that is entered first

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "server")]
import bootstrap

bootstrap.enter()

from aiohttp import ClientSession
from benchmarks.acknowledged import COMPARED, Acknowledged, Findings, StoreReader
from benchmarks.chats import generate
from benchmarks.pages import Page, Refused, Server, ServerGone
from benchmarks.served import KillableServer, ServerDied

PAGES = 2
KILLS_A_CHAT = 25
CHAT_MESSAGES = 400
PAIR_AGAIN = 0.05
DIE_WHILE_ATTACHING = 0.3
PAGE_DIES = 0.4
SHORTEST_S, LONGEST_S = 0.005, 1.2
SHOWN = 20


class Ordeal:
    """A data directory, its servers one after the other, and the pages that chat with them."""

    def __init__(self, data_dir: Path, seed: int) -> None:
        self.findings = Findings()
        self._dice = random.Random(seed)
        self._server = KillableServer(data_dir)
        self._reader = StoreReader(data_dir)
        self._tokens: list[str] = []
        self._books: list[Acknowledged] = []
        self._pages: list[Page] = []

    async def run(self, kills: int) -> None:
        """Start, chat and kill so many times; then look at everything once more."""
        for kill in range(kills):
            if kill % KILLS_A_CHAT == 0:
                self._begin_chats(kill // KILLS_A_CHAT)
            await self._round()
        self._start()
        self._reader.check(self._books, self.findings)
        self._server.kill()

    def acknowledged(self) -> str:
        """How much there was to lose."""
        sums = {
            "records": sum(len(book.records) for book in self._books),
            "texts": sum(len(book.texts) for book in self._books),
            "edits": sum(len(book.edits) + len(book.undone) for book in self._books),
            "browsers": len(self._tokens),
        }
        return "acknowledged were " + ", ".join(f"{count} {name}" for name, count in sums.items())

    def _begin_chats(self, number: int) -> None:
        stories = [generate(CHAT_MESSAGES, seed=self._dice.getrandbits(32)).messages for _ in range(PAGES)]
        self._pages = [Page(f"{number}.{place}", story, self._dice) for place, story in enumerate(stories)]
        self._books += [page.book for page in self._pages]

    def _start(self) -> str:
        try:
            return self._server.start()
        except ServerDied as error:
            self.findings.corrupt.add(str(error))
            raise

    async def _round(self) -> None:
        address = self._start()
        self._reader.check([page.book for page in self._pages], self.findings)
        async with ClientSession() as http:
            try:
                await self._live(http, address)
            except (Refused, ServerGone) as error:
                self.findings.corrupt.add(str(error))
            finally:
                self._server.kill()

    async def _live(self, http: ClientSession, address: str) -> None:
        """One life of a server, from the first attach to the kill."""
        server = await self._door(http, address)
        if self._dice.random() >= DIE_WHILE_ATTACHING:
            for page in self._pages:
                await page.attach(server)
                await self._compare(page, server)
        if self._dice.random() < PAGE_DIES:
            await self._chat(server, kill_server=False)
            for page in self._pages:
                page.reload()
        await self._chat(server, kill_server=True)

    async def _door(self, http: ClientSession, address: str) -> Server:
        """A server that one of the tokens opens; now and then a further browser is paired first."""
        if not self._tokens or self._dice.random() < PAIR_AGAIN:
            answer = await Server(http, address, "").call("pair", {})
            self._tokens.append(str(answer["token"]))
        return Server(http, address, self._dice.choice(self._tokens[-32:]))

    async def _chat(self, server: Server, *, kill_server: bool) -> None:
        """Let the pages do what they do, and end it at a random moment."""
        busy = asyncio.create_task(self._bustle(server))
        await asyncio.sleep(SHORTEST_S * (LONGEST_S / SHORTEST_S) ** self._dice.random())
        if kill_server:
            self._server.kill()
        else:
            busy.cancel()
        await asyncio.wait([busy])
        if not busy.cancelled():
            busy.result()

    async def _bustle(self, server: Server) -> None:
        """Everything at once, until the server is gone."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(server.follow(self._pages))
                for page in self._pages:
                    group.create_task(page.use(server))
        except* ServerGone:
            pass  # what was not acknowledged may be gone
        except* Refused as refused:
            self.findings.corrupt.update(str(error) for error in _leaves(refused))

    async def _compare(self, page: Page, server: Server) -> None:
        """The state that the server shows must be the fold of the records that it has stored."""
        answer = await server.call("chat/state", {"lineage": page.book.lineage})
        state = answer["state"]
        assert isinstance(state, dict)
        folded = self._reader.fold(page.book.lineage, [message.floor for message in page.messages], page.keys)
        differs = [key for key in COMPARED if state.get(key) != folded.get(key)]
        if differs and state["head"] == folded["head"]:
            self.findings.corrupt.add(f"{page.book.lineage}: {', '.join(differs)} of the state are no fold")


def _leaves(group: BaseExceptionGroup[Refused]) -> Iterator[Refused]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100, help="how often the server is killed (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of chats and moments (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else to standard output")
    options = parser.parse_args(argv)
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="st-bme-") as folder:
        ordeal = Ordeal(Path(folder), options.seed)
        asyncio.run(ordeal.run(options.kills))
    found = ordeal.findings
    for kind in ("lost", "duplicated", "corrupt"):
        for line in sorted(getattr(found, kind))[:SHOWN]:
            print(f"{kind}: {line}", file=sys.stderr)
    report = {
        "kills": options.kills,
        "lost": len(found.lost),
        "duplicated": len(found.duplicated),
        "corrupt": len(found.corrupt),
    }
    if options.json:
        print(json.dumps(report))
    else:
        print(", ".join(f"{name} {count}" for name, count in report.items()), end="")
        print(f" in {time.perf_counter() - started:.0f} s; {ordeal.acknowledged()}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
