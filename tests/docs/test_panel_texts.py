"""What the server names, the extension has a text for; that both languages have it is a test of the extension."""

import re
from typing import get_args

from docs.pages import ROOT
from docs.panel import panel_texts
from st_bme.graph.targets import TARGET_MISSING
from st_bme.model.ledger import STANCES
from st_bme.model.operation import Action
from st_bme.settings import SETTINGS
from st_bme.upkeep.tasks import TASKS

TEXTS = panel_texts("en")


def source(folder: str) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "server/st_bme" / folder).glob("*.py")))


SERVER = source("session")


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


def test_every_action_of_an_operation_has_a_text():
    assert without_text("said", {*get_args(Action)}) == set()
    assert without_text("said.know", {*STANCES} - {"known"}) == set()


def test_every_reason_why_an_operation_had_no_effect_has_a_text():
    named = re.findall(r'Refusal\("(\w+)"', source("graph"))

    assert without_text("refused", {*named, TARGET_MISSING}) == set()
