"""Ascending numbers as [first, last] pairs: what follows one another costs no more than one number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from st_bme.errors import CorruptState
from st_bme.graph.json_reader import Json

HIGHEST_NUMBER = 10_000_000


def to_ranges(numbers: Iterable[int]) -> list[Json]:
    """Ascending numbers as [first, last] pairs."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return [[first, last] for first, last in ranges]


def from_ranges(ranges: Sequence[Json], key: str, most: int) -> tuple[int, ...]:
    """The numbers, `most` of them at most; `key` names the list in errors. Raises CorruptState."""
    numbers: list[int] = []
    for pair in ranges:
        match pair:
            case [int(first), int(last)] if max([-1, *numbers[-1:]]) < first <= last <= HIGHEST_NUMBER:
                if len(numbers) + last - first >= most:  # before they are made: a pair can name millions
                    raise CorruptState(f"state: {key!r} names more than the {most} that there are")
                numbers.extend(range(first, last + 1))
            case _:
                raise CorruptState(f"state: {key!r} has {pair!r}, which is no pair of numbers in ascending order")
    return tuple(numbers)
