"""How alive a memory is: how lately and how often it was used, and what it is worth.

Ages are in days, or in the unit that stands for days. Source: the seed that brought a lifecycle into vector memory
(docs/algorithms.md, lifecycle); its tiers were stored, ours follow from the uses alone.
"""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

_Floats = npt.NDArray[np.float64]
_Ints = npt.NDArray[np.int64]

STALE = 0.3
"""A composite below this is what may be forgotten first."""

_SHARES = (0.4, 0.3, 0.3)  # of recency, frequency and worth
_HALF_LIFE = 30.0
_HALF_LIFE_GROWTH = 1.5  # the most important live exp(1.5) times as long
_CHANGING_SHARE = 3.0  # what is kept up to date is old in a third of the time
_SATURATION = 5.0  # uses
_GAP = 30.0
_LEAST_WEIGHT = 0.3
_FULL_IMPORTANCE = 10.0
_OLD = 60.0
_FADED = 0.15
_FEW_USES, _MANY_USES = 3, 10
_CORE_COMPOSITE, _CORE_WORTH = 0.7, 0.8


class Tier(IntEnum):
    """How much a memory is in use; a higher one fades more slowly."""

    PERIPHERAL = 0
    WORKING = 1
    CORE = 2


_SHAPES = np.array([1.3, 1.0, 0.8])  # by tier: of the stretched exponential
_FLOORS = np.array([0.5, 0.7, 0.9])  # by tier: what the composite counts at least when a result is weighed


@dataclass(frozen=True, slots=True)
class Lives:
    """What is known of n memories; every array is (n,)."""

    importances: _Floats  # 0..10
    uses: _Ints  # how often each was recalled
    told: _Floats  # age since it was told
    used: _Floats  # age since it was recalled last; that since it was told where it never was
    is_changing: npt.NDArray[np.bool_]  # kept up to date, as a state is


def recency(lives: Lives, tiers: _Ints) -> _Floats:
    """(n,) in 0..1: exp(-ln 2 · (age / half-life) ^ shape of the tier), the age since the last use."""
    half_lives = _HALF_LIFE * np.exp(_HALF_LIFE_GROWTH * lives.importances / _FULL_IMPORTANCE)
    half_lives = np.where(lives.is_changing, half_lives / _CHANGING_SHARE, half_lives)
    fading: _Floats = np.exp(-np.log(2) * (np.maximum(lives.used, 0) / half_lives) ** _SHAPES[tiers])
    return fading


def frequency(lives: Lives) -> _Floats:
    """(n,) in 0..1: 1 - exp(-uses/5); of more than one use down to half of it, the longer the gaps between them."""
    saturated = 1 - np.exp(-lives.uses / _SATURATION)
    gaps = np.maximum(1.0, lives.told - lives.used) / np.maximum(lives.uses - 1, 1)
    rhythm = np.where(lives.uses > 1, 0.5 + 0.5 * np.exp(-gaps / _GAP), 1.0)
    often: _Floats = saturated * rhythm
    return often


def composite(lives: Lives, tiers: _Ints) -> _Floats:
    """(n,) in 0..1: 0.4 recency, 0.3 frequency, 0.3 importance."""
    return _composed(recency(lives, tiers), lives)


def tiers_of(lives: Lives) -> _Ints:
    """(n,) the tier of each memory.

    It rises by its uses, as it stood when it was used last, and falls with the time that has passed since: a memory
    begins as working; the core are those of ten uses with an importance of 8 and a composite of 0.7. What was told
    over 60 days ago and used less than three times, or has a composite below 0.15, is peripheral until it is used.
    """
    at_use = _composed(np.ones_like(lives.used), lives)
    is_core = (lives.uses >= _MANY_USES) & (at_use >= _CORE_COMPOSITE)
    is_core &= lives.importances >= _CORE_WORTH * _FULL_IMPORTANCE
    working = np.full(lives.uses.shape, Tier.WORKING)
    is_few = lives.uses < _FEW_USES
    is_faded = (composite(lives, working) < _FADED) | ((lives.told > _OLD) & is_few)
    tiers: _Ints = np.where(is_core, Tier.CORE, np.where(is_faded, Tier.PERIPHERAL, Tier.WORKING)).astype(np.int64)
    return tiers


def lifecycle_weights(lives: Lives) -> _Floats:
    """(n,) in 0.3..1: what the score of a memory is multiplied by.

    0.3 + 0.7 of the composite, but no less than recency alone and the floor of the tier: what is new has no uses yet.
    """
    tiers = tiers_of(lives)
    fresh = recency(lives, tiers)
    alive = np.maximum(np.maximum(_FLOORS[tiers], fresh), _composed(fresh, lives))
    weights: _Floats = np.clip(_LEAST_WEIGHT + (1 - _LEAST_WEIGHT) * alive, _LEAST_WEIGHT, 1.0)
    return weights


def _composed(fresh: _Floats, lives: Lives) -> _Floats:
    parts = (fresh, frequency(lives), lives.importances / _FULL_IMPORTANCE)
    total: _Floats = sum((share * part for share, part in zip(_SHARES, parts, strict=True)), np.zeros_like(fresh))
    return total
