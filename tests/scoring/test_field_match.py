"""Likeness of wording between a memory's fields and a query."""

import pytest

from st_bme.scoring.field_match import field_match


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        # The name alone, else .75·name + .35·detail + .2·together, else .82·detail: whichever is most.
        pytest.param("The Harbor Fire", 1, id="equal"),
        pytest.param("harbor fire", 0.75 * 0.92 + 0.35 * 0.52 * 1 + 0.2 * 0.55, id="contained"),
        pytest.param("Gareth", 0.82 * 0.68, id="only in a detail"),
        pytest.param("forest", 0, id="not there"),
        pytest.param("   ", 0, id="blank"),
        pytest.param("x", 0, id="one letter"),
    ],
)
def test_a_query_is_graded_by_where_it_stands(query, expected):
    score = field_match(["The Harbor Fire"], ["fire in harbor by Gareth"], [query])

    assert score == pytest.approx(expected)


def test_the_best_part_of_a_query_counts():
    alone = field_match(["艾琳"], [], ["艾琳"])

    assert field_match(["艾琳"], [], ["雷恩", "艾琳"]) == alone == 1


def test_russian_words_are_shared_too():
    assert field_match(["Старая башня"], [], ["тёмная башня"]) == pytest.approx(0.72 / 2)


def test_a_memory_without_text_answers_nothing():
    assert field_match([], [], ["tower"]) == 0
