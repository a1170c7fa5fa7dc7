"""Templates of prompts: a system part and a user part, with `$name` for what is filled in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template

_FOLDER = Path(__file__).parent / "templates"
_DIVIDER = "\n=== user ===\n"
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
    system, _, user = (_FOLDER / folder / f"{task}.md").read_text(encoding="utf-8").partition(_DIVIDER)
    return PromptText(system.strip(), user.strip())


def render(template: PromptText, values: Mapping[str, str]) -> PromptText:
    """The template filled in. What is filled in is not looked into again."""
    system, user = (Template(part).safe_substitute(values).strip() for part in (template.system, template.user))
    return PromptText(system, user)
