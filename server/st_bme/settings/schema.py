"""Every setting that has an effect, with the words that the panel shows."""

from __future__ import annotations

from st_bme.settings import asking, injection, models, recall, rerank, scoring, timing, upkeep, writing
from st_bme.settings.spec import Choice, Group, Setting, Words

GROUPS: tuple[Group, ...] = (
    Group("general", Words("General", "常规")),
    Group("writing", Words("Memory writing", "记忆写入")),
    Group("upkeep", Words("Upkeep", "维护")),
    Group("recall", Words("Recall", "召回")),
    Group("injection", Words("Injection", "注入")),
    Group("models", Words("Models", "模型")),
)

_GENERAL: tuple[Setting, ...] = (
    Setting(
        key="enabled",
        group="general",
        kind="bool",
        default=False,
        label=Words("Use memory", "启用记忆"),
        help=Words(
            "Remember what happens in your chats and recall it before each reply. Off: nothing is read or added.",
            "记住聊天中发生的事，并在每次回复前召回。关闭时不读取也不注入任何内容。",
        ),
    ),
)

SETTINGS: tuple[Setting, ...] = (
    *_GENERAL,
    *writing.SETTINGS,
    *timing.SETTINGS,
    *asking.SETTINGS,
    *upkeep.SETTINGS,
    *recall.SETTINGS,
    *scoring.SETTINGS,
    *rerank.SETTINGS,
    *injection.SETTINGS,
    *models.SETTINGS,
)

__all__ = ["GROUPS", "SETTINGS", "Choice", "Group", "Setting", "Words"]
