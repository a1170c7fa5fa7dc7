"""The project speaks of itself alone: no word of how or where it was made, and no host of a package registry."""

import re

import pytest

from repository.files import relative, walk

# Written in parts, so that this file does not contain what it forbids.
REGISTRY_HOSTS = ("pypi" + ".org", "files.python" + "hosted", "registry.npm" + "js", "registry.yarn" + "pkg")
PLACES = (
    r"(^|[^\w.])/wo" + r"rk/",
    r"(^|[^\w.])/tm" + r"p/[a-z]+",
    r"\.lib" + r"rary/",
    r"\bsha" + r"red/(design|reference|golden|data)\b",
)
MAKERS = (
    r"sub-?ag" + r"ent",
    r"helper ses" + r"sion",
    r"co-authored" + r"-by",
    r"coding ag" + r"ent",
    r"this work" + r"place",
)
TRACKER = (r"\bissues? #?" + r"\d", r"\(#" + r"\d+\)", r"issues sh" + r"ow")
FORBIDDEN = {
    "registry": "|".join(map(re.escape, REGISTRY_HOSTS)),
    "place": "|".join(PLACES),
    "maker": "|".join(MAKERS),
    "tracker": "|".join(TRACKER),
}
BINARY = {".gif", ".ico", ".jpg", ".png", ".webp", ".woff2"}


@pytest.mark.parametrize("kind", FORBIDDEN)
def test_no_file_says(kind: str):
    pattern = re.compile(FORBIDDEN[kind], re.IGNORECASE)

    found = {}
    for path in walk():
        if path.suffix in BINARY or relative(path) == "LICENSE":
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if match := pattern.search(line):
                found[f"{relative(path)}:{number}"] = match[0]
    assert found == {}


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("registry", "https://pypi" + ".org/simple"),
        ("place", "see /wo" + "rk/main"),
        ("maker", "written by a sub" + "agent"),
        ("tracker", "as issue " + "12 asks"),
    ],
)
def test_the_patterns_find_what_they_forbid(kind: str, line: str):
    assert re.search(FORBIDDEN[kind], line)
