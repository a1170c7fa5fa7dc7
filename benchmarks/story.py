"""A story while it is told: what is said turn by turn, and what a model would note of it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from benchmarks.prose import Prose

from st_bme.graph.fold_state import node_digest
from st_bme.graph.ids import content_node_id
from st_bme.graph.records import Stamp, Upkeep
from st_bme.graph.schedule import anchor_of
from st_bme.history.keys import message_key
from st_bme.model.message import Message, Role
from st_bme.model.node import Node
from st_bme.model.operation import Operation, Target
from st_bme.model.scope import OBJECTIVE, Scope
from st_bme.model.story_time import StoryTime

USER = "Ann"
CHARACTER = "Mira"
USER_LENGTH, REPLY_LENGTH = 90, 380
"""Median characters of a message."""
SHORT_REMARKS = ("Ok.", "Go on.", "*nods*", "And then?")
SHORT_SHARE = 0.03
MAIN_SHARE = 0.4

CHANCES: Mapping[str, float] = {
    "event": 0.45,
    "change": 0.17,
    "character": 0.02,
    "location": 0.025,
    "thread": 0.02,
    "rule": 0.01,
    "pov": 0.03,
}
"""How likely each kind of news is in one turn."""

GROUP, NEWEST = 3, 6
"""How many events are condensed into one, and how many of the newest are never condensed."""
KEPT_FROM = 7
"""Importance from which an event is never condensed."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A user message with its reply, or the greeting alone. Operations cite their message of the turn.

    `upkeep` is what is done once the turn is read; its records have no place in the order yet.
    """

    messages: tuple[Message, ...]
    operations: tuple[Operation, ...] = ()
    upkeep: tuple[Upkeep, ...] = ()


class Story:
    """Tells one turn after the other; the same dice tell the same story."""

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice
        self._prose = Prose(dice)
        self._view: list[str] = []
        self._cast = [CHARACTER, USER]
        self._places = [self._prose.place()]
        self._threads: list[str] = []
        self._events: list[Node] = []
        self._turns = 0

    def greeting(self) -> Turn:
        """The first message, which introduces the main character and the first place."""
        greeting = self._say("assistant", CHARACTER, self._prose.text([CHARACTER], REPLY_LENGTH))
        return Turn(
            (greeting,),
            (
                self._create("character", "c", 0, name=CHARACTER, traits=self._prose.traits()),
                self._create("character", "u", 0, name=USER, traits=self._prose.traits()),
                self._create("location", "l", 0, name=self._places[0], state=self._prose.state()),
            ),
        )

    def turn(self) -> Turn:
        """The next user message and the reply to it."""
        self._turns += 1
        people = self._people()
        is_short = self._dice.random() < SHORT_SHARE
        said = self._dice.choice(SHORT_REMARKS) if is_short else self._prose.text(people, USER_LENGTH)
        asked = self._say("user", USER, said)
        reply = self._say("assistant", CHARACTER, self._prose.text(people, REPLY_LENGTH))
        news = [kind for kind, chance in CHANCES.items() if self._dice.random() < chance]
        operations = tuple(operation for kind in news for operation in self._tell(kind, people, reply.key))
        upkeep = (self._condense(),) if len(self._events) >= GROUP + NEWEST else ()
        return Turn((asked, reply), operations, upkeep)

    def _people(self) -> list[str]:
        """Who the turn is about: often the main character, else those who came in lately."""
        first, second = self._dice.sample(self._cast[-8:], 2)
        is_about_main = CHARACTER not in (first, second) and self._dice.random() < MAIN_SHARE
        return [CHARACTER, second] if is_about_main else [first, second]

    def _here(self) -> Target:
        return Target(type="location", name=self._places[-1])

    def _say(self, role: Role, name: str, text: str) -> Message:
        message = Message(message_key(role, text), role, name, text, len(self._view))
        self._view.append(message.key)
        return message

    def _tell(self, kind: str, people: list[str], key: str) -> Iterator[Operation]:
        """The operations for one piece of news; all cite the reply."""
        prose = self._prose
        match kind:
            case "event":
                yield from self._tell_event(people, key)
            case "change":
                fields = {"state": prose.state(), "goal": prose.clause("wants that").removeprefix("wants that ")}
                yield Operation("update", 1, fields=fields, target=_person(people[0]))
            case "character":
                self._cast.append(prose.name())
                yield self._create("character", "c", 1, name=self._cast[-1], traits=prose.traits(), state=prose.state())
                yield _link(Target(ref="c"), _person(people[0]), "related", 0.6)
            case "location":
                self._places.append(prose.place())
                yield self._create("location", "l", 1, name=self._places[-1], features=prose.thing())
            case "thread":
                title, summary = prose.clause(people[0]), prose.sentence(people[1])
                thread = self._create("thread", "t", 1, title=title, summary=summary, status="open")
                self._threads.append(content_node_id("thread", OBJECTIVE, thread.fields))
                yield thread
                yield _link(_person(people[0]), Target(ref="t"), "advances", 0.7)
            case "rule":
                yield self._create("rule", "r", 1, title=prose.thing(), constraint=prose.sentence("whoever comes"))
            case "pov":
                scope = Scope("pov", "character", people[0].casefold(), people[0])
                operation = self._create("pov_memory", "p", 1, summary=prose.sentence(people[1]), emotion=prose.state())
                yield replace(operation, scope=scope)
                yield _link(Target(ref="p"), _person(people[1]), "related", 0.5)

    def _tell_event(self, people: list[str], key: str) -> Iterator[Operation]:
        fields = {
            "title": self._prose.clause(people[0]),
            "summary": f"{self._prose.sentence(people[0])} {self._prose.sentence(people[1])}",
            "participants": ", ".join(people),
            "status": "ongoing",
        }
        importance = self._dice.choice((3, 4, 5, 5, 5, 6, 6, 7, 8))
        told = Operation("create", 1, "event", fields, importance, ref="e")
        if self._dice.random() < 0.15:
            told = replace(told, story_time=StoryTime(f"day {self._turns // 12}", "ongoing", "after"))
        yield told
        for person in people if self._dice.random() < 0.5 else people[:1]:
            yield _link(_person(person), Target(ref="e"), "involved_in", 0.7)
        if self._dice.random() < 0.5:
            yield _link(Target(ref="e"), self._here(), "occurred_at", 0.8)
        if self._threads and self._dice.random() < 0.3:
            yield _link(Target(ref="e"), Target(id=self._dice.choice(self._threads[-4:])), "advances", 0.5)
        if importance < KEPT_FROM:
            self._events.append(Node(content_node_id("event", OBJECTIVE, fields), "event", fields, (key,)))

    def _create(self, node_type: str, ref: str, cite: int, **fields: str) -> Operation:
        return Operation("create", cite, node_type, fields, self._dice.choice((None, 4, 6, 8)), ref=ref)

    def _condense(self) -> Upkeep:
        """Condense the oldest events; the newest stay as they are."""
        group, self._events = self._events[:GROUP], self._events[GROUP:]
        summary = " ".join(node.fields["summary"].partition(".")[0] + "." for node in group)
        fields = {"title": group[0].fields["title"], "summary": summary, "status": "resolved"}
        made = Target(ref="made")
        return Upkeep(
            Stamp(0),
            "compress",
            {node.id: node_digest(node) for node in group},
            anchor_of(self._view),
            (
                Operation("create", None, "event", fields, 6, ref="made"),
                *(Operation("archive", target=Target(id=node.id), to=made) for node in group),
            ),
        )


def _person(name: str) -> Target:
    return Target(type="character", name=name)


def _link(start: Target, end: Target, relation: str, strength: float) -> Operation:
    return Operation("link", 1, target=start, to=end, relation=relation, strength=strength)
