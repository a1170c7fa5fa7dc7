"""What the user sets about recall reaches it."""

import pytest

from st_bme.session.recall_options import recall_options
from st_bme.settings import accept


@pytest.mark.parametrize(
    ("given", "option", "value"),
    [
        ({"decayClock": "real"}, "clock", "real"),
        ({"decayClock": "story"}, "clock", "story"),
        ({"enableLifecycle": True}, "has_lifecycle", True),
        ({"enableCrossRecall": True}, "has_cross_recall", True),
        ({"enableDiversitySampling": False}, "is_diverse", False),
        ({"enableTemporalLinks": True}, "has_time_links", True),
        ({"injectFormat": "list"}, "form", "list"),
        ({"injectFormat": "marked"}, "form", "marked"),
    ],
)
def test_recall_follows_the_settings(given, option, value):
    usual, chosen = (recall_options(accept(settings).values) for settings in ({}, given))

    assert getattr(chosen, option) == value
    assert getattr(usual, option) != value
