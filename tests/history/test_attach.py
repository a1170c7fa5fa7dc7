"""What opening a chat means (docs/storage.md, rules 40 to 44)."""

import pytest

from st_bme.history.attach import (
    AttachDecision,
    CopyClaim,
    OpenedChat,
    StoredClaim,
    decide_attach,
    kept_front,
    shared_length,
)
from st_bme.model.message import ListedMessage
from st_bme.ports import ChatName

CHAT, OTHER = ChatName("Chat", "ann.png"), ChatName("Branch", "ann.png")


def claim(lineage="line", chat=CHAT, version=10, head="head", length=0, **more):
    return CopyClaim(version, lineage, chat, 3, head, length, **more)


def kept(*heads, chat=CHAT, length=4):
    return StoredClaim(chat, heads, length)


@pytest.mark.parametrize(
    ("copy", "stored", "same_name", "decision"),
    [
        pytest.param(None, {}, "", AttachDecision("birth"), id="a new chat"),
        pytest.param(None, {"line": kept("head")}, "line", AttachDecision("follow", "line"), id="metadata lost"),
        pytest.param(
            claim(), {"line": kept("old", "head")}, "line", AttachDecision("follow", "line"), id="as it was left"
        ),
        pytest.param(
            claim(head="else"),
            {"line": kept("head")},
            "line",
            AttachDecision("follow", "line", needs_copy=True),
            id="the copy was written by another server",
        ),
        pytest.param(claim(), {}, "", AttachDecision("restore", "line", needs_copy=True), id="server lost"),
        pytest.param(
            claim(), {"line": kept("head")}, "", AttachDecision("follow", "line"), id="shares no message any more"
        ),
        pytest.param(
            claim(chat=OTHER),
            {"line": kept("head", chat=OTHER)},
            "",
            AttachDecision("fork", "", "line"),
            id="a branch or a copy",
        ),
        pytest.param(
            claim(chat=ChatName("Chat", "anne.png")),
            {"line": kept("head")},
            "line",
            AttachDecision("follow", "line"),
            id="the character was renamed while another chat was open",
        ),
        pytest.param(
            claim(chat=ChatName("Chat", "anne.png"), owner_gone=True),
            {"line": kept("head", chat=ChatName("Chat", "anne.png"))},
            "",
            AttachDecision("follow", "line"),
            id="the character was renamed while the server was off",
        ),
        pytest.param(
            claim(chat=ChatName("Before", "anne.png"), owner_gone=True),
            {"line": kept("head", chat=ChatName("Chat", "anne.png"))},
            "",
            AttachDecision("follow", "line"),
            id="and before that the chat, which its file does not say yet",
        ),
        pytest.param(
            claim(chat=ChatName("Chat", "anne.png")),
            {"line": kept("head", chat=ChatName("Chat", "anne.png"))},
            "",
            AttachDecision("fork", "", "line"),
            id="the file was copied to another character",
        ),
        pytest.param(
            claim(chat=ChatName("Before", "anne.png"), owner_gone=True),
            {"line": kept("head", chat=ChatName("Before", "anne.png"))},
            "",
            AttachDecision("fork", "", "line"),
            id="a copy of a chat whose character was deleted",
        ),
        pytest.param(
            claim(chat=OTHER),
            {},
            "",
            AttachDecision("fork", "", "line", needs_copy=True),
            id="a branch from another server",
        ),
        pytest.param(
            claim(chat=OTHER, chat_gone=True),
            {"line": kept("head", chat=OTHER)},
            "",
            AttachDecision("follow", "line"),
            id="the chat was renamed while the server was off",
        ),
        pytest.param(
            claim(chat=OTHER, chat_gone=True),
            {},
            "",
            AttachDecision("restore", "line", needs_copy=True),
            id="and the server was lost",
        ),
        pytest.param(
            claim(chat=OTHER, chat_gone=True),
            {"line": kept("head", chat=ChatName("Third", "ann.png"))},
            "",
            AttachDecision("fork", "", "line"),
            id="a third chat goes on with the memory of the one that is gone",
        ),
        pytest.param(
            claim(chat=ChatName("Branch", "bob.png"), chat_gone=True),
            {"line": kept("head", chat=ChatName("Branch", "bob.png"))},
            "",
            AttachDecision("fork", "", "line"),
            id="the chat that is gone was another character's",
        ),
        pytest.param(
            claim(chat=OTHER),
            {"line": kept("head", chat=OTHER), "mine": kept("x")},
            "mine",
            AttachDecision("fork", "mine", "line"),
            id="a branch that was opened before",
        ),
        pytest.param(
            claim(version=9), {}, "", AttachDecision("set_aside", needs_copy=True), id="a copy of the original ST-BME"
        ),
        pytest.param(
            claim(version=9),
            {"line": kept("head")},
            "line",
            AttachDecision("set_aside", "line", needs_copy=True),
            id="a copy of the original over a known chat",
        ),
        pytest.param(
            claim(lineage=""), {}, "", AttachDecision("set_aside", needs_copy=True), id="a copy without a lineage"
        ),
        pytest.param(
            claim(version=11), {"line": kept("head")}, "line", AttachDecision("read_only"), id="a newer program"
        ),
        pytest.param(
            claim(version=11, chat=OTHER), {}, "", AttachDecision("read_only"), id="a branch of a newer program"
        ),
    ],
)
def test_what_opening_a_chat_means(copy, stored, same_name, decision):
    assert decide_attach(OpenedChat(CHAT, 4), copy, stored, same_name) == decision


