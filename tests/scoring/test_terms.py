"""Words of texts in the scripts that chats are written in."""

import pytest

from st_bme.scoring.terms import fold, terms, tokens, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Gareth's Ledger", ["gareth", "ledger"], id="possessive"),
        pytest.param("don’t go", ["don", "go"], id="contraction"),
        pytest.param("l'homme", ["l", "homm"], id="elision"),
        pytest.param("room 42b", ["room", "42b"], id="digits"),
        pytest.param("snake_case", ["snak", "cas"], id="underscore"),
        pytest.param("hidden doors", ["hidden", "door"], id="endings"),
        pytest.param("钟楼", ["钟", "楼", "钟楼"], id="chinese"),
        pytest.param("林", ["林"], id="single character"),
        pytest.param("去London找艾琳", ["去", "london", "找", "艾", "琳", "找艾", "艾琳"], id="mixed"),
        pytest.param("ﾊﾝｶｸ", ["ハ", "ン", "カ", "ク", "ハン", "ンカ", "カク"], id="half-width kana"),
        pytest.param(
            "アイリーン・レイ",
            ["ア", "イ", "リ", "ー", "ン", "アイ", "イリ", "リー", "ーン", "レ", "イ", "レイ"],
            id="japanese",
        ),
        pytest.param("민수는", ["민", "수", "는", "민수", "수는"], id="korean"),
        pytest.param("Её Ёлка", ["ее", "елк"], id="russian"),
        pytest.param("ＡＢＣ", ["abc"], id="full width"),
        pytest.param("🎉 …!?", [], id="no words"),
        pytest.param("", [], id="empty"),
    ],
)
def test_terms(text, expected):
    assert terms(text) == expected


def test_case_and_width_do_not_matter():
    assert fold("Ｇareth STRASSE") == fold("gareth straße")


def test_tokens_stand_where_they_say():
    text = fold("Ada 去了钟楼, Ada's tower")

    assert all(text[start : start + len(token)] == token for token, start in tokens(text))
    assert [token for token, _ in tokens(text)] == ["ada", "去", "了", "钟", "楼", "ada", "tower"]


def test_words_are_those_of_spaced_scripts_with_their_endings():
    assert words("Mira's VIOLINS, 小提琴 and the 2nd guitar") == ["mira", "violins", "and", "the", "2nd", "guitar"]
