"""Whether what was said is worth reading at once, before as many replies are pending as usual."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from st_bme.model.message import Message
from st_bme.write.patterns import NO_PATTERNS, Patterns
from st_bme.write.trigger_words import CHINESE, CHINESE_ENTITY_ENDINGS, ENGLISH

DEFAULT_THRESHOLD = 2
MOST_KEYWORD_POINTS = 2
PATTERN_POINTS = 2
ALTERNATIONS = 2
"""Changes of speaker from which on it is an exchange and no monologue."""

EMPHASES = 2
LONGEST_TEXT = 50_000
"""Characters: of more, the end decides."""

ReasonKind = Literal["keywords", "pattern", "alternation", "emphasis", "entity"]

_SHOWN_KEYWORDS = 3
_ENGLISH = {lemma: re.compile(rf"\b(?:{'|'.join(forms)})\b", re.IGNORECASE) for lemma, forms in ENGLISH.items()}
_EMPHASIS = re.compile(r"[!?！？]")
# A capital at the beginning of a sentence names nobody.
_NAME = re.compile(r"""[^\W_][,;:'"”’)]*[ \t]+["'“‘(]*[A-Z][a-z]{2,}""")
_CHINESE_ENTITY = re.compile(rf"[\u4e00-\u9fa5]{{2,6}}(?:{CHINESE_ENTITY_ENDINGS})")


@dataclass(frozen=True, slots=True)
class Reason:
    """One sign, with the points that it gives and the words that show it."""

    kind: ReasonKind
    points: int
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TriggerScore:
    """How much speaks for reading at once, and what."""

    reasons: tuple[Reason, ...]

    @property
    def points(self) -> int:
        return sum(reason.points for reason in self.reasons)

    def fires(self, threshold: int = DEFAULT_THRESHOLD) -> bool:
        return self.points >= max(1, threshold)


def score_trigger(pending: Sequence[Message], patterns: Patterns = NO_PATTERNS) -> TriggerScore:
    """Points for what pending messages say: at most 7."""
    told = [message for message in pending if message.text.strip()]
    return TriggerScore(tuple(_reasons(told, patterns)))


def _reasons(told: Sequence[Message], patterns: Patterns) -> Iterator[Reason]:
    text = "\n".join(message.text for message in told)[-LONGEST_TEXT:]
    keywords = [word for word in CHINESE if word in text]
    keywords += [lemma for lemma, forms in _ENGLISH.items() if forms.search(text)]
    if keywords:
        yield Reason("keywords", min(MOST_KEYWORD_POINTS, len(keywords)), tuple(keywords[:_SHOWN_KEYWORDS]))
    if found := patterns.first_in(text):
        yield Reason("pattern", PATTERN_POINTS, (found,))
    if sum(before.role != after.role for before, after in pairwise(told)) >= ALTERNATIONS:
        yield Reason("alternation", 1)
    if len(_EMPHASIS.findall(text)) >= EMPHASES:
        yield Reason("emphasis", 1)
    if _NAME.search(text) or _CHINESE_ENTITY.search(text):
        yield Reason("entity", 1)
