from __future__ import annotations

import pytest

from st_bme.write.language import detect_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("She opened the door.", "en"),
        ("她推开了门。", "zh"),
        ("她在 GitHub 上看到了 README 文件。", "zh"),
        ("She calls it 茶.", "en"),
        ("彼女はドアを開けた。", "other"),
        ("Она открыла дверь.", "other"),
        ("12:30 …", "other"),
        ("", "other"),
    ],
)
def test_language_by_script(text, language):
    assert detect_language([text]) == language
