from __future__ import annotations

import pytest

from st_bme.model.scope import OBJECTIVE, Scope
from st_bme.write.scope import parse_scope


@pytest.mark.parametrize(
    ("value", "scope"),
    [
        pytest.param({}, OBJECTIVE, id="nothing"),
        pytest.param("somewhere", OBJECTIVE, id="no object"),
        pytest.param(
            {"layer": "pov", "ownerType": "character", "ownerName": "Iris"},
            Scope("pov", "character", "Iris", "Iris"),
            id="the name stands in for the id",
        ),
        pytest.param({"layer": "pov", "ownerType": "ghost", "ownerName": "x"}, Scope("pov"), id="unknown owner type"),
        pytest.param({"ownerType": "character", "ownerName": "x"}, OBJECTIVE, id="only a point of view has an owner"),
        pytest.param(
            {"regionPrimary": "Vale > Old Mill"},
            Scope(region_primary="Old Mill", region_path=("Vale", "Old Mill")),
            id="arrows make a path",
        ),
        pytest.param(
            {"regionPrimary": "Mill", "regionPath": ["Vale"], "regionSecondary": ["mill", "Vale", "River", "river"]},
            Scope(region_primary="Mill", region_path=("Vale", "Mill"), region_secondary=("River",)),
            id="each once",
        ),
        pytest.param({"regionPrimary": {"title": 5}}, Scope(region_primary="5"), id="object with a number"),
    ],
)
def test_scope_of_an_answer(value, scope):
    assert parse_scope(value) == scope
