"""Our functions of the write chain, given inputs and giving outputs in the form of the golden files."""

from typing import Any

from st_bme.model.scope import OBJECTIVE, Scope
from st_bme.write.scope import parse_scope


def scope(given: Any, _now_ms: int) -> dict[str, Any]:
    return _as_json(parse_scope(given))


def whole_scope(output: dict[str, Any]) -> dict[str, Any]:
    """With every key: the original ST-BME leaves out some where it keeps a scope as it came."""
    return {**_as_json(OBJECTIVE), **output}


def _as_json(scope: Scope) -> dict[str, Any]:
    return {
        "layer": scope.layer,
        "ownerType": scope.owner_type,
        "ownerId": scope.owner_id,
        "ownerName": scope.owner_name,
        "regionPrimary": scope.region_primary,
        "regionPath": list(scope.region_path),
        "regionSecondary": list(scope.region_secondary),
    }
