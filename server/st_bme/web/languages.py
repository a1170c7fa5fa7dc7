"""The language of the pages that a person looks at: as the address says, else as the browser asks for."""

from __future__ import annotations

from typing import Literal, TypeAlias

Language: TypeAlias = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")


def language_of(chosen: str, accepted: str) -> Language:
    """The language that was chosen, else the first one of ours that is asked for; English where none is.

    Args:
        chosen: what the address says, "" for nothing.
        accepted: the header Accept-Language, as in `zh-CN,zh;q=0.9,en;q=0.8`; what is no such header asks for nothing.
    """
    for wanted in (chosen, *_by_preference(accepted)):
        for language in LANGUAGES:
            if wanted.partition("-")[0] == language:
                return language
    return "en"


def _by_preference(accepted: str) -> list[str]:
    ranges = [_weighed(part) for part in accepted.lower().split(",")]
    return [tag for weight, tag in sorted(ranges, key=lambda entry: -entry[0]) if weight > 0]


def _weighed(part: str) -> tuple[float, str]:
    tag, _, parameter = part.partition(";")
    name, _, value = parameter.partition("=")
    if not name.strip():
        return 1.0, tag.strip()
    try:
        weight = float(value)
    except ValueError:
        weight = 0.0
    return (weight if 0 <= weight <= 1 else 0.0), tag.strip()
