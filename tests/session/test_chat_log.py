"""List, texts and aliases of a chat, as the page reports them (docs/storage.md, rules 1 to 4)."""

import pytest

from st_bme.errors import BadRequest, CorruptState, ViewMismatch
from st_bme.history.keys import EMPTY_CHAIN, message_key
from st_bme.history.view import list_digest
from st_bme.ports import StoredText
from st_bme.protocol.wire import MessageList, Row, Text
from st_bme.session.chat_log import ChatLog, slots_from_json, slots_to_json

REPLY = 1


def key(text, role="assistant"):
    return message_key(role, text)


def row(text, role=REPLY, name=0):
    return Row(key=key(text, ("user", "assistant", "narrator")[role]), role=role, name=name)


def messages(*texts, keep=0, base=EMPTY_CHAIN):
    return MessageList(
        keep=keep, base=base, names=["Ann"], rows=[None if text is None else row(text) for text in texts]
    )


def said(text, floor=0):
    return Text(floor=floor, key=key(text), text=text)


@pytest.fixture
def log():
    return ChatLog("line")


def shown(log):
    return [None if slot is None else slot.raw for slot in log.slots]


def test_a_whole_list_is_taken(log):
    assert log.take_list(messages("a", None, "b"))

    assert shown(log) == [key("a"), None, key("b")]
    assert log.view(include_hidden=True).floors == (0, 2)


def test_the_same_list_again_is_no_change(log):
    log.take_list(messages("a", "b"))

    assert not log.take_list(messages("a", "b"))


def test_a_list_that_was_patched_again_and_again_is_patched_from_anywhere(log):
    log.take_list(messages("a", "b", "c"))
    for keep, rest in ((3, ("d", None, "e")), (5, ("f",)), (1, ("x", "y", "z")), (4, ("g", "h"))):
        log.take_list(messages(*rest, keep=keep, base=list_digest(log.slots[:keep])))

    assert shown(log) == [key(text) for text in ("a", "x", "y", "z", "g", "h")]
    for keep in range(7):
        assert log.patched(messages(keep=keep, base=list_digest(log.slots[:keep]))) == log.slots[:keep]


def test_a_patch_keeps_the_beginning(log):
    log.take_list(messages("a", "b", "c"))

    assert log.take_list(messages("x", keep=2, base=list_digest(log.slots[:2])))

    assert shown(log) == [key("a"), key("b"), key("x")]
    assert [slot.floor for slot in log.slots] == [0, 1, 2]


def test_a_patch_that_only_cuts_is_a_change(log):
    log.take_list(messages("a", "b"))

    assert log.take_list(messages(keep=1, base=list_digest(log.slots[:1])))
    assert shown(log) == [key("a")]


@pytest.mark.parametrize(("keep", "texts"), [(1, ("x",)), (2, ("a", "x")), (3, ("a", "b", "c")), (9, ())])
def test_a_patch_of_another_list_is_refused_and_changes_nothing(log, keep, texts):
    log.take_list(messages("a", "b"))
    other = ChatLog("other")
    other.take_list(messages(*texts))

    with pytest.raises(ViewMismatch):
        log.take_list(messages("z", keep=keep, base=list_digest(other.slots)))
    assert shown(log) == [key("a"), key("b")]


def test_a_name_that_was_not_given_is_refused(log):
    with pytest.raises(BadRequest, match="floor 0 names name 1"):
        log.take_list(MessageList(names=["Ann"], rows=[row("a", name=1)]))


def test_texts_are_asked_for_newest_first_until_they_are_here(log):
    log.take_list(messages("a", "b", None, "c"))
    assert log.needed() == [3, 1, 0]

    log.take_texts([said("b")])

    assert log.needed() == [3, 0]


def test_what_is_hidden_follows_the_list_and_goes_by_the_key_that_a_text_stands_for(log):
    log.take_list(messages("<think>a</think>b"))
    log.take_texts([said("<think>a</think>b")])
    before = log.hidden()
    again = Row(key=key("<think>c</think>b"), role=REPLY, name=0, hidden=True)
    log.take_list(MessageList(names=["Ann"], rows=[again]))
    as_listed = log.hidden()
    log.take_texts([said("<think>c</think>b")])

    assert (before, as_listed) == (frozenset(), {key("<think>c</think>b")})
    assert log.hidden() == {key("<think>a</think>b")}


