from __future__ import annotations

from st_bme.model.message import Message
from st_bme.write.transcript import transcript, transcript_line

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

