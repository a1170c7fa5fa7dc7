"""Quote marks in pairs: a sentence that was cut out of a speech may have lost one side."""

from __future__ import annotations

_PAIRS = (("“", "”"), ("「", "」"), ("『", "』"))
_STRAIGHT = '"'
_BEFORE_OPENING = " \t([（—–:：，"


def balanced(text: str) -> str:
    """The text with what is missing of its quotes put at the beginning or the end."""
    for opening, closing in _PAIRS:
        missing, is_open = 0, 0
        for character in text:
            if character == opening:
                is_open += 1
            elif character == closing:
                missing += not is_open
                is_open = max(0, is_open - 1)
        text = opening * missing + text + closing * is_open
    return _balanced_straight(text)


def _balanced_straight(text: str) -> str:
    """The same for a mark that opens and closes: it closes where it stands behind a word."""
    first = text.find(_STRAIGHT)
    if first > 0 and text[first - 1] not in _BEFORE_OPENING:
        text = _STRAIGHT + text
    return text + _STRAIGHT if text.count(_STRAIGHT) % 2 else text
