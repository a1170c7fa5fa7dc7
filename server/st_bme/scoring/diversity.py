"""A selection that is good and does not say the same thing twice."""

import math

import numpy as np
import numpy.typing as npt

_MIN_QUALITY = 1e-10  # the original's floor: a memory of score 0 can still be chosen last
_RIDGE = 1e-8  # keeps the kernel invertible when more memories are asked for than the vectors have dimensions


def select_diverse(
    vectors: npt.ArrayLike, scores: npt.ArrayLike, k: int, *, quality_weight: float = 1.0
) -> npt.NDArray[np.int64]:
    """Greedy most likely set of a determinantal point process: high scores whose vectors point apart.

    Args:
        vectors: (n, d) of any length and dtype; one that is all zero is like nothing, itself included, and comes last.
        scores: (n,) float; below 1e-10 counts as that.
        k: how many to choose.
        quality_weight: power of the scores in the kernel; 0 looks at diversity alone.
    Returns: (min(k, n),) rows in order of choice, equal gains by row; when k ≥ n there is nothing to choose and all
        rows come in their own order.
    Source: Chen, Zhang, Zhou 2018 (fast greedy MAP); the kernel qᵢ·cos(i, j)·qⱼ is the original ST-BME's.
    """
    qualities = np.maximum(np.asarray(scores, np.float64), _MIN_QUALITY) ** quality_weight
    n = qualities.size
    if k >= n:
        return np.arange(n)
    found = np.asarray(vectors)
    products = (found @ found.T).astype(np.float64)
    lengths = np.sqrt(products.diagonal())
    scales = np.divide(qualities, lengths, out=np.zeros(n), where=lengths > 0)
    kernel = scales[:, None] * products * scales
    gains = qualities**2 * (lengths > 0) + _RIDGE  # (n,) what each would add to the volume of the chosen
    directions = np.zeros((max(k, 0), n))  # rows of the Cholesky factor of the chosen
    chosen = np.empty(max(k, 0), np.int64)
    for step in range(k):
        best = int(gains.argmax())
        chosen[step] = best
        rest = kernel[best] - directions[:step, best] @ directions[:step]
        direction = directions[step] = rest / math.sqrt(gains[best])
        gains -= direction * direction
        gains[best] = -np.inf
    return chosen
