"""What the documents point at is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from docs.pages import DOCS, ROOT
from repository.files import relative, walk

PAGES = [
    ROOT / "README.md",
    ROOT / "README.zh-CN.md",
    ROOT / "CHANGELOG.md",
    *sorted(DOCS.rglob("*.md")),
    ROOT / "tests" / "golden" / "README.md",
]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FILE = re.compile(r"`((?:[\w.@-]+/)+[\w.@-]+\.json|(?:[\w.@-]+/)*[\w.@-]+\.(?:cmd|css|html|js|lock|md|py|toml))[`:]")
# Beside the root and the page's own folder, where a path may begin.
BASES = ("server", "server/st_bme", "st-extension", "st-extension/src", "docs")

each_page = pytest.mark.parametrize("page", PAGES, ids=relative)


@each_page
def test_every_link_leads_somewhere(page: Path):
    targets = [target for target in LINK.findall(page.read_text(encoding="utf-8")) if "://" not in target]

    assert [target for target in targets if not _resolves(page, target)] == []


def _resolves(page: Path, target: str) -> bool:
    path, _, heading = target.partition("#")
    found = (page.parent / path) if path else page
    if not found.exists() or ROOT not in found.resolve().parents:
        return False
    return not heading or heading in _anchors(found)


def _anchors(page: Path) -> set[str]:
    """As the usual hosts make them: lower case, blanks as hyphens, without punctuation."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@each_page
def test_every_file_that_is_named_exists(page: Path):
    names = {path.name for path in walk()}
    folders = [ROOT, page.parent, *(ROOT / base for base in BASES)]

    named = set(FILE.findall(page.read_text(encoding="utf-8")))
    bare = {path for path in named if "/" not in path and path in names}
    assert {path for path in named - bare if not any((folder / path).is_file() for folder in folders)} == set()


def test_every_page_is_reached_from_the_readme():
    reached: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop().resolve()
        if page not in reached:
            reached.add(page)
            waiting += _pages_from(page)

    assert {page for page in DOCS.rglob("*.md") if page.resolve() not in reached} == set()


def _pages_from(page: Path) -> Iterator[Path]:
    """The pages that a page links to; a link to a folder leads to all of it."""
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        found = page.parent / target.partition("#")[0]
        if found.is_dir():
            yield from found.glob("*.md")
        elif found.suffix == ".md" and found.is_file():
            yield found
