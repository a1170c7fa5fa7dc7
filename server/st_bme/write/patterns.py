"""A user's own patterns, run in time linear in the text: none can keep the server busy."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

try:
    import re2
except ImportError:  # no ready package for this system; what needs it is off
    re2 = None

MOST_PATTERNS = 100
LONGEST_PATTERN = 500
PROGRAM_BYTES = 1 << 20
"""What one pattern may take when compiled: counted repetitions multiply."""

_OPENING = {")": "(", "]": "[", "}": "{"}


class Pattern(Protocol):
    """A compiled pattern."""

    def search(self, text: str, /) -> object | None: ...


@dataclass(frozen=True, slots=True)
class Patterns:
    """Patterns that can be run, by their source, and the sources of those that cannot."""

    usable: tuple[tuple[str, Pattern], ...] = ()
    refused: tuple[str, ...] = ()

    def first_in(self, text: str) -> str:
        """The source of the first pattern that is found, or ""."""
        return next((source for source, pattern in self.usable if pattern.search(text)), "")


NO_PATTERNS = Patterns()


def is_available() -> bool:
    """Whether patterns can be run on this system at all."""
    return re2 is not None


def compile_patterns(setting: str) -> Patterns:
    """The patterns of a setting, one a line or several between commas; case does not matter.

    Look-around and references to groups are refused: they cannot be run in linear time.
    """
    sources = [part.strip() for line in setting.splitlines() for part in split_at_commas(line)]
    sources = list(dict.fromkeys(filter(None, sources)))
    usable, refused = [], sources[MOST_PATTERNS:]
    for source in sources[:MOST_PATTERNS]:
        pattern = _compile(source)
        if pattern is None:
            refused.append(source)
        else:
            usable.append((source, pattern))
    return Patterns(tuple(usable), tuple(refused))


def _compile(source: str) -> Pattern | None:
    if re2 is None or len(source) > LONGEST_PATTERN:
        return None
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.max_mem = PROGRAM_BYTES
    try:
        compiled: Pattern = re2.compile(source, options)
    except re2.error:
        return None
    return compiled


def split_at_commas(line: str) -> Iterator[str]:
    """The parts between commas; one inside a pair of brackets or behind a backslash belongs to its pattern."""
    inside = _inside_brackets(line)
    start = 0
    for match in re.finditer(r"\\.|,", line):
        if match[0] == "," and not any(match.start() in pair for pair in inside):
            yield line[start : match.start()]
            start = match.end()
    yield line[start:]


def _inside_brackets(line: str) -> Sequence[range]:
    """What each pair of brackets encloses; one without its partner encloses nothing."""
    pairs: list[range] = []
    opened: list[tuple[str, int]] = []
    for match in re.finditer(r"\\.|[()\[\]{}]", line):
        mark, place = match[0], match.start()
        if mark in _OPENING.values():
            opened.append((mark, place))
        elif mark in _OPENING and any(opening == _OPENING[mark] for opening, _ in opened):
            while opened[-1][0] != _OPENING[mark]:
                opened.pop()
            pairs.append(range(opened.pop()[1], place))
    return pairs
