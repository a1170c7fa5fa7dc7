"""Lines of the form `name: value` in which a story keeps its state: mood, goal, belongings, place, time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_COLUMN_WORDS: Mapping[str, str] = {
    "state": """
        mood emotion feeling feelings state status condition health hp injury injuries stamina mp mana energy outfit
        clothing wearing 心情 情绪 状态 健康 体力 生命值 生命 精力 伤势 穿着 衣着
    """,
    "goal": "goal goals objective plan quest mission 目标 计划 任务",
    "inventory": "inventory items belongings equipment carrying gold money 物品 背包 道具 装备 携带 金币 银两",
    "traits": "traits trait personality 性格 特征 特点",
    "name": "name character 姓名 名字 角色",
    "location": "location place scene setting 地点 位置 场景 所在地",
    "time": "time date day 时间 日期",
}
_COLUMNS = {word: column for column, words in _COLUMN_WORDS.items() for word in words.split()}
_LINE = re.compile(
    r"^[ \t\[(【|*_>-]*(?:(?P<owner>[^\W\d_][\w' -]{0,30}?)['’]s[ \t]+|(?P<who>[\u4e00-\u9fff]{2,4})的)?"
    r"(?P<key>[A-Za-z]{2,12}|[\u4e00-\u9fff]{2,4})[*_]*[ \t]*[:：][*_ \t]*"
    r"(?P<value>[^\s|｜][^\n|｜]{0,160}?)[\])】*_ \t]*$"
)
_PREFIXED = ("hp", "mp", "mana", "stamina", "health", "gold", "money", "体力", "生命值", "生命", "金币", "银两")
"""Values that say little without their name: a number of what."""


@dataclass(slots=True)
class StateLines:
    """What the state lines of one message say, and the text without them.

    `fields` by whose state it is; "" is whoever speaks.
    """

    fields: dict[str, dict[str, str]] = field(default_factory=dict)
    place: str = ""
    time: str = ""
    text: str = ""


def read_state_lines(text: str) -> StateLines:
    """State lines with a known name, out of a plain text. Several on one line stand between bars."""
    found = StateLines()
    kept: list[str] = []
    subject = ""
    for line in text.split("\n"):
        parts = [part for part in re.split(r"[|｜]", line) if part.strip()] if ":" in line or "：" in line else []
        matches = [match for part in parts if (match := _known(part))]
        if not parts or len(matches) < len(parts):
            kept.append(line)
            continue
        for match in matches:
            subject = _take(found, match, subject)
    found.text = "\n".join(kept)
    return found


def _known(part: str) -> re.Match[str] | None:
    match = _LINE.match(part.strip())
    return match if match and match["key"].casefold() in _COLUMNS else None


def _take(found: StateLines, match: re.Match[str], subject: str) -> str:
    """Note one line; whose state the next line is about."""
    key, value = match["key"].casefold(), match["value"].strip()
    column = _COLUMNS[key]
    if column == "name":
        return value
    if column == "location":
        found.place = value
    elif column == "time":
        found.time = value
    else:
        fields = found.fields.setdefault((match["owner"] or match["who"] or subject).strip(), {})
        said = f"{match['key']}: {value}" if key in _PREFIXED else value
        fields[column] = f"{fields[column]}; {said}" if column in fields else said
    return subject
