"""What reading a chat will cost, told before it begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MOST_SAMPLES = 48

# What a model answers: the frame of an answer, and what it notes of each message.
ANSWER_FRAME_TOKENS = 20
ANSWER_SHARE = 0.3
"""Tokens of an answer for each token of the messages that it is about."""

KNOWN_TOKENS = 48
"""Of one memory as a prompt shows it."""

KNOWN_GROWTH = 0.35
"""Memories a message that a prompt can come to show, until it is full."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The prompts of one run as they would be today.

    position: messages of the job before the run.
    prompt_tokens, run_tokens: of all its prompts, and of its new messages.
    calls: how many prompts there are.
    known: memories that a prompt shows.
    """

    position: int
    prompt_tokens: int
    run_tokens: int
    calls: int
    known: int


@dataclass(frozen=True, slots=True)
class Price:
    """Calls and tokens, prompts and answers together."""

    calls: int
    tokens: int


def sampled(count: int) -> range:
    """Places of the runs that stand for all, evenly spread."""
    return range(0, count, max(1, -(-count // MOST_SAMPLES)))


def estimate(samples: Sequence[Sample], runs: int, *, most_known: int) -> Price:
    """The price of `runs` runs of which these are samples.

    A chat that was never read has no memories to show yet: they come as it is read, so the prompts grow.
    """
    if not samples:
        return Price(0, 0)
    tokens = 0.0
    for sample in samples:
        will_be_known = min(most_known, KNOWN_GROWTH * sample.position)
        grown = max(0.0, will_be_known - sample.known) * KNOWN_TOKENS
        answer = ANSWER_FRAME_TOKENS + ANSWER_SHARE * sample.run_tokens
        tokens += sample.prompt_tokens + sample.calls * grown + answer
    calls = sum(sample.calls for sample in samples)
    return Price(round(calls / len(samples) * runs), round(tokens / len(samples) * runs))
