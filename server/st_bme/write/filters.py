"""What the settings say is left out of replies before they are read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from st_bme.settings import Values
from st_bme.write.cleaning import CleaningRules, TextRule

_BETWEEN = re.compile(r"[ \t]*(?:\.{3}|…)[ \t]*")
_ALSO = {"think": ("thinking",)}
"""Models write the same tag in more than one way."""


def filter_rules(settings: Values) -> CleaningRules:
    """The rules of a user: tags first, then what stands between two marks."""
    return CleaningRules(
        extract=(
            *_tags(settings.text("extractAssistantExtractTags")),
            *_spans(settings.text("extractAssistantExtractRules")),
        ),
        exclude=(
            *_tags(settings.text("extractAssistantExcludeTags")),
            *_spans(settings.text("extractAssistantExcludeRules")),
        ),
    )


def _tags(setting: str) -> Iterator[TextRule]:
    for part in re.split(r"[,，\s]+", setting):
        name = part.strip("<>/")
        for tag in (name, *_ALSO.get(name, ())):
            if tag:
                yield TextRule(tag)


def _spans(setting: str) -> Iterator[TextRule]:
    """One a line: beginning and end with three dots between them. A line without both is passed over."""
    for line in setting.splitlines():
        start, *rest = _BETWEEN.split(line.strip(), maxsplit=1)
        if start and rest and rest[0]:
            yield TextRule(start, rest[0])
