"""What the user may set about recall, and the constants behind it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from st_bme.scoring.diffusion import DiffusionOptions
from st_bme.scoring.hybrid import HybridWeights

InjectionLanguage = Literal["en", "zh"]
InjectionForm = Literal["tables", "list", "marked"]
DecayClock = Literal["turns", "story", "real"]


@dataclass(frozen=True, slots=True)
class GateOptions:
    """What keeps memories back: `fields.visibility`, regions, what the speaker knows, and story time."""

    has_visibility: bool = False
    has_regions: bool = True
    has_knowledge: bool = True
    has_story_time: bool = True


@dataclass(frozen=True, slots=True)
class RecallOptions:
    """How recall weighs and how much it takes.

    `top_k` memories at most are recalled: the most relevant, or if `is_diverse` good ones that differ. Core and scene
    come on top, within their shares of the budget. A memory counts as asked for when its words reach `min_words` of the
    best one's, energy of `min_energy` arrives at it, or it is among the `nearest` in meaning and `min_meaning`
    deviations nearer than the mean; of the newest `recent` a slight sign will do, so a young chat recalls all that was
    touched.

    A memory fades with the turns of the chat, the segments of the story or the days since it was told; with
    `has_lifecycle` by its tier and the time since it was used. With `has_cross_recall` a name leads to the events that
    it is linked with; with `has_time_links` energy also flows between what follows in time. One that is important comes
    back by `flashback_chance` though nobody asked.

    Memories are written as tables, as lines, or as lines marked with how they rank. With `is_steady` what seldom
    changes is written apart. Summaries get their share of what a budget has beyond `story_from` tokens: where there is
    little room, it is for what answers.

    The newest events belong to the core only where what was asked leaves room. A passage may be quoted when its words
    reach `min_words` of the best one's, or when words and meaning together stand out by `min_found` deviations. Quotes
    take `passage_tokens` at most, none with 0. Passages from `passages_before` on are left out, since the prompt holds
    them.
    """

    language: InjectionLanguage = "en"
    top_k: int = 15
    weights: HybridWeights = field(default_factory=HybridWeights)
    is_normalized: bool = True
    clock: DecayClock = "turns"
    has_lifecycle: bool = False
    has_cross_recall: bool = False
    has_time_links: bool = False
    is_diverse: bool = True
    flashback_chance: float = 0.0
    diffusion: DiffusionOptions = field(default_factory=DiffusionOptions)
    gates: GateOptions = field(default_factory=GateOptions)
    form: InjectionForm = "tables"
    is_steady: bool = False
    core_share: float = 0.4
    story_share: float = 0.25
    story_from: int = 250
    scene_share: float = 0.2
    min_words: float = 0.3
    min_energy: float = 0.3
    min_meaning: float = 2.5
    nearest: int = 15
    recent: int = 20
    min_found: float = 1.0
    passage_tokens: int = 1200
    passages_before: int | None = None

    def story_tokens(self, budget: int) -> int:
        """The most that summaries may take of a budget."""
        return int(max(0, budget - self.story_from) * self.story_share)
