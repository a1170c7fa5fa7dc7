"""Long chats as SillyTavern would have written them."""

from collections.abc import Sequence

from st_bme.model.message import Message

_SENT_AT = "2026-01-01T12:00:00.000Z"


def chat_lines(messages: Sequence[Message]) -> list[dict[str, object]]:
    """Messages with what SillyTavern keeps of each beside its text."""
    return [
        {"name": one.name, "is_user": True, "is_system": False, "send_date": _SENT_AT, "mes": one.text, "extra": {}}
        if one.role == "user"
        else {"name": one.name, "is_user": False, "send_date": _SENT_AT, "mes": one.text, **_made_by_a_model(one.text)}
        for one in messages
    ]


def _made_by_a_model(text: str) -> dict[str, object]:
    extra = {"api": "custom", "model": "scripted-model", "reasoning": "", "reasoning_duration": None}
    made = {"gen_started": _SENT_AT, "gen_finished": _SENT_AT, "extra": extra}
    return {**made, "swipes": [text], "swipe_id": 0, "swipe_info": [{"send_date": _SENT_AT, **made}]}
