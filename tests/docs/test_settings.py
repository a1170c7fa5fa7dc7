"""docs/settings.md is the schema in words."""

import pytest

from docs.pages import read_page
from st_bme.settings import GROUPS, SETTINGS, Setting
from st_bme.settings.asking import EXTRACT_PLACEHOLDERS

PAGE = read_page("settings.md")


def row(setting: Setting) -> str:
    """The line of the page for a setting; what the failing test shows is what to put there."""
    return (
        f"| `{setting.key}` | {value(setting.default)} | {allowed(setting)} | {setting.label.en}. {setting.help.en} |"
    )


def value(given: object) -> str:
    return str(given).lower() if isinstance(given, bool) else str(given)


def allowed(setting: Setting) -> str:
    if setting.choices:
        return ", ".join(choice.value for choice in setting.choices)
    if setting.minimum is None:
        return "true, false" if setting.kind == "bool" else "text"
    return f"{setting.minimum:g}–{setting.maximum:g} {setting.unit}".strip()


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.id)
def test_the_table_of_a_group_is_the_schema(group):
    section = PAGE.partition(f"\n## {group.label.en}\n")[2].partition("\n## ")[0]

    told = [line for line in section.splitlines() if line.startswith("| `")]
    assert told == [row(setting) for setting in SETTINGS if setting.group == group.id]


def test_every_placeholder_of_the_extraction_prompt_is_told():
    section = PAGE.partition("\n### Your own extraction prompt\n")[2].partition("\n## ")[0]

    assert [name for name in EXTRACT_PLACEHOLDERS if f"`${name}`" not in section and f"`{name}`" not in section] == []
