"""Settings of what keeps memories back and of how they are scored."""

from __future__ import annotations

from st_bme.settings.spec import Choice, Setting, Words

SETTINGS: tuple[Setting, ...] = (
    Setting(
        key="enableVisibility",
        group="recall",
        kind="bool",
        default=False,
        advanced=True,
        label=Words("Obey visibility", "遵守可见范围"),
        help=Words(
            "A memory whose field `visibility` names characters is recalled for these alone; `*` is everyone.",
            "若记忆的 `visibility` 字段列出了角色，则只为这些角色召回；`*` 表示所有人。",
        ),
    ),
    Setting(
        key="decayClock",
        group="recall",
        kind="choice",
        default="turns",
        advanced=True,
        choices=(
            Choice("turns", Words("Turns of the chat", "聊天回合")),
            Choice("story", Words("Time of the story", "故事时间")),
            Choice("real", Words("Real days", "现实天数")),
        ),
        label=Words("Memories fade with", "记忆淡化依据"),
        help=Words(
            "What counts as time since a memory was told: turns, segments of the story where it has them, or days. "
            "Forgetting goes by turns or the story.",
            "以什么衡量记忆的新旧：聊天回合、故事时间线上的段落（若有），或现实中的天数。遗忘只按回合或故事时间。",
        ),
    ),
    Setting(
        key="enableLifecycle",
        group="recall",
        kind="bool",
        default=False,
        advanced=True,
        label=Words("Memories live by use", "按使用情况淡化"),
        help=Words(
            "What is recalled often or matters much fades slowly, what nobody needs fast.",
            "常被召回或很重要的记忆淡化得慢，无人问津的淡化得快。",
        ),
    ),
    Setting(
        key="enableCrossRecall",
        group="recall",
        kind="bool",
        default=False,
        advanced=True,
        label=Words("From names to events", "由名字联想事件"),
        help=Words(
            "A name in the message also calls up the events that are linked with it.",
            "消息中出现的名字还会带出与之相连的事件。",
        ),
    ),
    Setting(
        key="enableTemporalLinks",
        group="recall",
        kind="bool",
        default=False,
        advanced=True,
        label=Words("Links in time", "时间相邻关联"),
        help=Words(
            "What follows in the story is weakly linked, so that one event calls up those around it.",
            "故事中前后相接的记忆之间有微弱关联，一个事件会带出其前后的事件。",
        ),
    ),
    Setting(
        key="enableDiversitySampling",
        group="recall",
        kind="bool",
        default=True,
        advanced=True,
        label=Words("Memories that differ", "多样性选取"),
        help=Words(
            "Of three times as many good memories those are kept that are worded least alike. Off: the most relevant.",
            "从三倍数量的好记忆中保留措辞最不相近的。关闭时直接取最相关者。",
        ),
    ),
    Setting(
        key="enableProbRecall",
        group="recall",
        kind="bool",
        default=False,
        advanced=True,
        label=Words("Recall by chance", "随机闪回"),
        help=Words(
            "Now and then an important memory comes back though nobody asked about it.",
            "偶尔让一条重要记忆不经提问自行浮现。",
        ),
    ),
    Setting(
        key="probRecallChance",
        group="recall",
        kind="float",
        default=0.15,
        minimum=0.01,
        maximum=0.5,
        advanced=True,
        show_if=("enableProbRecall", "true"),
        label=Words("Chance", "闪回概率"),
        help=Words("For each of the three most important memories that are left.", "对剩余三条最重要的记忆分别计算。"),
    ),
)
