"""Words at which a story turns: surprise, betrayal and death, memory, feelings and secrets, plans, movement."""

from __future__ import annotations

_CHINESE = "突然 没想到 原来 其实 发现 背叛 死亡 复活 恢复记忆 失忆 告白 暴露 秘密 计划 规则 契约 位置 地点 离开 来到"
CHINESE = _CHINESE.split()
"""Found anywhere, as Chinese has no blanks between words."""

ENGLISH: dict[str, list[str]] = {
    forms.split()[0]: forms.split()
    for forms in (
        "suddenly",
        "unexpectedly",
        "reveal reveals revealed revealing revelation",
        "discover discovers discovered discovery",
        "realize realizes realized realise realises realised",
        "betray betrays betrayed betrayal betrayer traitor",
        "death deaths die dies died dying dead",
        "kill kills killed killing murder murders murdered",
        "resurrect resurrects resurrected resurrection revive revives revived",
        "amnesia amnesiac",
        "confess confesses confessed confession",
        "secret secrets secretly",
        "expose exposes exposed",
        "plan plans planned",
        "rule rules",
        "pact contract oath oaths vow vows vowed",
        "promise promises promised",
        "leave leaves leaving depart departs departed",
        "arrive arrives arrived arrival",
    )
}
"""Whole words; the forms of one word count once."""

CHINESE_ENTITY_ENDINGS = "先生|小姐|王国|城|镇|村|学院|组织|公司|小队|军团"