@pytest.mark.parametrize("length", [0, 1])
@pytest.mark.parametrize(
    ("copy", "stored", "same_name", "decision"),
    [
        pytest.param(
            claim(), {"line": kept("head")}, "", AttachDecision("birth", left="line"), id="the store knows the messages"
        ),
        pytest.param(
            claim(length=4),
            {},
            "",
            AttachDecision("birth", needs_copy=True, left="line"),
            id="only the copy knows the messages",
        ),
        pytest.param(
            claim(), {}, "", AttachDecision("restore", "line", needs_copy=True), id="the copy is not here yet"
        ),
        pytest.param(
            claim(),
            {"line": kept("head"), "bare": kept("x", length=1)},
            "bare",
            AttachDecision("follow", "bare", left="line"),
            id="opened again",
        ),
        pytest.param(
            claim(), {"line": kept("head", length=1)}, "line", AttachDecision("follow", "line"), id="it was bare before"
        ),
        pytest.param(
            claim(chat=OTHER), {"line": kept("head", chat=OTHER)}, "", AttachDecision("fork", "", "line"), id="a branch"
        ),
    ],
)
def test_what_opening_a_chat_without_messages_means(length, copy, stored, same_name, decision):
    assert decide_attach(OpenedChat(CHAT, length), copy, stored, same_name) == decision


def slots(*texts):
    return [None if text is None else ListedMessage(0, text, "user", "Uma") for text in texts]


LONG = [str(number) for number in range(30)]


@pytest.mark.parametrize(
    ("listed", "front"),
    [
        pytest.param(LONG[20:], 20, id="the end of the chat"),
        pytest.param([*LONG[25:], "more", "yet more"], 25, id="the end, and what was said since"),
        pytest.param(LONG[19:], 0, id="so few may have been deleted"),
        pytest.param(LONG[29:], 0, id="one message may be any other's"),
        pytest.param(LONG, 0, id="all of it"),
        pytest.param([], 0, id="nothing"),
        pytest.param(LONG[:10], 0, id="the beginning"),
        pytest.param(LONG[21:28], 0, id="a piece from the middle"),
        pytest.param(["else", *LONG[21:]], 0, id="another greeting"),
    ],
)
def test_how_much_of_the_front_a_list_lacks(listed, front):
    assert kept_front(slots(*LONG), slots(*listed)) == front


def test_messages_that_do_not_count_have_their_place_in_the_front():
    assert kept_front(slots(None, *LONG[:20], None, "a", "b"), slots(None, "a", "b")) == 21


@pytest.mark.parametrize(
    ("one", "other", "length"), [("abc", "abd", 2), ("ab", "abc", 2), ("", "a", 0), ("ba", "a", 0)]
)
def test_how_far_two_views_go_together(one, other, length):
    assert shared_length(one, other) == length
