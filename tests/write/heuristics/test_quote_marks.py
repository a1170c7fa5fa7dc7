from __future__ import annotations

import pytest

from st_bme.write.heuristics.quote_marks import balanced


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("沈秋皱起眉头：“不行。", "沈秋皱起眉头：“不行。”"),
        ("我不去”，沈秋说。", "“我不去”，沈秋说。"),
        ("走吧”，她说，“天快黑了。", "“走吧”，她说，“天快黑了。”"),
        ("「『好』他說。", "「『好』他說。」"),
        ('Mara said: "Go now.', 'Mara said: "Go now."'),
        ('Go," she said, "now.', '"Go," she said, "now."'),
        ("“好。”他点头。", "“好。”他点头。"),
        ('She said "go" and left.', 'She said "go" and left.'),
        ("No quotes, it's fine.", "No quotes, it's fine."),
    ],
)
def test_a_side_that_is_missing_is_put_back(text, whole):
    assert balanced(text) == whole
    assert balanced(whole) == whole
