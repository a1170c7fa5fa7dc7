"""What the user may set about recall, and the constants behind it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from st_bme.scoring.diffusion import DiffusionOptions
from st_bme.scoring.hybrid import HybridWeights

InjectionLanguage = Literal["en", "zh"]


@dataclass(frozen=True, slots=True)
class RecallOptions:
    """How recall weighs and how much it takes.

    `top_k` memories at most are recalled by their score; core and scene come on top, within their shares of the
    budget. A memory counts as asked for when its words reach `min_words` of the best one's or energy of `min_energy`
    arrives at it; of the newest `recent` a slight sign will do, so a young chat recalls all that was touched.
    """

    language: InjectionLanguage = "en"
    top_k: int = 15
    weights: HybridWeights = field(default_factory=HybridWeights)
    diffusion: DiffusionOptions = field(default_factory=DiffusionOptions)
    core_share: float = 0.4
    scene_share: float = 0.2
    min_words: float = 0.3
    min_energy: float = 0.3
    recent: int = 20
