"""What model calls cost."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spent:
    """Calls with the tokens of their prompts and answers."""

    calls: int
    prompt_tokens: int
    answer_tokens: int

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.answer_tokens


@dataclass(frozen=True, slots=True)
class UsageRow:
    """What a task cost on a day (`2026-11-30`) in a chat; no lineage for what belongs to no chat."""

    day: str
    lineage: str
    chat: str
    task: str
    spent: Spent
