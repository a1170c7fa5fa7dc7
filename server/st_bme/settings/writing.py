"""Settings of the write path."""

from __future__ import annotations

from st_bme.settings.spec import Setting, Words

SETTINGS: tuple[Setting, ...] = (
    Setting(
        key="extractAutoEnabled",
        group="writing",
        kind="bool",
        default=True,
        label=Words("Write memories by itself", "自动写入记忆"),
        help=Words(
            "Extract memories as the chat goes on. Off: only when you ask for it.",
            "随聊天进行自动提取记忆。关闭时仅在您要求时提取。",
        ),
    ),
    Setting(
        key="extractEvery",
        group="writing",
        kind="int",
        default=1,
        minimum=1,
        maximum=50,
        unit="replies",
        label=Words("Extract every", "提取间隔"),
        help=Words(
            "Replies that are read together. A higher number means fewer model calls and later memories.",
            "合并读取的回复数。数值越大，模型调用越少，记忆产生越晚。",
        ),
    ),
    Setting(
        key="extractContextTurns",
        group="writing",
        kind="int",
        default=2,
        minimum=0,
        maximum=20,
        unit="turns",
        advanced=True,
        label=Words("Turns before for orientation", "前文轮数"),
        help=Words(
            "Earlier turns that the extraction sees, so that it knows who and what is meant.",
            "提取时一并提供的前文轮数，用于弄清所指的人和事。",
        ),
    ),
    Setting(
        key="includeHiddenMessages",
        group="writing",
        kind="bool",
        default=True,
        advanced=True,
        label=Words("Remember hidden messages", "记住隐藏消息"),
        help=Words(
            "Messages that you hid from the prompt keep their memories. Off: hiding a message also forgets it.",
            "从提示词中隐藏的消息仍保留其记忆。关闭时，隐藏消息也会遗忘其内容。",
        ),
    ),
    Setting(
        key="extractGreeting",
        group="writing",
        kind="bool",
        default=True,
        advanced=True,
        label=Words("Read the greeting", "读取开场白"),
        help=Words(
            "The character's first message is extracted like any other.",
            "角色的第一条消息与其他消息一样参与提取。",
        ),
    ),
    Setting(
        key="extractSettleS",
        group="writing",
        kind="float",
        default=3.0,
        minimum=0,
        maximum=120,
        unit="seconds",
        advanced=True,
        label=Words("Wait for a swipe", "等待滑动"),
        help=Words(
            "A new reply is read this long after it came, if you have not swiped it away by then.",
            "新回复到达后等待这段时间，若未被滑动替换才读取。",
        ),
    ),
    Setting(
        key="extractDefaultBatchRelatedEdges",
        group="writing",
        kind="bool",
        default=True,
        advanced=True,
        label=Words("Relate what is told together", "关联一同讲述的内容"),
        help=Words(
            "Memories of one message are related, two others each at most, where nothing else joins them.",
            "同一条消息产生的记忆若无其他联系则相互关联，每条最多关联两条。",
        ),
    ),
    Setting(
        key="extractDefaultBatchRelatedEdgeStrength",
        group="writing",
        kind="float",
        default=0.25,
        minimum=0,
        maximum=1,
        advanced=True,
        label=Words("Strength of these relations", "此类关联的强度"),
        help=Words(
            "How strongly one of them brings the others to mind. Holds for what is read from now on.",
            "想起其中一条时带出其他条的力度。只对之后读取的内容生效。",
        ),
        show_if=("extractDefaultBatchRelatedEdges", "true"),
    ),
)
