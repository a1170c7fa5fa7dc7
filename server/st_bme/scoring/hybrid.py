"""One score for a memory from what the graph, the vectors, the words and its importance say."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

_Floats = npt.NDArray[np.float64]
_FULL_ENERGY = 2.0  # the clamp of diffusion: this much energy counts as a whole signal
_FULL_IMPORTANCE = 10.0


@dataclass(frozen=True, slots=True)
class HybridWeights:
    """Shares of the four signals. The defaults are those of the original ST-BME."""

    graph: float = 0.6
    vector: float = 0.3
    importance: float = 0.1
    lexical: float = 0.18

    @property
    def total(self) -> float:
        """Sum of the weights above 0, or 1 when there is none, so that it can divide."""
        return sum(max(0.0, weight) for weight in (self.graph, self.vector, self.importance, self.lexical)) or 1.0


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known of each of n memories; every array is (n,) or a single number."""

    graph: npt.ArrayLike  # energy, counts from 0 to 2
    vector: npt.ArrayLike  # 0..1
    lexical: npt.ArrayLike  # 0..1
    importance: npt.ArrayLike  # 0..10


def hybrid_score(
    signals: Signals, weights: HybridWeights, *, decay: npt.ArrayLike = 1.0, is_normalized: bool = True
) -> _Floats:
    """Weighted sum of the signals, each clamped to its range, times the decay.

    Args:
        decay: (n,) or single, 0..1: what time leaves of a score.
        is_normalized: divide by the sum of the weights, so that a perfect memory of today scores 1. Without it and
            with a lexical weight of 0 this is the first formula of the original ST-BME.
    Returns: float64 in the common shape of the signals; 0..1 when normalised and no weight is negative.
    """
    total = (
        weights.graph * _share(signals.graph, _FULL_ENERGY)
        + weights.vector * _share(signals.vector, 1.0)
        + weights.importance * _share(signals.importance, _FULL_IMPORTANCE)
        + weights.lexical * _share(signals.lexical, 1.0)
    )
    divisor = weights.total if is_normalized else 1.0
    return total / divisor * np.asarray(decay, np.float64)


def _share(values: npt.ArrayLike, full: float) -> _Floats:
    share: _Floats = np.minimum(np.maximum(np.asarray(values, np.float64) / full, 0), 1)
    return share
