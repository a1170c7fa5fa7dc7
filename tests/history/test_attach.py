"""Which lineage a chat that is opened belongs to (docs/storage.md, rules 40 to 44)."""

import pytest

from st_bme.history.attach import AttachDecision, CopyClaim, decide_attach
from st_bme.ports import ChatName

CHAT, OTHER = ChatName("Chat", "ann.png"), ChatName("Branch", "ann.png")


def claim(lineage="line", chat=CHAT, version=10, head="head"):
    return CopyClaim(version, lineage, chat, 3, head)


@pytest.mark.parametrize(
    ("copy", "stored", "same_name", "decision"),
    [
        pytest.param(None, {}, "", AttachDecision("birth"), id="a new chat"),
        pytest.param(None, {"line": ["head"]}, "line", AttachDecision("follow", "line"), id="metadata lost"),
        pytest.param(claim(), {"line": ["old", "head"]}, "line", AttachDecision("follow", "line"), id="as it was left"),
        pytest.param(
            claim(head="else"),
            {"line": ["head"]},
            "line",
            AttachDecision("follow", "line", needs_copy=True),
            id="the copy was written by another server",
        ),
        pytest.param(claim(), {}, "", AttachDecision("restore", "line", needs_copy=True), id="server lost"),
        pytest.param(
            claim(), {"line": ["head"]}, "", AttachDecision("follow", "line"), id="shares no message any more"
        ),
        pytest.param(
            claim(chat=OTHER), {"line": ["head"]}, "", AttachDecision("fork", "", "line"), id="a branch or a copy"
        ),
        pytest.param(
            claim(chat=OTHER),
            {},
            "",
            AttachDecision("fork", "", "line", needs_copy=True),
            id="a branch from another server",
        ),
        pytest.param(
            claim(chat=OTHER),
            {"line": ["head"], "mine": ["x"]},
            "mine",
            AttachDecision("fork", "mine", "line"),
            id="a branch that was opened before",
        ),
        pytest.param(
            claim(version=9), {}, "", AttachDecision("set_aside", needs_copy=True), id="a copy of the original ST-BME"
        ),
        pytest.param(
            claim(version=9),
            {"line": ["head"]},
            "line",
            AttachDecision("set_aside", "line", needs_copy=True),
            id="a copy of the original over a known chat",
        ),
        pytest.param(
            claim(lineage=""), {}, "", AttachDecision("set_aside", needs_copy=True), id="a copy without a lineage"
        ),
        pytest.param(claim(version=11), {"line": ["head"]}, "line", AttachDecision("read_only"), id="a newer program"),
        pytest.param(
            claim(version=11, chat=OTHER), {}, "", AttachDecision("read_only"), id="a branch of a newer program"
        ),
    ],
)
def test_what_opening_a_chat_means(copy, stored, same_name, decision):
    assert decide_attach(CHAT, copy, stored, same_name) == decision
