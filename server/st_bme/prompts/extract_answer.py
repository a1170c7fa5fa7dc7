"""One operation of an extraction answer, under all the names that models give its parts."""

from __future__ import annotations

import json
import math
import re
from typing import Annotated

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from st_bme.prompts.json_text import json_value

LONGEST_TEXT = 2_000
"""Characters of a field at most."""


def as_text(value: object) -> str:
    """A JSON value as one field's text: well-formed Unicode, lists in one line, nothing for null and NaN."""
    match value:
        case str():
            text = value
        case bool():
            text = "true" if value else "false"
        case int():
            text = str(value)
        case float():
            text = f"{value:.15g}" if math.isfinite(value) else ""
        case list():
            text = ", ".join(part for item in value if (part := as_text(item)))
        case dict():
            text = json.dumps(value, ensure_ascii=False)
        case _:
            text = ""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").strip()[:LONGEST_TEXT]


def _as_word(value: object) -> str:
    return as_text(value).casefold()


def _as_action(value: object) -> str:
    """The verb alone: `create_node` says `create`."""
    word = _as_word(value).strip("_ ")
    return next((action for action, verbs in _VERBS.items() if word.startswith(verbs)), word)


def as_number(value: object) -> float | None:
    """A finite number, also one that a text begins with (`8/10`); anything else counts as not given."""
    if isinstance(value, str):
        said = _NUMBER.match(value)
        value = said[1] if said else None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _as_fields(value: object) -> dict[str, str]:
    """Fields as an object, as a list of names and values, or as one text, which is told under `text`."""
    value = _unpacked(value)
    if isinstance(value, str):
        value = {"text": value}
    if isinstance(value, list):
        pairs = [item for item in value if isinstance(item, dict)]
        value = {as_text(pair.get("name", pair.get("key"))): pair.get("value") for pair in pairs}
    if not isinstance(value, dict):
        return {}
    given = [(name, item) for key, item in value.items() if item is not None and (name := as_text(key))]
    return {name[:_LONGEST_NAME]: as_text(item) for name, item in given[:_MOST_FIELDS]}


def _as_list(value: object) -> list[object]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _as_texts(value: object) -> list[str]:
    return [text for item in _as_list(value) if (text := as_text(item))]


def _as_links(value: object) -> list[object]:
    """A link may be written as its target alone."""
    return [item if isinstance(item, dict) else {"target": item} for item in _as_list(_unpacked(value))]


def _unpacked(value: object) -> object:
    """What stands in a text that is JSON itself, the value as it is otherwise."""
    inner = json_value(value) if isinstance(value, str) else None
    return value if inner is None else inner


_NUMBER = re.compile(r"\s*([+-]?\d{1,9}(?:\.\d{1,9})?)")
_VERBS = {
    "create": ("create", "add", "new", "insert", "创建", "新建", "新增", "添加"),
    "update": ("update", "modify", "edit", "change", "更新", "修改"),
    "delete": ("delete", "remove", "archive", "删除", "移除", "归档"),
    "skip": ("skip", "none", "noop", "跳过"),
    "unlink": ("unlink", "invalidate", "end"),
    "link": ("link", "relate", "connect"),
}
"""Verbs by which models name an action."""

_LONGEST_NAME = 60
_MOST_FIELDS = 24

Text = Annotated[str, BeforeValidator(as_text)]
Word = Annotated[str, BeforeValidator(_as_word)]
Verb = Annotated[str, BeforeValidator(_as_action)]
Number = Annotated[float | None, BeforeValidator(as_number)]
Texts = Annotated[list[str], BeforeValidator(_as_texts)]
Fields = Annotated[dict[str, str], BeforeValidator(_as_fields)]


class Lenient(BaseModel):
    """Empty values count as not given, so that the next of several names for one thing is looked at."""

    model_config = ConfigDict(extra="allow")

    @model_validator(mode="before")
    @classmethod
    def drop_empty(cls, value: object) -> object:
        if not isinstance(value, dict):
            return value
        return {as_text(key): item for key, item in value.items() if item is not None and item != ""}


class AnswerLink(Lenient):
    """A relation to another node: one that was shown (`N3`), a `ref` of this answer, or a name."""

    target: Text = Field(
        "",
        validation_alias=AliasChoices(
            "target", "targetRef", "target_ref", "targetNodeId", "target_node_id", "nodeId", "ref", "id", "to", "name"
        ),
    )
    relation: Word = Field("related", validation_alias=AliasChoices("relation", "type", "label"))
    strength: Number = Field(None, validation_alias=AliasChoices("strength", "weight"))
    action: Verb = Field("", validation_alias=AliasChoices("action", "op"))


_NODE_ID = AliasChoices("nodeId", "node_id", "targetNodeId", "target_node_id", "target", "targetRef", "target_ref")
_CITE = AliasChoices("cite", "cites", "floor", "source", "message", "source_message", "sourceMessage", "messageId")


class AnswerOperation(Lenient):
    """One change to the memory. Keys beside those named here may be fields without their box."""

    action: Verb = Field("", validation_alias=AliasChoices("action", "op", "operation"))
    type: Word = Field("", validation_alias=AliasChoices("type", "nodeType", "node_type"))
    node_id: Text = Field("", validation_alias=_NODE_ID)
    ref: Text = Field("", validation_alias=AliasChoices("ref", "reference"))
    id: Text = ""
    cite: Text = Field("", validation_alias=_CITE)
    fields: Fields = Field(
        default_factory=dict,
        validation_alias=AliasChoices("fields", "properties", "attributes", "updates", "changes"),
    )
    importance: Number = None
    links: Annotated[list[AnswerLink], BeforeValidator(_as_links)] = Field(
        default_factory=list, validation_alias=AliasChoices("links", "relations", "edges", "connections")
    )
    clusters: Texts = Field(default_factory=list)
    scope: object = None
    story_time: object = Field(None, validation_alias=AliasChoices("storyTime", "story_time"))
    source_node_id: Text = Field("", validation_alias=AliasChoices("sourceNodeId", "source_node_id"))
    temporal_strength: Number = Field(None, validation_alias=AliasChoices("temporalStrength", "temporal_strength"))

    def loose_fields(self) -> dict[str, str]:
        """What was written beside the fields instead of in them."""
        return _as_fields(self.model_extra)
