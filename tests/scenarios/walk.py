"""The actions of a chat as rules of a Hypothesis state machine. What a machine does after each is its own affair."""

from __future__ import annotations

import unittest
from collections.abc import Callable

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from scenarios.chat_model import Chat

STEP_LIMIT_S = 0.2
PLACE = st.integers(0, 99)
TEXT = st.integers(0, 999_999)
"""What is said; a machine makes words of the number with `say`."""


def _ends_with_reply(machine: ChatWalk) -> bool:
    return bool(machine.chat.lines) and machine.chat.last.role == "assistant"


def _has_swipes(machine: ChatWalk) -> bool:
    return bool(machine.chat.lines) and len(machine.chat.last.swipes) > 1


def _has_lines(machine: ChatWalk) -> bool:
    return bool(machine.chat.lines)


class ChatWalk(RuleBasedStateMachine):
    """Every action of SillyTavern on the lines of one chat."""

    chat: Chat

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[Chat] = []

    def say(self, number: int) -> str:
        """The text that a number stands for."""
        raise NotImplementedError

    def act(self, change: Callable[[], None]) -> None:
        """Do an action, and what follows from it."""
        raise NotImplementedError

    @rule(text=TEXT, reply=TEXT)
    def send(self, text: int, reply: int) -> None:
        said = self.say(text), self.say(reply)
        self.act(lambda: self.chat.send(*said))

    @precondition(_ends_with_reply)
    @rule(text=TEXT)
    def swipe(self, text: int) -> None:
        said = self.say(text)
        self.act(lambda: self.chat.swipe(said))

    @precondition(_has_swipes)
    @rule(number=PLACE)
    def swipe_to(self, number: int) -> None:
        self.act(lambda: self.chat.swipe_to(number))

    @precondition(_has_swipes)
    @rule()
    def delete_swipe(self) -> None:
        self.act(self.chat.delete_swipe)

    @precondition(_ends_with_reply)
    @rule(text=TEXT)
    def regenerate(self, text: int) -> None:
        said = self.say(text)
        self.act(lambda: self.chat.regenerate(said))

    @precondition(_ends_with_reply)
    @rule(text=TEXT)
    def go_on(self, text: int) -> None:
        said = self.say(text)
        self.act(lambda: self.chat.go_on(said))

    @precondition(_has_lines)
    @rule(place=PLACE, text=TEXT)
    def edit(self, place: int, text: int) -> None:
        said = self.say(text)
        self.act(lambda: self.chat.edit(place, said))

    @precondition(_has_lines)
    @rule(place=PLACE, count=st.sampled_from((1, 1, 1, 2, 3, 99)))
    def delete(self, place: int, count: int) -> None:
        self.act(lambda: self.chat.delete(place, count))

    @precondition(_has_lines)
    @rule(place=PLACE, to=PLACE)
    def move(self, place: int, to: int) -> None:
        self.act(lambda: self.chat.move(place, to))

    @precondition(_has_lines)
    @rule(place=PLACE)
    def duplicate(self, place: int) -> None:
        self.act(lambda: self.chat.duplicate(place))

    @precondition(_has_lines)
    @rule(place=PLACE)
    def hide(self, place: int) -> None:
        self.act(lambda: self.chat.hide(place))

    @rule()
    def keep_a_copy(self) -> None:
        self.kept.append(self.chat.copy())

    @precondition(lambda self: self.kept)
    @rule(number=PLACE)
    def restore_a_copy(self, number: int) -> None:
        lines = list(self.kept[number % len(self.kept)].lines)
        self.act(lambda: setattr(self.chat, "lines", lines))


def as_test(
    walk: type[RuleBasedStateMachine], *, share: float = 0.5, step_limit_s: float = STEP_LIMIT_S
) -> type[unittest.TestCase]:
    """The machine as a test: a share of the examples of the profile, and time for every step of them."""
    case, profile = walk.TestCase, settings.default
    case.settings = settings(max_examples=int(profile.max_examples * share))
    limit_s = case.settings.max_examples * profile.stateful_step_count * step_limit_s
    return pytest.mark.timeout(limit_s)(case)
