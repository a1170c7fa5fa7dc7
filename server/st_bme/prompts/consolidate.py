"""The prompt of consolidation: what new memories are to old ones, and how the answer is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field

from st_bme.errors import AnswerUnusable
from st_bme.model.node import Node
from st_bme.ports import ChatPrompt
from st_bme.prompts.answer import read_object
from st_bme.prompts.extract_answer import Fields, Text, Texts, Word
from st_bme.prompts.render import load_template, render
from st_bme.prompts.upkeep import ANSWER_TOKENS, TEMPERATURE, node_line

_TARGETS = ("target", "merge_target_id", "mergeTargetId", "targetId", "target_id", "node_id", "nodeId", "memory", "id")


def _listed(value: object) -> object:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


class Connection(BaseModel):
    """A relation of a new memory to another one."""

    model_config = ConfigDict(extra="ignore")

    target: Text = Field("", validation_alias=AliasChoices(*_TARGETS))
    relation: Word = "related"


class Understanding(BaseModel):
    """What a new memory changes about how another one is understood."""

    model_config = ConfigDict(extra="ignore")

    target: Text = Field("", validation_alias=AliasChoices(*_TARGETS))
    text: Text = Field("", validation_alias=AliasChoices("understanding", "text", "newContext", "new_context"))
    tags: Texts = Field(default_factory=list, validation_alias=AliasChoices("tags", "newTags", "new_tags"))


class Verdict(BaseModel):
    """What is to become of one new memory."""

    model_config = ConfigDict(extra="ignore")

    memory: Text = Field("", validation_alias=AliasChoices("memory", "node_id", "nodeId", "id"))
    action: Word = "keep"
    target: Text = Field("", validation_alias=AliasChoices(*_TARGETS[:5]))
    fields: Fields = Field(
        default_factory=dict, validation_alias=AliasChoices("fields", "merged_fields", "mergedFields")
    )
    links: Annotated[list[Connection], BeforeValidator(_listed)] = Field(
        default_factory=list, validation_alias=AliasChoices("links", "connections", "suggested_connections")
    )
    changes: Annotated[list[Understanding], BeforeValidator(_listed)] = Field(
        default_factory=list, validation_alias=AliasChoices("changes", "neighbor_updates", "neighbour_updates")
    )


def consolidate_prompt(
    new: Mapping[str, Node], old: Mapping[str, Node], near: Mapping[str, Sequence[str]], *, language: str
) -> ChatPrompt:
    """The prompt over new and old memories, each by its ref; `near` says which others are near a new one."""
    spoken = "zh" if language == "zh" else "en"
    shown = (f"{ref}. {node_line(node)} ← {', '.join(near[ref])}" for ref, node in new.items())
    values = {
        "new": "\n".join(shown),
        "old": "\n".join(f"{ref}. {node_line(node)}" for ref, node in old.items()) or "–",
    }
    text = render(load_template("consolidate", spoken), values)
    return ChatPrompt("consolidate", text.system, text.user, ANSWER_TOKENS, TEMPERATURE, _SCHEMA)


def read_verdicts(answer: str, refs: Sequence[str]) -> Mapping[str, Verdict]:
    """The verdict on each new memory; one that the answer passes over is kept. A single one may stand alone.

    Raises: AnswerUnusable: it judges none of them.
    """
    said = read_object(answer)
    results = said.get("results")
    listed = [item for item in results if isinstance(item, dict)] if isinstance(results, list) else [said]
    verdicts = [_verdict(item) for item in listed]
    if len(verdicts) == 1 and verdicts[0].memory not in refs and "action" in listed[0]:
        return {ref: verdicts[0] if ref == refs[0] else Verdict() for ref in refs}
    known = {verdict.memory: verdict for verdict in reversed(verdicts) if verdict.memory in refs}
    if not known:
        raise AnswerUnusable(f"the answer judges none of {', '.join(refs)}")
    return {ref: known.get(ref, Verdict()) for ref in refs}


def _verdict(item: Mapping[str, object]) -> Verdict:
    """Also where the evolution stands in a part of its own."""
    evolution = item.get("evolution")
    inner = evolution if isinstance(evolution, dict) else {}
    if not inner.get("should_evolve", True):
        inner = {}
    return Verdict.model_validate({**inner, **item})


def _schema() -> Mapping[str, object]:
    text = {"type": "string"}
    link = {"type": "object", "properties": {"target": text, "relation": text}, "required": ["target"]}
    change = {
        "type": "object",
        "properties": {"target": text, "understanding": text, "tags": {"type": "array", "items": text}},
        "required": ["target"],
    }
    verdict = {
        "type": "object",
        "properties": {
            "memory": text,
            "action": {"type": "string", "enum": ["keep", "merge", "update", "skip"]},
            "target": text,
            "fields": {"type": "object", "additionalProperties": text},
            "links": {"type": "array", "items": link},
            "changes": {"type": "array", "items": change},
        },
        "required": ["memory", "action"],
    }
    return {
        "type": "object",
        "properties": {"results": {"type": "array", "items": verdict}},
        "required": ["results"],
    }


_SCHEMA = _schema()
