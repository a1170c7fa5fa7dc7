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
            Choice("macro", Words("Only where you write {{bme}}", "仅在写有 {{bme}} 之处")),
        ),
        label=Words("Place in the prompt", "注入位置"),
        help=Words(
            "Where the recalled memories go. The macro is {{bme}}, or a part of it, as {{bme::core}}.",
            "召回的记忆放在提示词的何处。宏为 {{bme}}，或其中一部分，如 {{bme::core}}。",
        ),
    ),
    Setting(
        key="cacheMode",
        group="injection",
        kind="bool",
        default=True,
        show_if=("injectPosition", "atDepth"),
        advanced=True,
        label=Words("Keep the prompt's beginning", "保持提示词开头不变"),
        help=Words(
            "Rules, threads and summaries stand early and change seldom, so that a cached prompt stays cheap.",
            "规则、线索和摘要放在靠前处且很少变动，使已缓存的提示词继续有效。",
        ),
    ),
    Setting(
        key="injectFormat",
        group="injection",
        kind="choice",
        default="tables",
        choices=(
            Choice("tables", Words("Tables", "表格")),
            Choice("list", Words("Lines", "逐行")),
            Choice("marked", Words("Lines with rank", "逐行并标注等级")),
        ),
        advanced=True,
        label=Words("Form", "格式"),
        help=Words(
            "Tables are read best by most models; lines need fewer tokens for few memories. With rank each line also "
            "tells tier (core, working, peripheral), type, scope, score and reason.",
            "多数模型读表格更准；记忆不多时逐行更省词元。标注等级时，"
            "每行还会写明层级（C 核心、W 工作、P 边缘）、类型、范围、得分与缘由。",
        ),
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
            "Messages between the memories and the end of the chat. Where a full chat completion prompt would lose "
            "them, they stand later.",
            "记忆与聊天末尾之间的消息数。若聊天补全的提示词已满而会丢掉记忆，则放到更靠后处。",
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
