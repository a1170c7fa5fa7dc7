from __future__ import annotations

from st_bme.model.message import Message
from st_bme.write.transcript import transcript, transcript_line, window

CHAT = [
    Message(
        key=str(floor),
        role="assistant" if floor % 2 else "user",
        name="Iris" if floor % 2 else "",
        text=f"t{floor}",
        floor=floor,
    )
    for floor in range(8)
]


def test_line_has_floor_role_and_speaker():
    assert transcript_line(CHAT[3]) == "#3 [assistant|Iris]: t3"
    assert transcript_line(CHAT[2]) == "#2 [user]: t2"


def test_messages_without_text_are_left_out():
    empty = Message(key="e", role="user", name="", text="", floor=9)

    assert transcript([CHAT[1], empty, CHAT[2]]) == "#1 [assistant|Iris]: t1\n\n#2 [user]: t2"


def test_window_holds_two_messages_a_turn():
    assert [message.floor for message in window(CHAT, range(6, 8), context_turns=2)] == [2, 3, 4, 5]
    assert [message.floor for message in window(CHAT, range(1, 3), context_turns=2)] == [0]
    assert list(window(CHAT, range(6, 8), context_turns=0)) == []
