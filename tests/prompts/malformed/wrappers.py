"""Whole answers with something around them: all operations are right."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping

from prompts.malformed.case import Case, Operation, answer, compact, pretty
from prompts.malformed.stories import LETTER, MILL, STORIES, TOWER

AROUND: Mapping[str, str] = {
    "nothing": "@",
    "blank lines": "\n\n  @\n\n",
    "byte order mark": "\ufeff@",
    "zero width space": "\u200b@\u200b",
    "fence": "```json\n@\n```",
    "fence in capitals": "```JSON\n@\n```",
    "fence without a language": "```\n@\n```",
    "fence of another language": "```javascript\n@\n```",
    "fence of json5": "```json5\n@\n```",
    "fence of four": "````json\n@\n````",
    "fence of tildes": "~~~json\n@\n~~~",
    "fence left open": "```json\n@",
    "fence only at the end": "@\n```",
    "fence on one line": "```json @ ```",
    "word json before": "json\n@",
    "prose before": "Sure! Here is the JSON you asked for:\n\n@",
    "prose behind": "@\n\nLet me know if you need anything else.",
    "prose around": "Here's what I'd keep (it's not much):\n@\nThat's all - \"nothing\" else matters.",
    "prose with brackets": "Following rule [5] and {no guesses}, my answer is:\n@\nSee [1] for {details}.",
    "prose with an apostrophe behind": "@\nI've left out the rest; it's small talk.",
    "prose with a quote before": 'As "asked": @',
    "chinese prose": "好的，以下是提取结果：\n@\n以上就是全部内容。",
    "heading": "## Answer\n\n@\n\n---",
    "bold label": "**Output:** @",
    "speaker label": "Assistant: @",
    "answer tag": "<answer>\n@\n</answer>",
    "output tag": "<output>@</output>",
    "json tag": "<json>\n@\n</json>",
    "html code tag": "<pre><code>@</code></pre>",
    "end of turn token": "@<|im_end|>",
    "end of sentence token": "@</s>",
    "think closed": "<think>The mill burned. I need one event.</think>\n@",
    "think closed with json": '<think>{"operations": [{"action": "create", "type": "event"}]} no, better:</think>@',
    "think closed with an empty draft": '<think>maybe {"operations":[]}?</think>\n\n@',
    "think open": "<think>The mill burned, so one event {maybe two}.\n\n@",
    "think only closed": "The mill burned [so I think].</think>\n@",
    "thinking tag": "<thinking>\nStep 1: who?\nStep 2: [where]?\n</thinking>\n\n@",
    "two thoughts": "<think>first</think><think>then {second}</think>@",
    "nested thoughts": "<think>a <think>b</think> c</think>@",
    "think in capitals": "<THINK>hm</THINK>@",
    "think with attributes": '<think duration="3">hm</think>@',
    "thought tag": "<thought>hm {x}</thought>@",
    "reasoning tag": "<reasoning>hm</reasoning>@",
    "reflection tag": "<reflection>hm [x]</reflection>@",
    "draft in a thought tag": '<thought>{"operations":[{"action":"create","type":"event","summary":"a"}]}</thought>@',
    "draft in brackets": '[THINK]{"operations":[{"action":"create","type":"event","summary":"a"}]}[/THINK]@',
    "draft in a channel": '<|channel|>analysis<|message|>{"action":"delete","nodeId":"N1"}<|end|><|start|>assistant'
    "<|channel|>final<|message|>@",
    "draft in lozenges": '◁think▷{"action":"delete","nodeId":"N1"}◁/think▷@',
    "think in brackets": "[THINK]the mill {burned}[/THINK]@",
    "think in lozenges": "◁think▷the mill {burned}◁/think▷@",
    "think behind": "@\n<think>Did I forget {anything}? No.</think>",
    "think open behind": "@\n<think>Did I forget any",
    "channels": "<|channel|>analysis<|message|>One event {only}.<|end|><|start|>assistant<|channel|>final<|message|>@",
    "channel without start": "<|channel|>final <|constrain|>json<|message|>@<|return|>",
    "think and fence": "<think>hm</think>\n```json\n@\n```\nDone.",
}

FORMS: Mapping[str, Callable[[dict[str, object]], str]] = {
    "text of json": lambda value: json.dumps(compact(value)),
    "arguments of a call": lambda value: compact({"name": "save_memory", "arguments": value}),
    "arguments as text": lambda value: compact({"name": "save_memory", "arguments": compact(value)}),
    "tool call tag": lambda value: f"<tool_call>\n{compact({'name': 'extract', 'arguments': value})}\n</tool_call>",
    "a chat completion": lambda value: compact(
        {"choices": [{"message": {"role": "assistant", "content": compact(value)}}]}
    ),
    "entities of html": lambda value: compact(value).replace('"', "&quot;"),
    "escaped quotes": lambda value: compact(value).replace("\\", "\\\\").replace('"', '\\"'),
    "windows line ends": lambda value: pretty(value).replace("\n", "\r\n"),
    "tabs": lambda value: pretty(value).replace("  ", "\t"),
    "ascii only": json.dumps,
}

SEVERAL: Mapping[str, Callable[[tuple[Operation, ...]], str]] = {
    "one a line": lambda operations: "\n".join(map(compact, operations)),
    "comma between": lambda operations: ",\n".join(map(compact, operations)),
    "numbered": lambda operations: "\n".join(f"{n}. {compact(each)}" for n, each in enumerate(operations, 1)),
    "bulleted": lambda operations: "\n".join(f"- {compact(each)}" for each in operations),
    "a fence each": lambda operations: "\n\n".join(f"```json\n{pretty(each)}\n```" for each in operations),
    "an answer each": lambda operations: "\n".join(compact(answer([each])) for each in operations),
    "an answer twice": lambda operations: f"{compact(answer(operations))}\n{compact(answer(operations))}",
    "draft and result": lambda operations: (
        f"Draft: {compact(answer(operations[:1]))}\nFinal: {pretty(answer(operations))}"
    ),
    "thought apart": lambda operations: f'{{"thought":"fire"}}\n{compact({"operations": list(operations)})}',
    "list of answers": lambda operations: compact([answer([each]) for each in operations]),
}


def cases() -> Iterator[Case]:
    for name, around in AROUND.items():
        for story in ("mill", "tower"):
            text = around.replace("@", compact(answer(STORIES[story])))
            yield Case(f"around: {name}, {story}", text, STORIES[story])
    for name, form in FORMS.items():
        for story in ("tower", "plain") if "html" in name or name == "escaped quotes" else ("mill", "letter"):
            yield Case(f"form: {name}, {story}", form(answer(STORIES[story])), STORIES[story])
    for name, several in SEVERAL.items():
        for story, operations in (("mill", MILL), ("tower", TOWER), ("letter", LETTER)):
            yield Case(f"several: {name}, {story}", several(operations), operations)
