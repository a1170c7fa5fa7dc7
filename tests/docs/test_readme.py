"""The two READMEs say the same, and what they say of commands, options, versions and the panel is so."""

import json
import re

import pytest

import bootstrap
from docs.pages import ROOT, code, table_below, tables
from docs.panel import panel_texts
from st_bme import cli
from st_bme.config import Options, load_config
from st_bme.settings import GROUPS, SETTINGS

LANGUAGES = {"README.md": "en", "README.zh-CN.md": "zh"}
NAMES = tuple(LANGUAGES)
PAGES = {name: (ROOT / name).read_text(encoding="utf-8") for name in NAMES}
ENGLISH, CHINESE = PAGES.values()

FENCE = re.compile(r"^ *```$\n.*?^ *```$", re.DOTALL | re.MULTILINE)
FAULTS = ("bme.badge.", "bme.problem.", "bme.trouble.")
HEALTHY = {f"bme.badge.{name}" for name in ("connecting", "no_chat", "opening", "ready")}
SILLYTAVERN = {
    "README.md": "Extensions|Install extension|Install just for me|Install for all users|Manage extensions",
    "README.zh-CN.md": "扩展程序|安装扩展程序|只给我安装|给所有人安装|管理扩展程序",
}

each_page = pytest.mark.parametrize("name", NAMES)


def setting_words(name: str) -> set[str]:
    choices = [choice for setting in SETTINGS for choice in setting.choices]
    words = [item.label for item in (*GROUPS, *SETTINGS, *choices)]
    return {word.en if name == "README.md" else word.zh for word in words}


def outline(page: str) -> dict[str, list[object]]:
    """What a translation leaves as it is."""
    prose = FENCE.sub("", page)
    links = re.findall(r"\]\(([^)#]+)\)", prose)
    return {
        "headings": re.findall(r"^#+", prose, re.MULTILINE),
        "blocks": FENCE.findall(page),
        "code": sorted(set(re.findall(r"`([^`\n]+)`", prose))),
        "links": [link.replace(".zh-CN", "") for link in links],
        "rows": [len(table.rows) for table in tables(page)],
        "steps": re.findall(r"^\d+\.", prose, re.MULTILINE),
        "points": re.findall(r"^ *- ", prose, re.MULTILINE),
    }


def test_both_languages_have_the_same_parts():
    assert outline(CHINESE) == outline(ENGLISH)


@pytest.mark.parametrize(("page", "heading"), [(ENGLISH, "Command line"), (CHINESE, "命令行")], ids=NAMES)
def test_the_table_of_commands_is_the_command_line(page, heading):
    rows = table_below(page, heading).rows

    assert [code(next(iter(row.values()))).split()[0] for row in rows] == list(cli.COMMANDS)


@each_page
def test_every_option_is_one_of_ours(name):
    named = set(re.findall(r"`[^`]*?(--[a-z][a-z-]+)", FENCE.sub("", PAGES[name])))

    ours = "".join((ROOT / path).read_text(encoding="utf-8") for path in ("server/st_bme/cli.py", "tests/run.py"))
    assert named
    assert {option for option in named - {"--help"} if f'"{option}"' not in ours} == set()


@pytest.mark.parametrize(("name", "heading"), [("README.md", "Troubleshooting"), ("README.zh-CN.md", "疑难解答")])
def test_every_fault_of_the_panel_has_a_remedy(name, heading):
    told = [next(iter(row.values())) for row in table_below(PAGES[name], heading).rows]

    texts = panel_texts(LANGUAGES[name]).items()
    faults = [text for key, text in texts if key.startswith(FAULTS) and key not in HEALTHY]
    assert sorted(told) == sorted(re.sub(r"\{\w+\}", "…", text) for text in faults)


@each_page
def test_what_is_bold_stands_on_the_screen(name):
    """But for the few words that a paragraph or a point begins with."""
    leads = re.compile(r"^ *(?:- )?\*\*[^*\n]+[.。]\*\*", re.MULTILINE)
    bold = set(re.findall(r"\*\*([^*\n]+)\*\*", leads.sub("", PAGES[name])))

    shown = {*SILLYTAVERN[name].split("|"), *setting_words(name), *panel_texts(LANGUAGES[name]).values()}
    assert bold
    assert bold - shown == set()


@each_page
def test_versions_are_those_that_are_held(name):
    manifest = json.loads((ROOT / "manifest.json").read_text(encoding="utf-8"))
    tested = json.loads((ROOT / "tests/e2e/package.json").read_text(encoding="utf-8"))["dependencies"]["sillytavern"]

    oldest_python = "Python {}.{}".format(*bootstrap.OLDEST_PYTHON)
    versions = (oldest_python, manifest["minimum_client_version"], tested)
    assert [version for version in versions if version not in PAGES[name]] == []


@each_page
def test_the_data_folder_has_the_name_that_is_told(name):
    told = re.findall(r"^\| (?:Linux|macOS|Windows) \| `.*[/\\](.+)` \|$", PAGES[name], re.MULTILINE)

    assert told == 3 * [load_config(Options(), {}).data_dir.name]
