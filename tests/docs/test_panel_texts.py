"""What the server names, the extension has a text for; that both languages have it is a test of the extension."""

import re

from docs.pages import ROOT
from docs.panel import panel_texts
from st_bme.settings import SETTINGS
from st_bme.upkeep.tasks import TASKS

TEXTS = panel_texts("en")
SERVER = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "server/st_bme/session").glob("*.py")))


def without_text(kind: str, names: set[str]) -> set[str]:
    assert names
    return {name for name in names if f"bme.{kind}.{name}" not in TEXTS}


def test_every_unit_of_a_setting_has_a_text():
    assert without_text("unit", {setting.unit for setting in SETTINGS if setting.unit}) == set()


def test_every_task_has_a_text():
    named = re.findall(r'JobEvent\([^()]*task="(\w+)"', SERVER)

    assert without_text("task", {*named, *(task.name for task in TASKS)}) == set()


def test_every_notice_has_a_text():
    named = re.findall(r'Notice\(\s*code="(\w+)"', SERVER)

    assert without_text("notice", set(named)) == set()
