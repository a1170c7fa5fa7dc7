"""Chat files of SillyTavern, old and new, read as the page reads the chat array."""

import json

import pytest

from st_bme.adapters.chat_file import read_chat_file
from st_bme.errors import BadRequest
from st_bme.history.keys import message_key

HEADER = {"user_name": "Uma", "character_name": "Ann", "create_date": "2026-1-1", "chat_metadata": {"note": 1}}


def line(mes, *, user=False, name="Ann", **more):
    return {"name": name, "is_user": user, "mes": mes} | more


@pytest.fixture
def read(tmp_path):
    def read(*objects, ending="\n"):
        path = tmp_path / "A chat.jsonl"
        path.write_bytes(ending.join(json.dumps(entry) for entry in objects).encode())
        return read_chat_file(path)

    return read


def test_a_chat_is_read_with_its_header(read):
    chat = read(HEADER, line("Welcome."), line("Hello.", user=True, name="Uma"))

    assert (chat.name, chat.user_name, chat.character_name) == ("A chat", "Uma", "Ann")
    assert chat.metadata == {"note": 1}
    assert chat.texts == ("Welcome.", "Hello.")
    assert [(slot.floor, slot.role, slot.name) for slot in chat.slots] == [(0, "assistant", "Ann"), (1, "user", "Uma")]
    assert [slot.raw for slot in chat.slots] == [message_key("assistant", "Welcome."), message_key("user", "Hello.")]


@pytest.mark.parametrize(
    "header",
    [
        {"user_name": "Uma", "character_name": "Ann", "create_date": 1674559896839},
        {"user_name": "Uma", "character_names": ["Ann", "Bob"], "notes": "", "scenario": ""},
        {"chat_metadata": {}, "user_name": "unused", "character_name": "unused"},
        {"chat_metadata": None},
        {},
    ],
    ids=["of 2023", "of a room", "of today", "without metadata", "empty"],
)
def test_a_header_of_any_age_is_no_message(read, header):
    chat = read(header, line("Welcome."))

    assert [slot.floor for slot in chat.slots] == [0]
    assert chat.metadata == {}


def test_a_file_without_a_header_begins_with_its_first_message(read):
    assert read(line("Welcome."), line("Hello.")).texts == ("Welcome.", "Hello.")


def test_a_header_alone_is_an_empty_chat(read):
    assert read(HEADER).slots == ()


@pytest.mark.parametrize(
    ("message", "role"),
    [
        (line("Rain falls.", extra={"type": "narrator"}), "narrator"),
        (line("Hidden.", is_system=True), "assistant"),
        (line("An image.", extra={"image": "x.png"}), "assistant"),
        (line("Odd.", extra={"type": ["comment"]}), "assistant"),
        (line("Old.", is_user=1), "user"),
        (line("Odd.", extra=None), "assistant"),
    ],
)
def test_what_counts_has_its_role(read, message, role):
    assert [slot.role for slot in read(HEADER, message).slots] == [role]


@pytest.mark.parametrize(
    "message",
    [
        line(""),
        line(" \n\u3000\ufeff"),
        line("A note.", extra={"type": "comment"}, is_system=True),
        line("Help!", extra={"type": "help"}),
        line("Tools.", is_system=True, extra={"tool_invocations": [{"id": "x"}]}),
        line(None),
        line(5),
        {"mes": []},
    ],
    ids=["empty", "blank", "comment", "help", "tool", "null", "number", "list"],
)
def test_what_does_not_count_keeps_its_floor(read, message):
    chat = read(HEADER, message, line("Hello."))

    assert chat.slots[0] is None
    assert chat.slots[1].floor == 1


def test_hidden_messages_say_so(read):
    assert [slot.hidden for slot in read(HEADER, line("a", is_system=True), line("b")).slots] == [True, False]


def test_the_active_swipe_is_what_is_read(read):
    chat = read(HEADER, line("second", swipes=["first", "second"], swipe_id=1))

    assert chat.texts == ("second",)


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\n\n"])
def test_line_ends_of_any_system_are_read(read, ending):
    assert len(read(HEADER, line("a"), line("b"), ending=ending).slots) == 2


def test_separators_inside_a_text_end_no_line(tmp_path):
    path = tmp_path / "chat.jsonl"
    path.write_text(json.dumps(line("a\u2028b\u0085c"), ensure_ascii=False), encoding="utf-8")

    assert read_chat_file(path).texts == ("a\u2028b\u0085c",)


def test_a_byte_order_mark_is_passed_over(tmp_path):
    path = tmp_path / "chat.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(line("a")).encode())

    assert read_chat_file(path).texts == ("a",)


def test_half_a_surrogate_pair_is_read_as_the_page_reads_it(tmp_path):
    path = tmp_path / "chat.jsonl"
    path.write_text('{"mes": "cut \\ud83d", "name": "A\\udc00"}\n{"mes": "whole \\ud83d\\ude00"}', encoding="ascii")

    chat = read_chat_file(path)

    assert chat.texts == ("cut \ufffd", "whole \U0001f600")
    assert chat.slots[0].name == "A\ufffd"
    assert chat.slots[0].raw == message_key("assistant", "cut \ufffd")


def test_a_name_is_read_as_far_as_the_page_sends_it(read):
    assert len(read(HEADER, line("a", name="n" * 5_000)).slots[0].name) == 1_000


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [(b"{", "no valid JSON"), (b"[1]", "not a JSON object"), (b"\xff\xfe", "no valid JSON"), (b'{"mes": "x', "JSON")],
)
def test_a_damaged_line_is_named_by_its_number(tmp_path, damaged, reason):
    path = tmp_path / "chat.jsonl"
    path.write_bytes(b'{"user_name": "Uma"}\n\n{"mes": "a"}\n' + damaged + b'\n{"mes": "b"}\n')

    with pytest.raises(BadRequest, match=f"line 4: .*{reason}"):
        read_chat_file(path)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf"])
def test_an_empty_file_says_so(tmp_path, content):
    path = tmp_path / "chat.jsonl"
    path.write_bytes(content)

    with pytest.raises(BadRequest, match="is empty"):
        read_chat_file(path)


def test_a_file_that_is_not_there_says_so(tmp_path):
    with pytest.raises(BadRequest, match="cannot read"):
        read_chat_file(tmp_path / "none.jsonl")
    with pytest.raises(BadRequest, match="cannot read"):
        read_chat_file(tmp_path)


def test_a_line_that_is_nested_too_deep_is_named(tmp_path):
    path = tmp_path / "deep.jsonl"
    path.write_text('{"chat_metadata": ' + '{"a": ' * 5_000 + "1" + "}" * 5_001)

    with pytest.raises(BadRequest, match=r"deep\.jsonl, line 1: nested too deep"):
        read_chat_file(path)
