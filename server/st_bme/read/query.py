"""What a recall asks for: the user's words first, what was said before them with less weight."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from st_bme.scoring.terms import fold

PartKind = Literal["user", "assistant", "previous_user"]
Triviality = Literal["", "empty", "slash-command", "greeting", "acknowledgement"]

MAX_SEGMENTS = 4
MIN_SEGMENT_LENGTH = 3
PREVIOUS_LENGTH = 800  # characters: of what was said before, the end is what goes on

_WEIGHT_DECIMALS = 3
_SEPARATOR = re.compile(r"[，,。.；;！!？?\n]|顺便|另外|还有|对了|然后|而且|并且|同时")
_NO_WORD = re.compile(r"[\W_]+")


def _listed(phrases: str) -> frozenset[str]:
    return frozenset(phrase.strip() for phrase in phrases.split(","))


_GREETINGS = _listed("""
hi, hello, hey, hiya, howdy, yo, greetings, hi there, hello there, hey there, good morning, good afternoon,
good evening, good night, hallo, hola, bonjour, привет, こんにちは, 안녕, 你好, 您好, 嗨, 哈喽, 早, 早安, 早上好,
下午好, 晚上好, 晚安, 在吗
""")
_ACKNOWLEDGEMENTS = _listed("""
ok, okay, k, yes, yeah, yep, yup, no, nope, nah, sure, fine, alright, right, thanks, thank you, thx, ty, got it,
i see, cool, nice, great, good, lol, haha, hm, hmm, mhm, go on, go ahead, continue, please continue, next, more,
ja, nein, danke, да, нет, はい, 好, 好的, 好吧, 行, 可以, 嗯, 嗯嗯, 哦, 是, 是的, 对, 对的, 不, 不是, 谢谢, 多谢,
明白, 明白了, 知道了, 收到, 继续, 请继续, 接着说, 然后呢, 哈哈, 没事
""")


@dataclass(frozen=True, slots=True)
class QueryPart:
    """One text of a query with its share; the shares of a query add up to 1."""

    kind: PartKind
    text: str
    weight: float


@dataclass(frozen=True, slots=True)
class BlendWeights:
    """Shares of what was said before; the rest is the user's own."""

    assistant: float = 0.2
    previous_user: float = 0.1


def blend(
    text: str, previous_assistant: str, previous_user: str, *, weights: BlendWeights = BlendWeights()
) -> tuple[QueryPart, ...]:
    """The parts of a query, the user's text first; without an own text the others stand for it.

    Blanks are collapsed, and of what was said before only the end is taken. A text that says the same as an earlier
    one, apart from case, is left out, and the shares of those that remain are brought to a sum of 1.
    """
    own = max(0.0, 1 - weights.assistant - weights.previous_user)
    offered: list[tuple[PartKind, str, float]] = [
        ("user", text, own),
        ("assistant", previous_assistant, weights.assistant),
        ("previous_user", previous_user, weights.previous_user),
    ]
    kept: dict[str, tuple[PartKind, str, float]] = {}
    for kind, offer, weight in offered:
        plain = " ".join(offer.split())
        if kind != "user" and len(plain) > PREVIOUS_LENGTH:
            plain = plain[-PREVIOUS_LENGTH:].partition(" ")[2] or plain[-PREVIOUS_LENGTH:]
        if plain:
            kept.setdefault(plain.lower(), (kind, plain, weight))
    total = sum(weight for _, _, weight in kept.values())
    if total <= 0:  # weights of nothing but 0: each text counts alike
        return tuple(QueryPart(kind, plain, round(1 / len(kept), _WEIGHT_DECIMALS)) for kind, plain, _ in kept.values())
    return tuple(QueryPart(kind, plain, round(share / total, _WEIGHT_DECIMALS)) for kind, plain, share in kept.values())


def intent_segments(
    text: str, *, max_segments: int = MAX_SEGMENTS, min_length: int = MIN_SEGMENT_LENGTH
) -> tuple[str, ...]:
    """The things that a text asks one after the other: its clauses of some length, the first few."""
    clauses = (clause.strip() for clause in _SEPARATOR.split(text))
    return tuple(clause for clause in clauses if len(clause) >= min_length)[:max_segments]


def triviality(text: str) -> Triviality:
    """Why a text asks for no memory of its own, "" if it may."""
    plain = text.strip()
    if not plain:
        return "empty"
    if plain.startswith("/"):
        return "slash-command"
    words = _NO_WORD.sub(" ", fold(plain)).strip()
    if words in _GREETINGS:
        return "greeting"
    if words in _ACKNOWLEDGEMENTS:
        return "acknowledgement"
    return ""
