"""Settings of the injection."""

from __future__ import annotations

from st_bme.settings.spec import Choice, Setting, Words

SETTINGS: tuple[Setting, ...] = (
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
