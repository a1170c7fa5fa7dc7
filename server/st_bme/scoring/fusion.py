"""Signals of different scales made comparable within one query."""

import math

import numpy as np
import numpy.typing as npt

_Floats = npt.NDArray[np.float64]
_NOISE = 1e-6  # relative; float32 sums of the same numbers differ by less, and noise must not become a signal


def z_scores(values: npt.ArrayLike) -> _Floats:
    """Each value's distance from the mean in standard deviations.

    Raw cosines of two embedding models, or BM25 of two chats, cannot be compared; their place in the crowd can.

    Args:
        values: (n,) one signal for every candidate of one query; NaN where the signal says nothing.
    Returns: (n,) float64; 0, the mean, where the value is NaN and everywhere when all are equal to 1e-6.
    Source: of three ways to add up words and meaning on LoCoMo, ranks found the least.
    """
    raw = np.asarray(values, np.float64)
    if raw.size == 0:
        return raw
    mean = float(raw.sum()) / raw.size
    if math.isnan(mean):
        known = ~np.isnan(raw)
        scores = np.zeros(raw.shape)
        scores[known] = z_scores(raw[known])
        return scores
    spread = raw - mean
    deviation = math.sqrt(np.dot(spread.ravel(), spread.ravel()) / raw.size)
    # Nothing is farther from the mean than √n deviations, so these differ by more than noise.
    if deviation > _NOISE * (abs(mean) + math.sqrt(raw.size) * deviation):
        spread /= deviation
        return spread
    return _standardized(raw)


def _standardized(raw: _Floats) -> _Floats:
    """The same of numbers that are nearly equal, or so small that their squares are lost."""
    lowest, highest = float(raw.min()), float(raw.max())
    if highest - lowest <= _NOISE * max(abs(lowest), abs(highest)):
        return np.zeros(raw.shape)
    spread = (raw - lowest) / (highest - lowest)
    spread -= spread.mean()
    spread /= spread.std()
    return spread


def logistic(scores: npt.ArrayLike) -> _Floats:
    """Scores of any size brought to 0..1, with 0.5 for a z-score of 0, in the same order."""
    return 0.5 * (1 + np.tanh(0.5 * np.asarray(scores, np.float64)))
