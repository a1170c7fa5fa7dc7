"""Sentences of a message put together so that a reader sees who says or does what."""

from __future__ import annotations

import re
from collections.abc import Sequence

from st_bme.write.heuristics.chinese import names_someone_first
from st_bme.write.heuristics.chinese_words import ACTING as ACTING_CHINESE
from st_bme.write.heuristics.chinese_words import SCENE_OPENING
from st_bme.write.heuristics.english_words import FUNCTION_WORDS, SCENE_OPENINGS
from st_bme.write.heuristics.quote_marks import balanced
from st_bme.write.heuristics.sentences import HAN, Sentence

_HAN_CHARACTER = re.compile(f"[{HAN}]")
_ENDS = '.!?…。！？"”’」』'
_JOINTS = " ,;:—–-，；："
_DOES = re.compile(r"(?!(?:his|this|its|is|was|yes|as|us|always|perhaps)\b)[a-z]+s\b")
_SOMEONE_DOES = re.compile(r"[A-Z][\w'’-]+ (?P<more>(?:[A-Z][\w'’-]+ )*)[a-z]+s\b")
_FIRST_PERSON = re.compile(r"\b(?:I|me|my|we|us|our)\b|我")
_PRONOUN = re.compile("^[她他](?!们)")
_LEAVES_OUT_WHO = re.compile(f"{_PRONOUN.pattern}|{ACTING_CHINESE}")


def told_by(speaker: str, sentences: Sequence[Sentence]) -> str:
    """The sentences in one line, with who says or does it in front, unless they begin with that."""
    first = sentences[0]
    is_chinese = bool(_HAN_CHARACTER.search(first.text))
    text = _join([balanced(sentence.text) for sentence in sentences], is_chinese=is_chinese)
    if not speaker or _has_subject(first, speaker, is_chinese=is_chinese):
        return text
    return _chinese(speaker, first, text) if is_chinese else _english(speaker, first, text)


def _has_subject(sentence: Sentence, speaker: str, *, is_chinese: bool) -> bool:
    """True for a sentence that begins with the speaker's name, and for a stage direction about someone else."""
    text = sentence.text
    if text.startswith(speaker):
        return True
    if not sentence.is_action or _FIRST_PERSON.search(text):
        return False
    if is_chinese:
        return not _LEAVES_OUT_WHO.match(text) and (bool(SCENE_OPENING.match(text)) or names_someone_first(text))
    first = text.split(" ", 1)[0]
    if first in speaker.split(" ") or first in SCENE_OPENINGS:
        return True
    someone = _SOMEONE_DOES.match(text)
    is_name = not first.endswith("ly") and first.lower() not in FUNCTION_WORDS
    return someone is not None and (is_name or someone["more"] != "")


def _english(speaker: str, first: Sentence, text: str) -> str:
    does = first.is_action and _DOES.match(text)
    return f"{speaker} {text}" if does else f"{speaker}: {text}"


def _chinese(speaker: str, first: Sentence, text: str) -> str:
    if first.is_action and not _FIRST_PERSON.search(first.text) and _LEAVES_OUT_WHO.match(text):
        return speaker + _PRONOUN.sub("", text)
    return f"{speaker}：{text}"


def _join(sentences: Sequence[str], *, is_chinese: bool) -> str:
    """Sentences in one line, each but the last with an end; that one where it announces what is left out."""
    end, blank = ("。", "") if is_chinese else (".", " ")
    is_open = [text[-1] not in _ENDS for text in sentences[:-1]] + [sentences[-1][-1] in ":："]
    closed = [text.rstrip(_JOINTS) + end if opens else text for text, opens in zip(sentences, is_open, strict=True)]
    return blank.join(closed)
