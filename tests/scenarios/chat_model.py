"""A chat in memory with the actions of SillyTavern: what the oracles walk over."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from st_bme.history.keys import message_key
from st_bme.model.message import Message, Role


@dataclass(frozen=True)
class Line:
    """A message with its swipes."""

    role: Role
    swipes: tuple[str, ...]
    active: int = 0
    hidden: bool = False

    @property
    def text(self) -> str:
        return self.swipes[self.active]

    def saying(self, text: str) -> Line:
        """The line with another text in its active swipe."""
        swipes = (*self.swipes[: self.active], text, *self.swipes[self.active + 1 :])
        return replace(self, swipes=swipes)


@dataclass
class Chat:
    """The chat array. Places count modulo its length, so that any number names one."""

    lines: list[Line] = field(default_factory=list)

    def copy(self, length: int | None = None) -> Chat:
        return Chat(self.lines[:length])

    @property
    def last(self) -> Line:
        return self.lines[-1]

    def send(self, text: str, reply: str) -> None:
        self.lines += [Line("user", (text,)), Line("assistant", (reply,))]

    def swipe(self, text: str) -> None:
        """Generate one more swipe of the last reply."""
        swipes = (*self.last.swipes, text)
        self.lines[-1] = replace(self.last, swipes=swipes, active=len(swipes) - 1)

    def swipe_to(self, number: int) -> None:
        self.lines[-1] = replace(self.last, active=number % len(self.last.swipes))

    def swipe_back(self) -> None:
        self.swipe_to(self.last.active - 1)

    def delete_swipe(self) -> None:
        """Delete the active swipe; the one before it, or else the first, is active then."""
        swipes = self.last.swipes[: self.last.active] + self.last.swipes[self.last.active + 1 :]
        self.lines[-1] = replace(self.last, swipes=swipes, active=max(0, self.last.active - 1))

    def regenerate(self, text: str) -> None:
        """Delete the last reply and generate another."""
        self.lines[-1] = Line("assistant", (text,))

    def go_on(self, more: str) -> None:
        """Continue: the text of the last reply grows."""
        self.lines[-1] = self.last.saying(f"{self.last.text} {more}")

    def edit(self, place: int, text: str) -> None:
        place %= len(self.lines)
        self.lines[place] = self.lines[place].saying(text)

    def delete(self, place: int, count: int = 1) -> None:
        place %= len(self.lines)
        del self.lines[place : place + count]

    def move(self, place: int, to: int) -> None:
        line = self.lines.pop(place % len(self.lines))
        self.lines.insert(to % (len(self.lines) + 1), line)

    def duplicate(self, place: int) -> None:
        place %= len(self.lines)
        self.lines.insert(place, self.lines[place])

    def hide(self, place: int) -> None:
        """Hide a message, or show it again."""
        place %= len(self.lines)
        self.lines[place] = replace(self.lines[place], hidden=not self.lines[place].hidden)

    def messages(self, *, include_hidden: bool = True) -> list[Message]:
        """The messages that count."""
        return [_message(line, floor) for floor, line in enumerate(self.lines) if include_hidden or not line.hidden]

    def texts(self) -> list[str]:
        """What the file says: hidden messages too, and the swipes of the last one."""
        return [line.text for line in self.lines] + [text for line in self.lines[-1:] for text in line.swipes]


def _message(line: Line, floor: int) -> Message:
    return Message(message_key(line.role, line.text), line.role, "", line.text, floor)
