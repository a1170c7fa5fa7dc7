"""Keys and chain, held to the vectors that the extension's tests read too (`tests/js/hash.test.js`)."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from st_bme.history.keys import EMPTY_CHAIN, chain_of, chain_step, is_blank, message_key, normalize_text, short_hash
from st_bme.history.view import list_digest
from st_bme.model.message import ListedMessage

_VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "vectors" / "keys.json").read_text("ascii"))

_ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))


@pytest.mark.parametrize("vector", _VECTORS["keys"], ids=lambda vector: vector["what"])
def test_key_is_that_of_the_vectors(vector: dict[str, Any]) -> None:
    assert message_key(vector["role"], vector["text"]) == vector["key"]


@pytest.mark.parametrize("vector", _VECTORS["normalized"], ids=lambda vector: vector["what"])
def test_text_is_normalized_as_in_the_vectors(vector: dict[str, Any]) -> None:
    assert normalize_text(vector["text"]) == vector["normalized"]


@pytest.mark.parametrize("vector", _VECTORS["lists"], ids=lambda vector: vector["what"])
def test_list_has_the_digest_of_the_vectors(vector: dict[str, Any]) -> None:
    slots = [
        row and ListedMessage(floor, row["key"], row["role"], row["name"], row["hidden"])
        for floor, row in enumerate(vector["rows"])
    ]

    assert list_digest(slots) == vector["digest"]


def test_hash_is_the_start_of_sha256() -> None:
    """FIPS 180-4, example of one block: the digest of "abc" begins with ba7816bf 8f01."""
    assert short_hash("abc") == "ungWv48B"


def test_hash_goes_over_several_blocks() -> None:
    """FIPS 180-4, example of two blocks: the digest begins with 248d6a61 d206."""
    assert short_hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") == "JI1qYdIG"


@given(_ANY_TEXT)
def test_normalizing_twice_changes_nothing(text: str) -> None:
    once = normalize_text(text)

    assert normalize_text(once) == once


@given(_ANY_TEXT)
def test_every_text_has_a_key_of_eight_characters(text: str) -> None:
    assert len(message_key("user", text)) == 8


def test_roles_keep_equal_texts_apart() -> None:
    keys = {message_key(role, "ok") for role in ("user", "assistant", "narrator")}

    assert len(keys) == 3


@pytest.mark.parametrize("text", ["", " \n", "\ufeff", "\u3000\u2028"], ids=["empty", "ascii", "mark", "wide"])
def test_blank_text_is_blank(text: str) -> None:
    assert is_blank(text)


def test_control_characters_are_text() -> None:
    """Python strips U+001C and U+0085 as blanks, JavaScript does not: to both they are text here."""
    assert not is_blank("\x1c\x85")


@given(st.lists(_ANY_TEXT.map(normalize_text), max_size=6), st.integers(min_value=0, max_value=6))
def test_chain_goes_on_from_any_of_its_prefixes(entries: list[str], cut: int) -> None:
    prefix = chain_of(entries[:cut])

    assert chain_of(entries[cut:], prefix) == chain_of(entries)


def test_empty_entry_counts_in_the_chain() -> None:
    assert chain_step(EMPTY_CHAIN, "") != EMPTY_CHAIN
