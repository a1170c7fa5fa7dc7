"""What one who speaks can know of each memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from st_bme.scoring.scope_gate import Bucket

_Floats = npt.NDArray[np.float64]
_Mask = npt.NDArray[np.bool_]

# How much of a memory must be known, by bucket: the farther it is, the more. The original ST-BME's.
_THRESHOLDS = np.array([0.18, 0.18, 0.18, 0.34, 0.42, 0.56])
_SURE = 1.18
_LEAST, _BASE, _GAIN = 0.35, 0.55, 0.6


@dataclass(frozen=True, slots=True)
class Knowing:
    """How somebody stands to each of n memories."""

    is_sure: _Mask  # their own view, themselves, or said to be known
    is_barred: _Mask  # hidden from them, or they believe something else
    visibility: _Floats  # 0..1, how much of it they know
    is_free: _Mask  # nothing was said of who knows it, nor who was there: everyone may


def knowledge_weights(knowing: Knowing, buckets: npt.NDArray[np.int64]) -> tuple[_Floats, _Mask]:
    """Weight of each memory for them, and which they know of.

    Nothing is known for being like what is asked: likeness tells nobody a secret.

    Args:
        buckets: (n,) of `scope_buckets`.
    Returns: (n,) weights around 1 and (n,) True where known.
    """
    seen = np.flatnonzero(knowing.visibility > 0)  # few: no threshold is 0
    seen = seen[knowing.visibility[seen] >= _THRESHOLDS[buckets[seen]]]
    weights = np.ones(buckets.size)
    weights[seen] = np.maximum(_LEAST, _BASE + _GAIN * knowing.visibility[seen])
    weights[knowing.is_sure] = _SURE
    is_known = knowing.is_sure | (knowing.is_free & (buckets > Bucket.OTHER_VIEW))
    is_known[seen] = True
    return weights, is_known & ~knowing.is_barred
