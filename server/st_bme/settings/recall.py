"""Settings of recall."""

from __future__ import annotations

from st_bme.settings.spec import Setting, Words

SETTINGS: tuple[Setting, ...] = (
    Setting(
        key="recallEnabled",
        group="recall",
        kind="bool",
        default=True,
        label=Words("Recall before each reply", "每次回复前召回"),
        help=Words(
            "Put matching memories into the prompt. Off: memories are only written.",
            "将匹配的记忆放入提示词。关闭时只写入记忆。",
        ),
    ),
    Setting(
        key="recallWhileTyping",
        group="recall",
        kind="bool",
        default=False,
        advanced=True,
        label=Words("Prepare while you type", "输入时预先准备"),
        help=Words(
            "What you type is embedded at each pause, which shortens the wait after you send it.",
            "每次停顿时先为输入内容计算向量，发送后的等待更短。",
        ),
    ),
    Setting(
        key="recallTopK",
        group="recall",
        kind="int",
        default=15,
        minimum=1,
        maximum=100,
        unit="memories",
        advanced=True,
        label=Words("Starting points", "起始节点数"),
        help=Words(
            "Best matches from which the search spreads over the graph.",
            "从这些最佳匹配出发，在图中扩散搜索。",
        ),
    ),
    Setting(
        key="graphWeight",
        group="recall",
        kind="float",
        default=0.6,
        minimum=0,
        maximum=1,
        advanced=True,
        label=Words("Weight of relations", "关系权重"),
        help=Words(
            "How much it counts that a memory is linked with what the message is about.",
            "记忆与消息所谈内容在图中的关联程度所占的比重。",
        ),
    ),
    Setting(
        key="vectorWeight",
        group="recall",
        kind="float",
        default=0.3,
        minimum=0,
        maximum=1,
        advanced=True,
        label=Words("Weight of meaning", "语义权重"),
        help=Words(
            "How much it counts that a memory means what the message is about, whatever its words.",
            "记忆与消息在含义上的相近程度所占的比重，不论用词。",
        ),
    ),
    Setting(
        key="lexicalWeight",
        group="recall",
        kind="float",
        default=0.18,
        minimum=0,
        maximum=1,
        advanced=True,
        label=Words("Weight of words", "词语权重"),
        help=Words(
            "How much it counts that a memory has the words and names of the message.",
            "记忆中出现消息里的词语和名字所占的比重。",
        ),
    ),
    Setting(
        key="importanceWeight",
        group="recall",
        kind="float",
        default=0.1,
        minimum=0,
        maximum=1,
        advanced=True,
        label=Words("Weight of importance", "重要性权重"),
        help=Words("How much the importance of a memory counts.", "记忆本身的重要性所占的比重。"),
    ),
    Setting(
        key="normalizeWeights",
        group="recall",
        kind="bool",
        default=True,
        advanced=True,
        label=Words("Divide by the sum of the weights", "除以权重之和"),
        help=Words(
            "A perfect memory of today scores 1, whatever the weights add up to.",
            "无论权重之和是多少，当下完全吻合的记忆得分为 1。",
        ),
    ),
    Setting(
        key="enablePassages",
        group="recall",
        kind="bool",
        default=True,
        label=Words("Quote past messages", "引用过往消息"),
        help=Words(
            "Search the messages that the prompt no longer holds as well, and quote what no memory says.",
            "同时搜索提示词已容纳不下的消息，并引用记忆中没有的内容。",
        ),
    ),
    Setting(
        key="passageMaxTokens",
        group="recall",
        kind="int",
        default=1200,
        minimum=0,
        maximum=8000,
        unit="tokens",
        advanced=True,
        label=Words("Most tokens of quotes", "引用的最大词元数"),
        help=Words(
            "Room that quotes may take among the memories. The more relevant goes first, memory or quote.",
            "引用在注入的记忆中最多占用的空间。记忆与引用按相关程度先后取用。",
        ),
    ),
)
