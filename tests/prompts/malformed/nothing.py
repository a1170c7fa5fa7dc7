"""Answers that say that there is nothing to keep, which is right, and answers that are none."""

from __future__ import annotations

from collections.abc import Iterator

from prompts.malformed.case import Case, compact
from prompts.malformed.stories import MILL

EMPTY = (
    '{"operations":[]}',
    '{"operations": []}\n',
    '{"thought":"small talk","operations":[]}',
    '```json\n{"operations": []}\n```',
    '```\n{"operations":[]}',
    "[]",
    "```json\n[]\n```",
    "<think>nothing {here}</think>[]",
    '<think>nothing</think>\n{"operations":[]}',
    '<think>nothing {"operations":[]}',
    'Nothing worth keeping. {"operations": []}',
    '{"operations":[]} Nothing happened.',
    "{'operations': []}",
    "{operations: []}",
    '{"operations":[],}',
    '{"operations":[]',
    '{"operations": null}',
    '{"operations": {}}',
    '{"thought": "只是闲聊", "operations": []}',
    '{"memories": []}',
    '{"ops": []}',
    '{"result": {"operations": []}}',
    '{"operations": [], "notes": {"label": "dusk"}}',
    '{"operations": [ /* nothing */ ]}',
    '{"operations": [null]}',
    '{"operations": [{}]}',
    '{"has_key_information": false}',
    '{"has_key_information": false, "operations": []}',
    '{"hasKeyInformation": "no", "operations": null}',
    '"{\\"operations\\":[]}"',
)

REFUSALS = (
    "",
    " \n\t",
    "\x00",
    "...",
    "I'm sorry, but I can't help with that.",
    "I can’t continue with this content.",
    "I cannot extract memories from this conversation [policy].",
    "I'm unable to process content of {this kind}.",
    "As an AI language model, I can't write about that.",
    "抱歉，我无法处理这些内容。",
    "对不起，这个请求违反了使用政策。",
    "申し訳ありませんが、お手伝いできません。",
    "Je ne peux pas vous aider.",
    "Sure, I can help! What would you like me to extract?",
    "The mill burned down and Tam was hurt.",
    "- event: the mill burned\n- character: Tam",
    "action: create\ntype: event\nsummary: the mill burned",
    "I can't. - [ ] open point",
    "[Content removed]",
    "[]() is a link",
    "{}",
    "{ }",
    "null",
    "true",
    "42",
    '"no"',
    "[1, 2, 3]",
    '["a", "b"]',
    "[[]]",
    "[null]",
    "{",
    "[",
    "```json\n```",
    "```json\n{\n```",
    "<think>I wonder what to write",
    "<think>I wonder</think>",
    '{"operations": [ ... ]}',
    '{"operations": "none of your business"}',
    '{"operations":[',
    '{"thought": "hm"}',
    '{"refusal": "I cannot help with that."}',
    '{"message": "I cannot help with that."}',
    '{"content": null}',
    '{"summary": "The mill burned."}',
    '{"name": "Tam"}',
    '{"error": "overloaded"}',
    '{"error":{"message":"Rate limit reached","type":"requests","code":"rate_limit_exceeded"}}',
    '{"error":{"message":"bad key","type":"invalid_request_error"},"operations":[]}',
    '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    '{"detail":"Not Found"}',
    '{"object":"error","message":"context too long","code":400}',
    '{"status":"failed","operations":null,"error":"timeout"}',
    '[{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}]',
    "<!DOCTYPE html><html><body>502 Bad Gateway</body></html>",
    "<html>\n<head><title>Just a moment...</title></head>",
    '\n\n<!doctype HTML><script>var x = {"operations":[]}</script>',
    '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>',
    '<body onload="{}">[]</body>',
    "<!-- blocked --><html><body>{}</body></html>",
    "data: [DONE]",
    "upstream connect error or disconnect/reset before headers. reset reason: connection failure",
    "Traceback (most recent call last):\n  File \"x.py\", line 1, in <module>\nKeyError: 'choices'",
)


def cases() -> Iterator[Case]:
    for number, text in enumerate(EMPTY):
        yield Case(f"empty: {number}", text, [])
    for number, text in enumerate(REFUSALS):
        yield Case(f"refusal: {number}", text, None)
    page = f"<!DOCTYPE html><html><script>{compact({'operations': list(MILL)})}</script></html>"
    yield Case("refusal: a page with operations in it", page, None)
