"""How much a memory is worth keeping in mind."""

import numpy as np
import numpy.typing as npt

_Floats = npt.NDArray[np.float64]

HOURS_A_DAY = 24.0


def retention(importances: npt.ArrayLike, accesses: npt.ArrayLike, ages: npt.ArrayLike) -> _Floats:
    """What importance, time and use together leave of a memory.

    Args:
        importances: (n,) from 0 to 10.
        accesses: (n,) how often each was recalled, ≥ 0.
        ages: (n,) in hours, or in the unit that stands for hours; a negative one counts as 0.
    Returns: (n,) float64 ≥ 0 = importance/10 · 1/(1 + log10(1 + age)) · (1 + accesses a day), the first day counting
        as a whole one.
    Source: the original ST-BME's sleep cycle.
    """
    hours = np.maximum(np.asarray(ages, np.float64), 0)
    recency = 1 / (1 + np.log10(1 + hours))
    frequency = np.asarray(accesses, np.float64) / np.maximum(1, hours / HOURS_A_DAY)
    worth: _Floats = np.asarray(importances, np.float64) / 10 * recency * (1 + frequency)
    return worth
