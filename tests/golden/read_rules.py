"""Where the read chain answers otherwise than the original ST-BME on purpose, and what it then answers."""

import re
from typing import Any

CELL_LIMIT = 200

_GREETING = re.compile(
    r"hi|hello|hey|(hi|hello|hey) there|hiya|howdy|yo|greetings|good (morning|afternoon|evening|night)"
    r"|hallo|hola|bonjour|привет|こんにちは|안녕|[你您]好|嗨|哈喽|早|早安|(早上|下午|晚上)好|晚安|在吗",
)
_ACKNOWLEDGEMENT = re.compile(
    r"ok|okay|k|yes|yeah|yep|yup|no|nope|nah|sure|fine|alright|right|thanks|thank you|thx|ty|got it|i see"
    r"|cool|nice|great|good|lol|haha|hmm?|mhm|go (on|ahead)|(please )?continue|next|more|ja|nein|danke|да|нет"
    r"|はい|好的?|好吧|行|可以|嗯|嗯嗯|哦|[是对]的?|不|不是|谢谢|多谢|明白了?|知道了|收到|请?继续|接着说|然后呢|哈哈|没事",
)
_GROUP_OF_TYPE = {
    "character": "states",
    "location": "states",
    "event": "events",
    "thread": "events",
    "reflection": "reflections",
    "synopsis": "reflections",
    "rule": "rules",
}


def is_small_talk(given: str | None) -> bool:
    """A greeting or an acknowledgement and nothing else."""
    return bool(_small_talk(given))


def small_talk_is_trivial(given: str | None, _recorded: dict[str, Any]) -> dict[str, Any]:
    return {"trivial": True, "reason": _small_talk(given)}


def _small_talk(given: str | None) -> str:
    if (given or "").lstrip().startswith("/"):
        return ""
    words = " ".join(re.findall(r"\w+", (given or "").lower().replace("_", " ")))
    if _GREETING.fullmatch(words):
        return "greeting"
    return "acknowledgement" if _ACKNOWLEDGEMENT.fullmatch(words) else ""


def has_heading_alone(given: dict[str, Any]) -> bool:
    """Whatever a group holds stands elsewhere already, or is of no known type."""
    return len(_headings(given, only_filled=True)) < len(_headings(given, only_filled=False))


def no_heading_alone(given: dict[str, Any], recorded: list[str]) -> list[str]:
    filled = _headings(given, only_filled=True)
    headings = {"core", "recalled", *_GROUP_OF_TYPE.values(), "other"}
    return [line for line in recorded if line not in headings or line in filled]


def _headings(given: dict[str, Any], *, only_filled: bool) -> set[str]:
    seen: set[str] = set()
    found = set()
    for part, nodes in (("core", given["coreNodes"]), ("recalled", given["recallNodes"])):
        for node in nodes:
            if not only_filled or (node["id"] not in seen and node["type"] in _GROUP_OF_TYPE):
                found |= {part} if part == "core" else {part, _GROUP_OF_TYPE.get(node["type"], "other")}
            seen.add(node["id"])
    return found


def is_cut_within_wide_text(given: dict[str, Any]) -> bool:
    """A cell is too long and holds characters that JavaScript counts twice."""
    return any(cell[:CELL_LIMIT] != _cut_as_javascript(cell) for cell in _cells(given))


def cut_by_characters(given: dict[str, Any], recorded: list[str]) -> list[str]:
    lines = recorded
    for cell in _cells(given):
        lines = [line.replace(f"| {_cut_as_javascript(cell)} |", f"| {cell[:CELL_LIMIT]} |") for line in lines]
    return lines


def _cells(given: dict[str, Any]) -> list[str]:
    nodes = [*given["coreNodes"], *given["recallNodes"]]
    return [str(value) for node in nodes for value in node["fields"].values() if value]


def _cut_as_javascript(text: str) -> str:
    units = text.encode("utf-16-le", "surrogatepass")[: 2 * CELL_LIMIT]
    return units.decode("utf-16-le", "surrogatepass")
