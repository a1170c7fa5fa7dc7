"""Templates of prompts: a system part and a user part, `$name` for what is filled in, and blocks that may be left out.

A block stands between a line `?? name` and a line `??`; it is written only if that value is there and not empty.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template

_FOLDER = Path(__file__).parent / "templates"
_DIVIDER = re.compile(r"^=== user ===[ \t]*$", re.MULTILINE)
_BLOCK = re.compile(r"^\?\? *(\w+)[ \t]*\n(.*?)^\?\?[ \t]*(?:\n|\Z)", re.MULTILINE | re.DOTALL)
_GAP = re.compile(r"\n{3,}")
_LANGUAGES = ("en", "zh")


@dataclass(frozen=True, slots=True)
class PromptText:
    """Both parts of a prompt."""

    system: str
    user: str


@cache
def load_template(task: str, language: str) -> PromptText:
    """The built-in template of a task; English where there is none in the language."""
    folder = language if language in _LANGUAGES else "en"
    return split_template((_FOLDER / folder / f"{task}.md").read_text(encoding="utf-8"))


def template_for(task: str, language: str, own: str) -> PromptText:
    """The user's own template of a task, its user part the built-in one where it has none; else the built-in one."""
    built_in = load_template(task, language)
    if not own:
        return built_in
    text = split_template(own)
    return PromptText(text.system, text.user or built_in.user)


def split_template(text: str) -> PromptText:
    """A template in two parts at its divider; without one all of it is the system part."""
    system, *rest = _DIVIDER.split(text, maxsplit=1)
    return PromptText(system.strip(), rest[0].strip() if rest else "")


def render(template: PromptText, values: Mapping[str, str]) -> PromptText:
    """The template filled in. What is filled in is not looked into again."""
    return PromptText(_filled(template.system, values), _filled(template.user, values))


def _filled(part: str, values: Mapping[str, str]) -> str:
    wanted = _BLOCK.sub(lambda block: block[2] if values.get(block[1]) else "", part)
    return Template(_GAP.sub("\n\n", wanted)).safe_substitute(values).strip()
