"""Whose memory it is and where it belongs, seen from who speaks and where the scene is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

_Ints = npt.NDArray[np.int64]
_Texts = npt.NDArray[np.str_]


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


@dataclass(frozen=True, slots=True)
class Scopes:
    """Owners and regions of n memories, folded."""

    owners: _Texts  # (n,) "" for what is nobody's view, "?" for a view without an owner
    regions: _Texts  # (n,) "" for what belongs everywhere
    touching_rows: _Ints  # (m,) a row for each further region that a memory lies in or touches
    touching_regions: _Texts  # (m,)


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
    is_character = np.char.startswith(owners, "character:")
    is_user = np.char.startswith(owners, "user:")
    touches = np.zeros(owners.shape, np.bool_)
    touches[scopes.touching_rows[np.isin(scopes.touching_regions, [viewpoint.region, *viewpoint.beside])]] = True
    has_place = viewpoint.region != ""
    return np.select(
        [
            is_character & ((owners == viewpoint.character) | (viewpoint.character == "")),
            is_user & ((owners == viewpoint.user) | (viewpoint.user == "")),
            owners != "",
            has_place & (regions == viewpoint.region),
            has_place & (np.isin(regions, viewpoint.beside) | touches),
        ],
        [Bucket.OWN_VIEW, Bucket.USER_VIEW, Bucket.OTHER_VIEW, Bucket.HERE, Bucket.NEAR_HERE],
        Bucket.ANYWHERE,
    ).astype(np.int64)
