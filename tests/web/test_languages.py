"""The language of a page."""

import pytest

from st_bme.web.languages import language_of


@pytest.mark.parametrize(
    ("chosen", "accepted", "language"),
    [
        ("", "", "en"),
        ("", "zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("", "zh", "zh"),
        ("", "zh-Hant-TW", "zh"),
        ("", "en-GB,zh;q=0.9", "en"),
        ("", "en;q=0.5, ZH-cn;q=0.8", "zh"),
        ("", "fr-FR,fr;q=0.9", "en"),
        ("", "fr-FR,fr;q=0.9,zh;q=0.1", "zh"),
        ("", "zh;q=0,en;q=0.1", "en"),
        ("", "zh;q=high", "en"),
        ("", "*", "en"),
        ("", ",;q=,;;=", "en"),
        ("en", "zh-CN", "en"),
        ("zh", "en", "zh"),
        ("tlh", "zh-CN", "zh"),
    ],
)
def test_the_language_is_the_chosen_one_else_what_the_browser_asks_for_first(chosen, accepted, language):
    assert language_of(chosen, accepted) == language
