from __future__ import annotations

import pytest

from st_bme.write.heuristics.sentences import split_sentences
from st_bme.write.heuristics.telling import told_by


@pytest.mark.parametrize(
    ("speaker", "text", "told"),
    [
        pytest.param("Iris", '"The bridge is gone."', "Iris: The bridge is gone.", id="speech"),
        pytest.param("Iris", "*closes the door*", "Iris closes the door", id="action without its subject"),
        pytest.param("Sam", "*I close the door.*", "Sam: I close the door.", id="first person"),
        pytest.param("Iris Hale", "*Iris closes the door.*", "Iris closes the door.", id="first name"),
        pytest.param("Iris", "*Old Bram limps in.* Late.", "Old Bram limps in. Late.", id="someone else acts"),
        pytest.param("Iris", "*The rain falls on the roof.*", "The rain falls on the roof.", id="scene"),
        pytest.param("Iris", "*Slowly opens the old gate.*", "Iris: Slowly opens the old gate.", id="adverb"),
        pytest.param("Iris", "*whispers to Tom:*", "Iris whispers to Tom.", id="what is said is left out"),
        pytest.param("", "*The rain falls.* Run!", "The rain falls. Run!", id="nobody"),
    ],
)
def test_english_message(speaker, text, told):
    assert told_by(speaker, split_sentences(text)) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("“桥塌了。”", "林月：桥塌了。", id="speech"),
        pytest.param("（推开门）快走！", "林月推开门。快走！", id="action without its subject"),
        pytest.param("*她推开门。*", "林月推开门。", id="a pronoun is the speaker"),
        pytest.param("*她们推开门。*", "林月：她们推开门。", id="several"),
        pytest.param("*我推开门。*", "林月：我推开门。", id="first person"),
        pytest.param("*林月推开门。*", "林月推开门。", id="own name"),
        pytest.param("*陈远山推开门。*“快走！”", "陈远山推开门。快走！", id="someone else acts"),
        pytest.param("*第二天清早，门开了。*", "第二天清早，门开了。", id="another time"),
        pytest.param("沈秋皱起眉头：“不行。", "林月：沈秋皱起眉头：“不行。”", id="a quote that goes on"),
        pytest.param("*我对哑僧低声说：*", "林月：我对哑僧低声说。", id="what is said is left out"),
        pytest.param("*雨下了三天。*", "雨下了三天。", id="weather"),
        pytest.param("*把剑挂在腰间，转身就走。*", "林月把剑挂在腰间，转身就走。", id="a place within an action"),
    ],
)
def test_chinese_message(text, told):
    assert told_by("林月", split_sentences(text)) == told
