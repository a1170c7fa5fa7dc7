"""Every setting that has an effect, with the words that the panel shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["bool", "int", "float", "text", "choice"]


@dataclass(frozen=True, slots=True)
class Words:
    """A text in each language of the panel."""

    en: str
    zh: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a closed set."""

    value: str
    label: Words


@dataclass(frozen=True, slots=True)
class Group:
    """A heading of the panel."""

    id: str
    label: Words


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting. Numbers have a range; a choice has choices."""

    key: str
    group: str
    kind: Kind
    default: bool | int | float | str
    label: Words
    help: Words
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[Choice, ...] = ()
    advanced: bool = False


GROUPS: tuple[Group, ...] = (
    Group("general", Words("General", "常规")),
    Group("writing", Words("Memory writing", "记忆写入")),
    Group("recall", Words("Recall", "召回")),
    Group("injection", Words("Injection", "注入")),
)

SETTINGS: tuple[Setting, ...] = (
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
        key="recallMaxNodes",
        group="recall",
        kind="int",
        default=8,
        minimum=1,
        maximum=50,
        unit="memories",
        label=Words("Most memories a reply", "每次回复最多记忆数"),
        help=Words("How many memories are recalled at most.", "每次最多召回多少条记忆。"),
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
        key="injectPosition",
        group="injection",
        kind="choice",
        default="atDepth",
        choices=(
            Choice("atDepth", Words("In the chat, at a depth", "聊天中指定深度")),
            Choice("afterPrompt", Words("After the main prompt", "主提示词之后")),
            Choice("beforePrompt", Words("Before the main prompt", "主提示词之前")),
        ),
        label=Words("Place in the prompt", "注入位置"),
        help=Words("Where the recalled memories go.", "召回的记忆放在提示词的何处。"),
    ),
    Setting(
        key="injectDepth",
        group="injection",
        kind="int",
        default=4,
        minimum=0,
        maximum=9999,
        unit="messages",
        label=Words("Depth", "深度"),
        help=Words(
            "Messages between the memories and the end of the chat. Above 10, a chat completion prompt that is full "
            "may lose them.",
            "记忆与聊天末尾之间的消息数。大于 10 时，聊天补全的提示词过满可能会丢掉记忆。",
        ),
    ),
    Setting(
        key="injectRole",
        group="injection",
        kind="choice",
        default="system",
        choices=(
            Choice("system", Words("System", "系统")),
            Choice("user", Words("User", "用户")),
            Choice("assistant", Words("Assistant", "助手")),
        ),
        advanced=True,
        label=Words("Role", "角色"),
        help=Words("In whose name the memories stand in the prompt.", "记忆以谁的身份出现在提示词中。"),
    ),
    Setting(
        key="injectMaxTokens",
        group="injection",
        kind="int",
        default=1200,
        minimum=100,
        maximum=8000,
        unit="tokens",
        label=Words("Most tokens", "最大词元数"),
        help=Words("Room that the memories may take in the prompt.", "记忆在提示词中最多占用的空间。"),
    ),
)
