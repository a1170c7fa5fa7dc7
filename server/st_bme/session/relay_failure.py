"""Why a relayed call failed, as far as SillyTavern's words tell."""

from __future__ import annotations

import re

from st_bme.errors import AnswerUnusable, HostKeyWrong, ModelFailed, ModelTimeout, RateLimited, RequestRefused

_RATE = re.compile(r"\b(429|529)\b|too many requests|rate.?limit|quota|overloaded", re.IGNORECASE)
_KEY = re.compile(
    r"\b(401|403)\b|unauthori[sz]ed|forbidden|authentication|(invalid|incorrect|missing).{0,20}key", re.IGNORECASE
)
_TIME = re.compile(r"\b(408|504)\b|timed? ?out|gateway time", re.IGNORECASE)
_REQUEST = re.compile(
    r"\b(400|404|413|422)\b|bad request|not found|unknown model|does not exist|context.?length|too (long|large)",
    re.IGNORECASE,
)
_EMPTY = re.compile(r"answer was empty|no message generated", re.IGNORECASE)


def relay_failure(said: str) -> ModelFailed:
    """The error with the code of its cause where the words name one."""
    message = f"SillyTavern's connection gave no answer: {said}"
    if _RATE.search(said):
        return RateLimited(message, 0.0)
    if _KEY.search(said):
        return HostKeyWrong(message)
    if _TIME.search(said):
        return ModelTimeout(message)
    if refused := _REQUEST.search(said):
        return RequestRefused(message, int(refused[1] or 400))
    if _EMPTY.search(said):
        return AnswerUnusable(message)
    return ModelFailed(message)
