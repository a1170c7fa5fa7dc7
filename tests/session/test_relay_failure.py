"""What SillyTavern's words say about a failed call."""

from __future__ import annotations

import pytest

from st_bme.session.relay_failure import relay_failure


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("Got response status 429", "rate_limited"),
        ("Too Many Requests", "rate_limited"),
        ("You exceeded your current quota", "rate_limited"),
        ("Unauthorized", "host_key_wrong"),
        ("Got response status 401", "host_key_wrong"),
        ("Incorrect API key provided: …", "host_key_wrong"),
        ("Gateway Timeout", "model_timeout"),
        ("the request timed out", "model_timeout"),
        ("Bad Request", "request_refused"),
        ("The model `x` does not exist", "request_refused"),
        ("This model's maximum context length is 4096 tokens", "request_refused"),
        ("the answer was empty", "answer_unusable"),
        ("No message generated", "answer_unusable"),
        ("SillyTavern is not connected to a model", "model_failed"),
        ("it failed without saying why", "model_failed"),
        ("Internal Server Error", "model_failed"),
        ("4290 tokens were sent", "model_failed"),
    ],
)
def test_a_known_cause_has_its_own_code(said, code):
    failure = relay_failure(said)

    assert failure.code == code
    assert said in str(failure)
