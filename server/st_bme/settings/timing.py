"""Settings of when is extracted, and of what is left out of the messages."""

from __future__ import annotations

from st_bme.settings.spec import Setting, Words

SETTINGS: tuple[Setting, ...] = (
    Setting(
        key="extractAutoDelayLatestAssistant",
        group="writing",
        kind="bool",
        default=False,
        advanced=True,
        label=Words("Leave out the newest reply", "暂不读取最新回复"),
        help=Words(
            "Each reply is read only when the next one came. For those who often swipe late.",
            "每条回复在下一条到来后才读取。适合经常事后滑动的用户。",
        ),
    ),
    Setting(
        key="idleMinutes",
        group="writing",
        kind="int",
        default=30,
        minimum=0,
        maximum=1440,
        unit="minutes",
        advanced=True,
        label=Words("Read all after a pause of", "闲置后读取全部"),
        help=Words(
            "When nothing was said for so long, what still waits is read too. 0: it waits on.",
            "聊天闲置这么久后，尚在等待的消息也会被读取。0 表示继续等待。",
        ),
    ),
    Setting(
        key="enableSmartTrigger",
        group="writing",
        kind="bool",
        default=False,
        advanced=True,
        label=Words("Read turning points at once", "转折时立即读取"),
        help=Words(
            "Where much happens, all pending replies are read together, even if `Extract every` is not reached.",
            "出现重要情节时，即使未达到提取间隔，也立即合并读取全部待处理回复。",
        ),
    ),
    Setting(
        key="triggerPatterns",
        group="writing",
        kind="lines",
        default="",
        advanced=True,
        label=Words("Own turning points", "自定义触发"),
        help=Words(
            "Words or patterns, one a line or between commas, that make a message a turning point.",
            "使消息成为转折点的词语或正则，每行一个或用逗号分隔。",
        ),
        show_if=("enableSmartTrigger", "true"),
    ),
    Setting(
        key="smartTriggerThreshold",
        group="writing",
        kind="int",
        default=2,
        minimum=1,
        maximum=10,
        unit="points",
        advanced=True,
        label=Words("Points of a turning point", "转折点阈值"),
        help=Words(
            "Keywords give up to 2 points, an own pattern 2, exchange, emphasis and a new name 1 each.",
            "关键词最多 2 分，自定义规则 2 分，多轮往返、情绪标点、新名称各 1 分。",
        ),
        show_if=("enableSmartTrigger", "true"),
    ),
    Setting(
        key="extractRecentMessageCap",
        group="writing",
        kind="int",
        default=0,
        minimum=0,
        maximum=500,
        unit="messages",
        advanced=True,
        label=Words("Most messages in a prompt", "提示词消息上限"),
        help=Words(
            "Earlier messages beyond it are left out; what is to be read stays. 0: no limit.",
            "超出部分的前文会被省略，待读取的消息保留。0 表示不限。",
        ),
    ),
    Setting(
        key="extractAssistantExcludeTags",
        group="writing",
        kind="text",
        default="think,analysis,reasoning",
        advanced=True,
        label=Words("Leave out tags", "排除标签"),
        help=Words(
            "Tags in replies that tell no story, between commas.",
            "回复中与剧情无关的标签，用逗号分隔。",
        ),
    ),
    Setting(
        key="extractAssistantExtractTags",
        group="writing",
        kind="text",
        default="",
        advanced=True,
        label=Words("Read only tags", "仅读取标签"),
        help=Words(
            "Of a reply with one of these tags only what is inside is read. The first one that is found counts.",
            "若回复含有这些标签之一，则只读取其中内容，以首个找到的为准。",
        ),
    ),
    Setting(
        key="extractAssistantExcludeRules",
        group="writing",
        kind="lines",
        default="",
        advanced=True,
        label=Words("Leave out between", "排除区间"),
        help=Words(
            "One a line, beginning and end with three dots between them: `[[ ... ]]`.",
            "每行一条，起始与结束标记之间用三个点隔开：`[[ ... ]]`。",
        ),
    ),
    Setting(
        key="extractAssistantExtractRules",
        group="writing",
        kind="lines",
        default="",
        advanced=True,
        label=Words("Read only between", "仅读取区间"),
        help=Words(
            "As above. Of a reply with such a part only that is read.",
            "格式同上。若回复含有此类部分，则只读取该部分。",
        ),
    ),
)
