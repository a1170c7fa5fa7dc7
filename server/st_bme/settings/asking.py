"""Settings of what an extraction asks a model for."""

from __future__ import annotations

from st_bme.settings.spec import Choice, Setting, Words

EXTRACT_PLACEHOLDERS = (
    "types",
    "relations",
    "user",
    "character",
    "persona",
    "card",
    "world_info",
    "counts",
    "known",
    "summaries",
    "story_time",
    "regions",
    "variables",
    "forbidden",
    "context",
    "run",
    "problems",
    "pov",
    "scopes",
    "story_times",
    "cognition",
    "adjacency",
    "extras",
)
"""What an extraction prompt may name. The last six are switches, for lines `?? name`."""


def _switch(key: str, label: Words, help_text: Words, *, default: bool = True) -> Setting:
    return Setting(key=key, group="writing", kind="bool", default=default, advanced=True, label=label, help=help_text)


SETTINGS: tuple[Setting, ...] = (
    Setting(
        key="extractStages",
        group="writing",
        kind="choice",
        default="single",
        choices=(
            Choice("single", Words("One call for everything", "一次调用完成")),
            Choice("gate_then_extract", Words("First ask whether there is anything", "先判断是否有内容")),
            Choice("objective_then_pov", Words("First what happened, then who sees it how", "先客观事实，再主观视角")),
        ),
        advanced=True,
        label=Words("Steps", "步骤"),
        help=Words(
            "Asking first saves tokens in chats of much small talk; asking for views apart helps small models.",
            "先判断可在闲聊多时节省词元；分开询问视角有助于小模型。",
        ),
    ),
    Setting(
        key="extractPromptStructuredMode",
        group="writing",
        kind="choice",
        default="both",
        choices=(
            Choice("both", Words("Transcript and a list of who speaks", "对话文本与发言列表")),
            Choice("transcript", Words("Transcript", "对话文本")),
            Choice("structured", Words("JSON", "JSON")),
        ),
        advanced=True,
        label=Words("Form of the messages", "消息形式"),
        help=Words("How the model that extracts is shown the messages.", "以何种形式向提取模型展示消息。"),
    ),
    _switch(
        "extractIncludeSummaries",
        Words("Show summaries", "附上摘要"),
        Words("The extraction sees the summaries of what was before.", "提取时附上前情摘要。"),
    ),
    _switch(
        "extractIncludeStoryTime",
        Words("Show the story time", "附上故事时间"),
        Words("The extraction sees when the story is.", "提取时附上故事当前所处的时间。"),
    ),
    _switch(
        "extractIncludeCard",
        Words("Show the character card", "附上角色卡"),
        Words(
            "The extraction sees character and persona as background. Costs their tokens each time.",
            "提取时附上角色与用户设定作为背景。每次都会消耗相应词元。",
        ),
        default=False,
    ),
    _switch(
        "extractIncludeWorldInfo",
        Words("Show world info", "附上世界书"),
        Words(
            "The extraction sees the world info of the last prompt, as background. Costs its tokens each time.",
            "提取时附上最近一次提示词中的世界书内容作为背景。每次都会消耗相应词元。",
        ),
        default=False,
    ),
    _switch(
        "enableScopedMemory",
        Words("Places of memories", "记忆的地点"),
        Words(
            "Memories know the place that they belong to, and what lies where the scene is counts more.",
            "记忆带有所属地点，与当前场景同地的记忆权重更高。",
        ),
    ),
    _switch(
        "enablePovMemory",
        Words("Points of view", "主观视角"),
        Words(
            "What one person feels, assumes or wrongly believes becomes a memory of theirs.",
            "某人的感受、推测或误解会成为其个人记忆。",
        ),
    ),
    _switch(
        "enableCognitiveMemory",
        Words("Who knows what", "谁知道什么"),
        Words(
            "Follow which character came to know what, or has it wrong. Nobody recalls what they cannot know.",
            "记录哪个角色得知了什么，或理解错了什么。角色不会想起自己不可能知道的事。",
        ),
    ),
    _switch(
        "enableStoryTimeline",
        Words("Story time", "故事时间线"),
        Words(
            "Follow when in the story something happens. What is still to come waits until the text speaks of it.",
            "记录事情发生在故事的什么时间。尚未发生的事在文本提及之前不会被召回。",
        ),
    ),
    _switch(
        "enableSpatialAdjacency",
        Words("Neighbouring places", "相邻地点"),
        Words(
            "Follow where the story is and which places lie next to each other.", "记录故事所在地点以及哪些地点相邻。"
        ),
    ),
    Setting(
        key="trackedVariables",
        group="writing",
        kind="lines",
        default="",
        advanced=True,
        label=Words("Tracked values", "跟踪的变量"),
        help=Words(
            "One a line, name and what it means: `mood: how Iris feels`. Each new value is remembered.",
            "每行一个，名称与含义：`心情：艾琳的心情`。每个新值都会被记住。",
        ),
    ),
    Setting(
        key="forbiddenVariables",
        group="writing",
        kind="lines",
        default="",
        advanced=True,
        label=Words("Never record", "禁止记录"),
        help=Words(
            "Names of what is never extracted, one a line. What looks like a secret is dropped anyway.",
            "绝不提取的内容名称，每行一个。看似机密的值一律丢弃。",
        ),
    ),
    _switch(
        "exportVariablesToChat",
        Words("Write tracked values into the chat", "将跟踪的变量写入聊天"),
        Words(
            "Each new value also becomes a chat variable of SillyTavern, so that `{{getvar::mood}}` has it.",
            "每个新值同时写入 SillyTavern 的聊天变量，可用 `{{getvar::心情}}` 读取。",
        ),
        default=False,
    ),
    Setting(
        key="nodeTypeSchema",
        group="writing",
        kind="lines",
        default="",
        advanced=True,
        has_types=True,
        label=Words("Own types of memories", "自定义记忆类型"),
        help=Words(
            "One a line, with its columns: `spell (magic): name*, effect`. * is required. More in docs/settings.md.",
            "每行一个，写明字段：`spell (法术): name*, effect`。* 为必填。详见 docs/settings.md。",
        ),
    ),
    _switch(
        "enableForceUpdate",
        Words("Ask again for what is missing", "追问缺漏"),
        Words(
            "Where much was said and no event was noted, one more call asks for it. So of own types: `spell*: name`.",
            "内容较多却没有记下事件时，再调用一次追问。自定义类型也可如此：`spell*: name`。",
        ),
        default=False,
    ),
    Setting(
        key="extractPrompt",
        group="writing",
        kind="lines",
        default="",
        advanced=True,
        placeholders=EXTRACT_PLACEHOLDERS,
        label=Words("Extraction prompt", "提取提示词"),
        help=Words(
            "Your own instead of the built-in one. Its placeholders stand in docs/settings.md.",
            "用您自己的提示词代替内置提示词。占位符见 docs/settings.md。",
        ),
    ),
    Setting(
        key="extractGatePrompt",
        group="writing",
        kind="lines",
        default="",
        advanced=True,
        placeholders=EXTRACT_PLACEHOLDERS,
        label=Words("Prompt of the first question", "先行判断提示词"),
        help=Words(
            "Your own words for whether there is anything to remember. As the extraction prompt.",
            "用您自己的措辞询问是否有内容值得记住。写法同提取提示词。",
        ),
        show_if=("extractStages", "gate_then_extract"),
    ),
    Setting(
        key="extractPovPrompt",
        group="writing",
        kind="lines",
        default="",
        advanced=True,
        placeholders=EXTRACT_PLACEHOLDERS,
        label=Words("Prompt for points of view", "主观视角提示词"),
        help=Words(
            "Your own words for who sees it how. As the extraction prompt.",
            "用您自己的措辞询问各人如何看待。写法同提取提示词。",
        ),
        show_if=("extractStages", "objective_then_pov"),
    ),
)
