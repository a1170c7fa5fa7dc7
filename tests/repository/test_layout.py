"""Where things may lie: the folders of docs/architecture.md, and nothing in the folder that SillyTavern serves."""

import ast
import json
import re
import sys
import tomllib
from pathlib import Path

import st_bme
from repository.files import ROOT, is_ours, relative, walk

TOP_FOLDERS = {".ci", "benchmarks", "docs", "server", "st-extension", "tests"}
TOP_FILES = {
    ".editorconfig",
    ".gitattributes",
    ".gitignore",
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "README.zh-CN.md",
    "eslint.config.js",  # checks the style of the extension's modules
    "jsconfig.json",  # checks the types of the extension's modules
    "manifest.json",
    "package-lock.json",  # pins the developers' tools of the extension
    "package.json",  # tells Node that the extension's files are ES modules
    "pyproject.toml",
}
DEMO_CHATS = ROOT / "server/st_bme/demo/chats"
SERVER_SUFFIXES = {".cmd", ".css", ".html", ".js", ".json", ".lock", ".md", ".py", ".svg", ".txt", ".typed"}
SECRET = re.compile(r"\b(sk-[A-Za-z0-9]{20,}|AKIA[A-Z0-9]{16}|-----BEGIN [A-Z ]*PRIVATE KEY)")
SILLYTAVERN_GLOBAL = re.compile(
    r"\bSillyTavern\??\.[a-z]|\b(toastr|jQuery)\b|\$\(|['\"](\.\./|/)+(script|scripts/\S*)\.js"
)
JS_COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)


def test_every_top_level_entry_is_known():
    entries = [path for path in ROOT.iterdir() if is_ours(path)]

    folders = {path.name for path in entries if path.is_dir()}
    files = {path.name for path in entries if not path.is_dir()}
    assert folders <= TOP_FOLDERS
    assert files <= TOP_FILES


def test_the_server_folder_holds_programs_and_no_data():
    """SillyTavern serves this folder to every page and deletes it with the extension."""
    strangers = [path for path in walk(ROOT / "server") if path.suffix not in SERVER_SUFFIXES]

    assert [relative(path) for path in strangers if path.parent != DEMO_CHATS] == []


def test_no_file_holds_a_secret():
    texts = {relative(path): path.read_text(encoding="utf-8", errors="ignore") for path in walk()}

    assert [name for name, text in texts.items() if SECRET.search(text)] == []


def test_the_manifest_points_at_files_that_are_there():
    manifest = json.loads((ROOT / "manifest.json").read_text(encoding="utf-8"))

    named = [manifest["js"], manifest["css"], *manifest["i18n"].values()]
    assert [name for name in named if not (ROOT / name).is_file()] == []
    assert all(name.startswith("st-extension/") for name in named)
    assert manifest["minimum_client_version"] == "1.13.0"
    assert manifest["generate_interceptor"]


def test_the_version_is_the_same_everywhere():
    manifest = json.loads((ROOT / "manifest.json").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

    assert {manifest["version"], project["project"]["version"]} == {st_bme.__version__}


def test_only_host_js_touches_sillytavern():
    modules = [path for path in walk(ROOT / "st-extension") if path.suffix in {".js", ".mjs"}]
    code = {relative(path): JS_COMMENT.sub("", path.read_text(encoding="utf-8")) for path in modules}

    assert SILLYTAVERN_GLOBAL.search(code.pop("st-extension/src/host.js"))
    assert code
    assert {name: found[0] for name, text in code.items() if (found := SILLYTAVERN_GLOBAL.search(text))} == {}


def test_scoring_sees_only_numpy_and_the_standard_library():
    allowed = sys.stdlib_module_names | {"numpy"}
    seen = {module for path in walk(ROOT / "server" / "st_bme" / "scoring") for module in _imports(path)}

    assert "numpy" in seen
    assert {name for name in seen if name.split(".")[0] not in allowed and not _is_allowed_own(name)} == set()


def _is_allowed_own(module: str) -> bool:
    return module == "st_bme.errors" or module.startswith("st_bme.scoring")


def _imports(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write imports in full"
            names.add(node.module or "")
    return names
