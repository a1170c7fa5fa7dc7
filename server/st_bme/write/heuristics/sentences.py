"""A message as sentences: no markup, no links, stage directions told apart from speech."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

HAN = "\u3400-\u4dbf\u4e00-\u9fff"

_MARKUP = re.compile(
    r"<[^<>\n]{1,200}>|!\[[^\[\]\n]{0,200}\]\([^()\n]{0,500}\)|^[ \t]*(?:#{1,6}|>)[ \t]+", re.MULTILINE
)
_ADDRESS = re.compile(r"\bhttps?://\S+")
_LINK = re.compile(r"\[([^\[\]\n]{1,200})\]\([^()\n]{0,500}\)")
_OUT_OF_CHARACTER = re.compile(r"[(\[（]{1,2}\s*OOC\b[^()\[\]（）]{0,1000}[)\]）]{1,2}", re.IGNORECASE)
_STARRED = re.compile(r"(?<!\*)\*+([^*\n]+)\*+")
_BRACKETED = re.compile(r"[（(]([^（()）\n]+)[）)]")
_EMPHASIS = re.compile(r"[*`~]+|(?<!\w)_+|_+(?!\w)")
_END = re.compile(
    r"(?<=[.!?…])(?<!\bMr\.)(?<!\bMs\.)(?<!\bDr\.)(?<!\bSt\.)(?<!\bMrs\.)[\"'”’)\]]*\s+(?=[\"“'‘(\[]?[A-Z0-9])"
    r"|(?<=[。！？…!?])[”」』’）]*(?=[^”」』’）。！？…!?])"
    r"|\n+"
)
_EMPHASISED_WORDS = 2
"""Up to so many words between stars are stressed; more are a stage direction."""

_SENTENCE_ENDS = ("", *'.!?…:"”。！？')
_QUOTES = '"“”「」『』 \t'


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence without quotes around it. An action is a stage direction: what is done, without its subject."""

    text: str
    is_action: bool = False


def plain_text(text: str) -> str:
    """The text without markup, links and asides of the players."""
    text = _MARKUP.sub("", text)
    text = _ADDRESS.sub("", _LINK.sub(r"\1", text))
    return _OUT_OF_CHARACTER.sub("", text)


def split_sentences(text: str) -> list[Sentence]:
    """Sentences of a plain text, in order."""
    return [sentence for part, is_action in _parts(text) for sentence in _sentences_of(part, is_action=is_action)]


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """Speech and stage directions in turn."""
    pattern = _STARRED if "*" in text else _BRACKETED
    said = ""
    position = 0
    for match in pattern.finditer(text):
        said += text[position : match.start()]
        position = match.end()
        if _is_stage_direction(match, starred="*" in text):
            yield said, False
            yield match[1], True
            said = ""
        else:
            said += match[1] if pattern is _STARRED else match[0]
    yield said + text[position:], False


def _is_stage_direction(match: re.Match[str], *, starred: bool) -> bool:
    if not starred:
        return match[0][0] == "（"
    stands_alone = match.string[: match.start()].rstrip()[-1:] in _SENTENCE_ENDS
    return stands_alone or len(match[1].split()) > _EMPHASISED_WORDS


def _sentences_of(text: str, *, is_action: bool) -> Iterator[Sentence]:
    for piece in _END.split(text):
        stripped = " ".join(_EMPHASIS.sub("", piece).split()).strip(_QUOTES)
        if stripped:
            yield Sentence(stripped, is_action)