def test_a_text_arrives_in_any_number_of_pieces(log):
    log.take_list(messages(*"abcdefgh"))
    for chunk in ("ab", "cd", "efgh"):
        log.take_texts([said(text) for text in chunk])

    view = log.view(include_hidden=True)
    assert [log.message(view, place).text for place in range(len(view))] == list("abcdefgh")
    assert log.needed() == []


def test_a_text_that_is_known_or_not_listed_is_passed_over(log):
    log.take_list(messages("a"))

    assert [stored.text for stored in log.take_texts([said("a"), said("x")]).stored] == ["a"]
    assert log.take_texts([said("a")]).stored == ()


def test_a_text_under_a_key_that_is_not_its_own_is_refused(log):
    log.take_list(messages("a"))

    with pytest.raises(BadRequest, match="does not belong"):
        log.take_texts([Text(floor=0, key=key("a"), text="b")])
    assert log.needed() == [0]


def test_a_message_whose_text_is_not_here_is_none(log):
    log.take_list(messages("a"))

    assert log.message(log.view(include_hidden=True), 0) is None


def test_reasoning_that_changed_makes_no_other_message(log):
    first, second = "<think>one</think>Hello.", "<think>two</think>Hello."
    log.take_list(messages(first))
    log.take_texts([said(first)])
    before = log.view(include_hidden=True).keys
    log.take_list(messages(second))

    taken = log.take_texts([said(second)])

    assert taken.aliases == {key(second): key(first)}
    assert taken.stored == ()
    assert log.view(include_hidden=True).keys == before
    assert log.needed() == []
    assert log.message(log.view(include_hidden=True), 0).text == first


def test_two_messages_that_tell_nothing_are_not_taken_for_one(log):
    first, second = "<think>one</think>", "<think>two</think>"
    log.take_list(messages(first, second))

    assert log.take_texts([said(first), said(second)]).aliases == {}


def test_the_same_words_of_user_and_character_are_two_messages(log):
    log.take_list(MessageList(names=["Ann"], rows=[row("Hello.", role=0), row("Hello.", role=1)]))
    texts = [Text(floor=0, key=key("Hello.", "user"), text="Hello."), said("Hello.")]

    assert log.take_texts(texts).aliases == {}


def test_a_log_comes_back_as_it_was_stored(log):
    first, second = "<think>one</think>Hello.", "<think>two</think>Hello."
    log.take_list(messages(first, second, None))
    taken = log.take_texts([said(first), said(second)])
    again = ChatLog("line")

    again.restore(slots_to_json(log.slots), taken.stored, taken.aliases)

    assert again.slots == log.slots
    assert again.view(include_hidden=True) == log.view(include_hidden=True)
    third = "<think>three</think>Hello."
    again.take_list(messages(third))
    assert again.take_texts([said(third)]).aliases == {key(third): key(first)}


def test_what_a_copy_brings_does_not_change_what_is_known(log):
    log.take_list(messages("a"))
    log.take_texts([said("a")])

    taken = log.learn([StoredText(key("a"), "other", "b"), StoredText("new", "", "n")], {key("a"): "x", "y": "z"})

    assert taken == log.aliases == {"y": "z"}
    assert log.texts == {key("a"): "a", "new": "n"}


@pytest.mark.parametrize("body", [b"", b"{", b"{}", b"7", b"null"])
def test_a_list_that_cannot_be_read_is_damage_and_not_empty(body):
    with pytest.raises(CorruptState):
        slots_from_json(body)


@pytest.mark.parametrize(
    "slot", [b'"a"', b"[]", b'["a"]', b'["a","ghost","Ann",false]', b'[1,"user","Ann",false]', b'["a","user","Ann",1]']
)
def test_a_damaged_entry_is_named_by_its_floor(slot):
    with pytest.raises(CorruptState, match="floor 1"):
        slots_from_json(b"[null," + slot + b"]")
