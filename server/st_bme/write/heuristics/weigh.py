"""How much news a sentence carries, and the few sentences that stand for a message."""

from __future__ import annotations

import re
from collections.abc import Sequence

from st_bme.write.heuristics.chinese_words import FUNCTION_CHARACTERS
from st_bme.write.heuristics.chinese_words import WEIGHTY as WEIGHTY_CHINESE
from st_bme.write.heuristics.english_words import FUNCTION_WORDS
from st_bme.write.heuristics.english_words import WEIGHTY as WEIGHTY_ENGLISH
from st_bme.write.heuristics.sentences import HAN, Sentence

SUMMARY_LENGTH = 200
"""Characters of an event's summary at most, its speaker included."""

ENOUGH = 3.0
"""A sentence that weighs less is small talk."""

_ENGLISH_WORD = re.compile(r"[A-Za-zà-ÿ][A-Za-zà-ÿ'’-]*")
_NAME_INSIDE = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+")
_NUMBER = re.compile(
    r"\d+(?:[.,:]\d+)*|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|hundred|thousand)\b"
    r"|[一二三四五六七八九十百千万]{2,}"
)
_ABOUT_ONESELF = re.compile(
    r"\b(?:my|our|I['’]m|I am|I was|I have|I['’]ve|I (?:live|work|study|love|like|hate|prefer|grew|used to)|we are)\b"
    r"|我(?:叫|是|的|在|有|喜欢|讨厌|爱|住|来自|想要|打算|决定)"
)
_CONTENT_CHARACTER = re.compile(rf"(?![{FUNCTION_CHARACTERS}])[{HAN}]")
_QUESTION_END = ("?", "？", "吗", "呢")
_CONTENT_CAP = 12.0
_CHARACTERS_A_WORD = 1.6
_SHORTEST_WORD = 3
_ACTION_SHARE = 0.7
"""What is said tells more than how it is said."""

_CLAUSE_END = re.compile(r"[,;:—–，；：、…]|\s-\s")
_SENTENCES_IN_SUMMARY = 3


def weigh_sentence(sentence: Sentence) -> float:
    """News in a sentence: its content words, names, numbers, facts about oneself; a question has half."""
    text = sentence.text
    content = {word.lower() for word in _ENGLISH_WORD.findall(text)} - FUNCTION_WORDS
    han = len(_CONTENT_CHARACTER.findall(text))
    weight = min(_CONTENT_CAP, sum(len(word) >= _SHORTEST_WORD for word in content) + han / _CHARACTERS_A_WORD)
    weight += 1.5 * min(3, len(_NAME_INSIDE.findall(text)))
    weight += min(3, len(_NUMBER.findall(text)))
    weight += 1.5 * bool(_ABOUT_ONESELF.search(text))
    weight += 2.0 * is_weighty(text)
    if text.endswith(_QUESTION_END):
        return weight / 2
    return weight * _ACTION_SHARE if sentence.is_action else weight


def is_weighty(text: str) -> bool:
    """True if the text holds a word of a turning point."""
    if any(word in text for word in WEIGHTY_CHINESE):
        return True
    return not WEIGHTY_ENGLISH.isdisjoint(word.lower() for word in _ENGLISH_WORD.findall(text))


def choose_sentences(sentences: Sequence[Sentence], weights: Sequence[float], room: int) -> list[Sentence]:
    """The weightiest sentence and what else of weight fits beside it, in the order of the message."""
    ranked = sorted(range(len(sentences)), key=lambda index: (-weights[index], index))
    chosen: list[int] = []
    for index in ranked[:_SENTENCES_IN_SUMMARY]:
        length = len(sentences[index].text) + 1
        if not chosen or (weights[index] >= ENOUGH and length <= room):
            chosen.append(index)
            room -= length
    return [sentences[index] for index in sorted(chosen)]


def shorten(text: str, length: int) -> str:
    """The text cut to a length, at the end of a clause if one ends in its second half, else of a word."""
    if len(text) <= length:
        return text
    head = text[: length - 1]
    ends = [match.start() for match in _CLAUSE_END.finditer(head) if match.start() >= length // 2]
    if ends:
        return head[: ends[-1]].rstrip() + "…"
    space = head.rfind(" ")
    return (head[:space] if space >= length // 2 else head).rstrip() + "…"
