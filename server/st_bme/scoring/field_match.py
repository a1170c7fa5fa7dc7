"""How well the fields of one memory answer a query by their wording."""

from collections.abc import Sequence
from dataclasses import dataclass

from st_bme.scoring.terms import fold, pairs, runs

_MAX_LENGTH = 600  # characters of a field or query that are looked at
_MIN_CONTAINED = 2  # shorter texts are contained in everything
_MIN_UNIT = 2


@dataclass(frozen=True, slots=True)
class _Grades:
    """Worth of a match: the same text, one inside the other, all units of the query shared."""

    equal: float
    contained: float
    shared: float


# Constants of the original ST-BME, whose recorded scores hold them.
_PRIMARY = _Grades(1.0, 0.92, 0.72)
_SECONDARY = _Grades(0.82, 0.68, 0.52)
_TOGETHER = _Grades(0.65, 0.55, 0.45)
_SHARE_PRIMARY, _SHARE_SECONDARY, _SHARE_TOGETHER = 0.75, 0.35, 0.2


def field_match(primary: Sequence[str], secondary: Sequence[str], queries: Sequence[str]) -> float:
    """Likeness of wording between a memory's fields and the parts of a query, 0..1.

    Args:
        primary: its name or title.
        secondary: its descriptive fields, each text apart.
        queries: texts that ask for it; the best one counts.
    Returns: the strongest of name, description and all together, or their weighted sum where that is more.
    Source: the original ST-BME's lexical score, reproduced to 1e-9.
    """
    asked = [text for text in map(_normal, queries) if text]
    names = [text for text in map(_normal, primary) if text]
    details = [text for text in map(_normal, secondary) if text]
    by_name = _best(names, asked, _PRIMARY)
    by_detail = _best(details, asked, _SECONDARY)
    together = _best([_normal(" ".join(names + details))] if names or details else [], asked, _TOGETHER)
    blended = _SHARE_PRIMARY * by_name + _SHARE_SECONDARY * by_detail + _SHARE_TOGETHER * together
    return min(1.0, max(by_name, 0.82 * by_detail, 0.7 * together, blended))


def _normal(text: str) -> str:
    return fold(" ".join(text.split())[:_MAX_LENGTH])


def _best(fields: Sequence[str], queries: Sequence[str], grades: _Grades) -> float:
    return max((_grade(field, query, grades) for field in fields for query in queries), default=0.0)


def _grade(field: str, query: str, grades: _Grades) -> float:
    if field == query:
        return grades.equal
    shorter, longer = sorted((field, query), key=len)
    if len(shorter) >= _MIN_CONTAINED and shorter in longer:
        return grades.contained
    asked = _units(query)
    return grades.shared * len(asked & _units(field)) / len(asked) if asked else 0.0


def _units(text: str) -> set[str]:
    """Words of two letters or more; of unspaced script the stretches and their pairs of characters."""
    units = set()
    for run in runs(text):
        if len(run.text) >= _MIN_UNIT:
            units.add(run.text)
        if run.is_unspaced:
            units.update(pairs(run.text))
    return units
