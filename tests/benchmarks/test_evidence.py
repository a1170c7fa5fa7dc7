"""The measure of the retrieval benchmark, on texts small enough to count by hand."""

import pytest
from benchmarks.evidence import Ranked, Witness, recall_of, reciprocal_rank

MESSAGES = [
    "The vault opens with heliotrope.",
    "Tobin bought a mare.",
    "Tobin rides north tonight.",
    "ok",
]


@pytest.fixture
def witness():
    return Witness(MESSAGES)


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ("Mira said: The vault opens  with heliotrope.", 0, True),
        ("heliotrope opens it", 0, True),  # two of three words of weight log 5
        ("the vault", 0, False),
        ("Tobin bought something", 1, True),  # log 3 + log 5 of log 3 + 2 log 5: .627
        ("Tobin rides", 2, False),  # log 3 + log 5 of log 3 + 3 log 5: .456
        ("ok then", 3, True),
        ("nothing of it", 3, False),
    ],
    ids=["whole", "most words", "one word", "enough by weight", "too little by weight", "no content word", "absent"],
)
def test_a_message_is_told_by_its_text_or_enough_of_its_words(witness, text, place, expected):
    assert witness.tells(text, place) is expected


def test_an_item_gives_its_messages_in_order_and_each_message_counts_once(witness):
    ranking = [Ranked((0, 1), "vault opens, heliotrope"), Ranked((1,), MESSAGES[1]), Ranked((2,), "nothing")]

    assert witness.places(ranking, 5) == [0, 1, None]
    assert witness.places(ranking, 1) == [0]


def test_what_no_item_of_a_message_tells_takes_its_place_for_nothing(witness):
    ranking = [Ranked((2, 1), MESSAGES[0]), Ranked((0,), MESSAGES[0])]

    assert witness.places(ranking, 5) == [None, None, 0]
    assert witness.told(ranking) == {0}


def test_recall_is_the_share_of_the_evidence_and_the_first_hit_gives_the_rank():
    assert recall_of((1, 4), [None, 4, 2]) == 0.5
    assert reciprocal_rank((1, 4), [None, 4, 1]) == 0.5
    assert reciprocal_rank((7,), [None, 4, 1]) == 0
