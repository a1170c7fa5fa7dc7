"""Settings of the model that chooses among what was found."""

from __future__ import annotations

from st_bme.settings.spec import Choice, Setting, Words

SETTINGS: tuple[Setting, ...] = (
    Setting(
        key="recallEnableLLM",
        group="recall",
        kind="bool",
        default=False,
        label=Words("Let a model choose", "让模型挑选"),
        help=Words(
            "A model picks what fits best out of what was found. Costs a call and seconds before each reply.",
            "由模型从找到的记忆中挑出最合适的。每次回复前会多一次调用和几秒等待。",
        ),
    ),
    Setting(
        key="rerankSource",
        group="recall",
        kind="choice",
        default="chat",
        choices=(
            Choice("chat", Words("The chat model of memory work", "记忆所用的聊天模型")),
            Choice("endpoint", Words("A rerank endpoint", "重排接口")),
        ),
        show_if=("recallEnableLLM", "true"),
        advanced=True,
        label=Words("Who chooses", "由谁挑选"),
        help=Words(
            "Over SillyTavern a chat model needs a connection profile: the connection that you chat with is busy with "
            "the reply.",
            "经由 SillyTavern 时，聊天模型须使用连接配置：当前聊天所用的连接正忙于回复。",
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
        show_if=("recallEnableLLM", "true"),
        advanced=True,
        label=Words("Most chosen memories", "最多挑选的记忆数"),
        help=Words("How many of what was found the model keeps.", "模型从找到的记忆中最多保留多少条。"),
    ),
    Setting(
        key="recallLLMTimeoutS",
        group="recall",
        kind="int",
        default=8,
        minimum=1,
        maximum=60,
        unit="seconds",
        show_if=("recallEnableLLM", "true"),
        advanced=True,
        label=Words("Wait for the choice", "等待挑选"),
        help=Words(
            "After this time the reply goes on with the order that was found without a model.",
            "超过此时间后，按不用模型得出的顺序继续回复。",
        ),
    ),
    Setting(
        key="rerankApiUrl",
        group="recall",
        kind="text",
        default="",
        show_if=("rerankSource", "endpoint"),
        advanced=True,
        label=Words("Rerank endpoint", "重排接口地址"),
        help=Words(
            "Base URL of an API with `/rerank`, as of Jina, Cohere or llama.cpp. Empty: that of the chat model.",
            "提供 `/rerank` 的接口地址，如 Jina、Cohere 或 llama.cpp。留空则用聊天模型的地址。",
        ),
    ),
    Setting(
        key="rerankModel",
        group="recall",
        kind="text",
        default="",
        show_if=("rerankSource", "endpoint"),
        advanced=True,
        label=Words("Rerank model", "重排模型"),
        help=Words("Name of the model at that endpoint.", "该接口上的模型名称。"),
    ),
    Setting(
        key="rerankApiKey",
        group="recall",
        kind="secret",
        default="",
        show_if=("rerankSource", "endpoint"),
        advanced=True,
        label=Words("Rerank key", "重排密钥"),
        help=Words(
            "Stays on the memory server and goes to this endpoint only.", "只保存在记忆服务器上，只发往该接口。"
        ),
    ),
)
