from __future__ import annotations

import pytest

from st_bme.write.heuristics.sentences import plain_text, split_sentences


def split(text: str) -> list[tuple[str, bool]]:
    return [(sentence.text, sentence.is_action) for sentence in split_sentences(plain_text(text))]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        pytest.param('"It rains. Mr. Vale is late!" Odd.', ["It rains.", "Mr. Vale is late!", "Odd."], id="english"),
        pytest.param("下雨了。他还没来！“奇怪。”", ["下雨了。", "他还没来！", "奇怪。"], id="chinese"),
        pytest.param("one\n\ntwo", ["one", "two"], id="lines"),
        pytest.param("I *really* mean it.", ["I really mean it."], id="stress"),
        pytest.param("A <b>bold</b> [link](http://x.y/z) https://a.b/c.", ["A bold link"], id="markup"),
        pytest.param("Fine. (OOC: brb, phone)", ["Fine."], id="aside of the player"),
        pytest.param("  ", [], id="nothing"),
    ],
)
def test_sentences(text, sentences):
    assert [text for text, _ in split(text)] == sentences


def test_stage_directions_are_told_apart():
    assert split("*closes the old book slowly* We leave at dawn. *nods*") == [
        ("closes the old book slowly", True),
        ("We leave at dawn.", False),
        ("nods", True),
    ]
    assert split("（合上旧书）天亮就走。") == [("合上旧书", True), ("天亮就走。", False)]
