"""Clean answers, which every damaged one is made of. They hold what makes repair hard: quotes, brackets, apostrophes,
backslashes, line breaks, emoji, both languages.
"""

from __future__ import annotations

from prompts.malformed.case import Operation

MILL: tuple[Operation, ...] = (
    {
        "action": "create",
        "type": "event",
        "fields": {"title": "Fire at the mill", "summary": "Tam's mill burned down at night."},
        "importance": 8,
        "ref": "fire",
        "cite": "#4",
        "links": [{"target": "N1", "relation": "involved_in", "strength": 0.9}],
    },
    {
        "action": "update",
        "nodeId": "N1",
        "fields": {"state": 'burned hands; says "don\'t touch me"'},
        "cite": "#5",
    },
    {
        "action": "create",
        "type": "location",
        "fields": {"name": "Old Mill", "state": "a ruin {roof gone}", "danger": "beams [loose], 50% may fall"},
        "cite": "#4",
    },
)

TOWER: tuple[Operation, ...] = (
    {
        "action": "create",
        "type": "event",
        "fields": {"title": "钟楼暗门", "summary": "艾琳在钟楼发现了通往地下的暗门，并说：“别告诉任何人。”"},
        "importance": 7,
        "ref": "door",
        "cite": "#4",
    },
    {
        "action": "create",
        "type": "thread",
        "fields": {"title": "失踪案", "summary": "失踪的人可能与地下入口有关", "status": "进行中"},
        "cite": "#5",
        "links": [{"target": "door", "relation": "advances"}],
    },
)

LETTER: tuple[Operation, ...] = (
    {
        "action": "create",
        "type": "rule",
        "fields": {
            "title": "The seal",
            "constraint": "Who opens the letter // reads it aloud, loses a year: no # of years is safe.",
        },
        "importance": 6.5,
        "cite": "#4",
    },
    {
        "action": "create",
        "type": "pov_memory",
        "fields": {"summary": "Iris thinks the letter's a trap ☠", "certainty": "unsure", "about": "The seal"},
        "scope": {"layer": "pov", "ownerType": "character", "ownerName": "Iris"},
        "cite": "#5",
    },
    {"action": "delete", "nodeId": "N2", "cite": "#5"},
    {
        "action": "create",
        "type": "character",
        "fields": {"name": "Jo \\ the Scribe", "core_note": 'wrote:\n- line one\n- line "two"'},
        "clusters": ["letters", "court"],
        "cite": "#5",
    },
)

PLAIN: tuple[Operation, ...] = (
    {"action": "create", "type": "event", "fields": {"summary": "Iris sold the boat"}, "importance": 5, "cite": "#4"},
    {"action": "update", "nodeId": "N1", "fields": {"state": "tired"}, "cite": "#5"},
)
"""Without any mark in its texts, for damage that such a mark would make ambiguous."""

STORIES = {"mill": MILL, "tower": TOWER, "letter": LETTER, "plain": PLAIN}
