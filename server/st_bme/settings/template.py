"""Whether a template that the user wrote can be filled in."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NAMED = re.compile(r"\$(?:\$|(\w+)|\{(\w*)\}?|)")
_BLOCK = re.compile(r"^\?\?[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_DIVIDER = "\n=== user ===\n"
_MESSAGES = re.compile(r"\$(?:run\b|\{run\})")


def template_fault(text: str, placeholders: Sequence[str]) -> str:
    """What is wrong with a template, "" if nothing is, or if there are no placeholders and so no template.

    It names only what there is, closes each block that it opens, and with a user part of its own shows the messages.
    """
    if not placeholders or not text:
        return ""
    known = frozenset(placeholders)
    for match in _NAMED.finditer(text):
        name = match[1] or match[2] or ""
        if match[0] != "$$" and name not in known:
            return f"{match[0]!r} is no placeholder; known: {', '.join(f'${each}' for each in placeholders)}"
    is_open = False
    for match in _BLOCK.finditer(text):
        if bool(match[1]) == is_open or (match[1] and match[1] not in known):
            return f"line {match[0]!r} opens no known block or closes none"
        is_open = not is_open
    if is_open:
        return "the last block is not closed by a line ??"
    _, divider, user = text.partition(_DIVIDER)
    if divider and not _MESSAGES.search(user):
        return "the part below === user === shows no messages; put $run into it"
    return ""
