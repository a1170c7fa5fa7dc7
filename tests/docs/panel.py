"""The texts of the extension, by key."""

from __future__ import annotations

import json
import re
from typing import Literal

from docs.pages import ROOT

# A text of the page: pieces in single quotes, joined by plus signs.
_QUOTED = r"'((?:[^'\\]|\\.)*)'"
_TEXT = re.compile(rf"'(bme\.[\w.]+)':\s*({_QUOTED}(?:\s*\+\s*{_QUOTED})*)")


def panel_texts(language: Literal["en", "zh"]) -> dict[str, str]:
    """Every text of the panel in a language."""
    if language == "en":
        files = sorted((ROOT / "st-extension/src/ui").glob("*texts.js"))
        source = "".join(path.read_text(encoding="utf-8") for path in files)
        return {found[1]: "".join(re.findall(_QUOTED, found[2])) for found in _TEXT.finditer(source)}
    texts: dict[str, str] = json.loads((ROOT / "st-extension/i18n/zh-cn.json").read_text(encoding="utf-8"))
    return texts
