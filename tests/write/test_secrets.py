from __future__ import annotations

import pytest

from st_bme.write.secrets import looks_secret


@pytest.mark.parametrize(
    "text",
    [
        "sk-proj-Abc123Abc123Abc123",
        "her key is AIzaSyA-1234567890abcdefghijk",
        "ghp_0123456789abcdefABCDEF0123456789abcd",
        "eyJhbGciOiJIUzI1NiJ9eyJzdWIiOiIxMjM0NTY3ODkwIn0",
        f"-----{'BEGIN'} RSA PRIVATE KEY-----",
        "password: hunter2",
        "密码是1234",
        "4111-1111-1111-1111",
        "deadbeef0123456789deadbeef0123456789",
    ],
)
def test_keys_passwords_and_card_numbers_look_secret(text):
    assert looks_secret(text)


@pytest.mark.parametrize(
    "text",
    [
        "glad",
        "12 gold pieces",
        "she wrote down the password",
        "the secret passage",
        "1234 5678 9012 3456",
        "Llanfairpwllgwyngyllgogerychwyrndrobwll",
        "第二天傍晚",
        "2026-11-30 08:40",
        "555-0134",
    ],
)
def test_words_and_numbers_of_a_story_do_not(text):
    assert not looks_secret(text)
