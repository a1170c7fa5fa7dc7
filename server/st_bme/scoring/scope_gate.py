"""Whose memory it is and where it belongs, seen from who speaks and where the scene is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

_Ints = npt.NDArray[np.int64]
_Mask = npt.NDArray[np.bool_]


class Bucket(IntEnum):
    """Kinds of memories for one who speaks at one place."""

    OWN_VIEW = 0
    USER_VIEW = 1
    OTHER_VIEW = 2
    HERE = 3
    NEAR_HERE = 4
    ANYWHERE = 5


BUCKET_WEIGHTS = np.array([1.25, 1.05, 0.6, 1.15, 0.9, 0.75])
"""By bucket; the original ST-BME's. It sorts by bucket first; here they only multiply."""


class Coded:
    """Texts as numbers, so that comparing thousands of them takes microseconds."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._code_of: dict[str, int] = {}
        self._starting: dict[str, _Mask] = {}
        self.codes: _Ints = np.array([self._code_of.setdefault(text, len(self._code_of)) for text in texts], np.int64)

    def __contains__(self, text: str) -> bool:
        return text in self._code_of

    def equal(self, *texts: str) -> _Mask:
        """(n,) True where a text is one of these."""
        wanted = [self._code_of[text] for text in texts if text in self._code_of]
        if len(wanted) > 2:
            return np.isin(self.codes, wanted)
        found = np.zeros(self.codes.shape, np.bool_)
        for code in wanted:
            found |= self.codes == code
        return found

    def starting(self, start: str) -> _Mask:
        """(n,) True where a text begins so; found once."""
        if start not in self._starting:
            self._starting[start] = self.equal(*(text for text in self._code_of if text.startswith(start)))
        return self._starting[start]


@dataclass(frozen=True, slots=True)
class Scopes:
    """Owners and regions of n memories, folded."""

    owners: Coded  # (n,) "" for what is nobody's view, "?" for a view without an owner
    regions: Coded  # (n,) "" for what belongs everywhere
    touching_rows: _Ints  # (m,) a row for each further region that a memory lies in or touches
    touching_regions: Coded  # (m,)


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """Who speaks and where. An owner that is "" is not known, and everyone's view of that kind may be theirs."""

    character: str = ""
    user: str = ""
    region: str = ""
    beside: tuple[str, ...] = ()


def scope_buckets(scopes: Scopes, viewpoint: Viewpoint) -> _Ints:
    """(n,) bucket of each memory."""
    owners, regions = scopes.owners, scopes.regions
    buckets = np.full(owners.codes.shape, Bucket.ANYWHERE, np.int64)
    # What is asked last decides.
    if viewpoint.region:
        touching = scopes.touching_regions.equal(viewpoint.region, *viewpoint.beside)
        buckets[scopes.touching_rows[touching]] = Bucket.NEAR_HERE
        buckets[regions.equal(*viewpoint.beside)] = Bucket.NEAR_HERE
        buckets[regions.equal(viewpoint.region)] = Bucket.HERE
    buckets[~owners.equal("")] = Bucket.OTHER_VIEW
    buckets[owners.equal(viewpoint.user) if viewpoint.user else owners.starting("user:")] = Bucket.USER_VIEW
    is_own = owners.equal(viewpoint.character) if viewpoint.character else owners.starting("character:")
    buckets[is_own] = Bucket.OWN_VIEW
    return buckets
