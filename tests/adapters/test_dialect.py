"""What an endpoint is asked after it refused something."""

import pytest

from st_bme.adapters.dialect import Dialect
from st_bme.ports import ChatPrompt

SCHEMA = {"type": "object", "properties": {"operations": {"type": "array"}}}
PROMPT = ChatPrompt("extract", "Read the messages.", "Hello.", 500, 0.2, SCHEMA)


def test_the_first_request_asks_for_the_schema():
    body = Dialect().write(PROMPT, "m")

    assert body == {
        "model": "m",
        "max_tokens": 500,
        "temperature": 0.2,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "extract", "schema": SCHEMA, "strict": False},
        },
        "messages": [{"role": "system", "content": "Read the messages."}, {"role": "user", "content": "Hello."}],
    }


def test_a_json_object_is_asked_for_with_the_word_json_in_the_prompt():
    body = Dialect(answer_format="json_object").write(PROMPT, "m")

    assert body["response_format"] == {"type": "json_object"}
    assert "JSON" in str(body["messages"])


def test_free_text_is_asked_for_without_a_format():
    body = Dialect().write(ChatPrompt("summarize", "", "Hello.", 500), "m")

    assert "response_format" not in body
    assert body["messages"] == [{"role": "user", "content": "Hello."}]


@pytest.mark.parametrize(
    ("complaint", "after"),
    [
        (
            "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            Dialect(length_limit="max_completion_tokens"),
        ),
        ("Unsupported value: 'temperature' does not support 0.2", Dialect(has_temperature=False)),
        ("This response_format type is unavailable now", Dialect(answer_format="json_object")),
        ("Bad Request", Dialect(answer_format="json_object")),
    ],
    ids=["length limit", "temperature", "format", "no reason"],
)
def test_what_was_refused_is_left_out(complaint: str, after: Dialect):
    assert Dialect().after(complaint, wants_json=True) == after


def test_in_the_end_nothing_is_left_to_leave_out():
    dialect: Dialect | None = Dialect()
    formats = []
    while dialect is not None:
        formats.append(dialect.answer_format)
        dialect = dialect.after("no", wants_json=True)

    assert formats == ["json_schema", "json_object", "text"]
    assert Dialect().after("no", wants_json=False) is None
