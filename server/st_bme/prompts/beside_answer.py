"""What an extraction answer says beside its operations, under all the names that models give it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import AliasChoices, BaseModel, BeforeValidator, Field, ValidationError, model_validator

from st_bme.prompts.extract_answer import Lenient, Text, Texts, Word, as_number, as_text


def _as_list(value: object) -> list[object]:
    """One, several, or several under their names as keys."""
    if isinstance(value, Mapping) and value and all(isinstance(item, Mapping) for item in value.values()):
        return [{"ownerName": key, "region": key, **item} for key, item in value.items()]
    if isinstance(value, list):
        return [item for item in value if isinstance(item, Mapping)]
    return [value] if isinstance(value, Mapping) else []


def _as_shares(value: object) -> dict[str, float]:
    """Refs with a number from 0 to 1, as an object or as a list of refs and scores."""
    if isinstance(value, list):
        value = {as_text(item.get("ref")): item.get("score") for item in value if isinstance(item, dict)}
    if not isinstance(value, dict):
        return {}
    given = {as_text(ref): float(said) if isinstance(said, bool) else as_number(said) for ref, said in value.items()}
    return {ref: min(1.0, max(0.0, share)) for ref, share in given.items() if share is not None}


def _as_variables(value: object) -> dict[str, str]:
    """Names with values, as an object or as a list of names and values."""
    if isinstance(value, list):
        value = {
            as_text(item.get("name", item.get("variable_key"))): item.get("value", item.get("variable_value"))
            for item in value
            if isinstance(item, dict)
        }
    if not isinstance(value, dict):
        return {}
    return {as_text(name): text for name, said in value.items() if (text := as_text(said))}


_KNOWN = AliasChoices("knownRefs", "known_refs", "known", "knows")
_MISTAKEN = AliasChoices("mistakenRefs", "mistaken_refs", "mistaken")


class AnswerKnowledge(Lenient):
    """Who came to know what, or has it wrong."""

    owner_type: Word = Field("", validation_alias=AliasChoices("ownerType", "owner_type"))
    owner_name: Text = Field("", validation_alias=AliasChoices("ownerName", "owner_name", "owner", "name", "character"))
    known: Texts = Field(default_factory=list, validation_alias=_KNOWN)
    mistaken: Texts = Field(default_factory=list, validation_alias=_MISTAKEN)
    partial: Annotated[dict[str, float], BeforeValidator(_as_shares)] = Field(
        default_factory=dict, validation_alias=AliasChoices("visibility", "partial")
    )
    belief: Text = ""
    cite: Text = ""


class AnswerAdjacency(Lenient):
    """Places next to one."""

    region: Text = ""
    adjacent: Texts = Field(default_factory=list, validation_alias=AliasChoices("adjacent", "adjacentRegions"))


class AnswerRegions(Lenient):
    """Where the story is, and which places lie next to each other."""

    active: object = Field(
        None,
        validation_alias=AliasChoices(
            "activeRegionHint", "active_region_hint", "activeRegion", "active_region", "current"
        ),
    )
    adjacency: Annotated[list[AnswerAdjacency], BeforeValidator(_as_list)] = Field(default_factory=list)
    cite: Text = ""


class AnswerBeside(BaseModel):
    """All of it; what is missing or unreadable says nothing. Keys are folded: without case and joints."""

    batch_story_time: object = Field(None, validation_alias="batchstorytime")
    knowledge: Annotated[list[AnswerKnowledge], BeforeValidator(_as_list)] = Field(
        default_factory=list, validation_alias="cognitionupdates"
    )
    regions: AnswerRegions | None = Field(None, validation_alias="regionupdates")
    variables: Annotated[dict[str, str], BeforeValidator(_as_variables)] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def drop_strange(cls, value: object) -> object:
        if not isinstance(value, dict):
            return {}
        regions = value.get("regionupdates")
        return value if regions is None or isinstance(regions, dict) else {**value, "regionupdates": None}


def read_beside(beside: Mapping[str, object]) -> AnswerBeside:
    """What is readable of it."""
    try:
        return AnswerBeside.model_validate(beside)
    except ValidationError:
        return AnswerBeside()
