"""What an answer may speak of, and what the names in it mean."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from st_bme.model.message import Message
from st_bme.model.operation import Target
from st_bme.model.schema import STORY_TYPES, NodeType
from st_bme.ports import Asking, ExtractionInput, KnownNode
from st_bme.prompts.extract import asked_types

_SHOWN_REF = re.compile(r"[#\[(\s]*(N\d+)[\])\s]*(?:[\[(][^\[\]()]*[\])])?", re.IGNORECASE)
_FLOOR = re.compile(r"\d+")
_LONGEST_CITE = 100


@dataclass(frozen=True, slots=True)
class AnswerContext:
    """The messages of the run, the nodes that were shown, the types that there are, and what was asked for.

    `variables` are the names that are followed, `forbidden` those that never are.
    """

    run: Sequence[Message] = ()
    known: Sequence[KnownNode] = ()
    types: Mapping[str, NodeType] = field(default_factory=lambda: STORY_TYPES)
    asking: Asking = field(default_factory=Asking)
    user_name: str = ""
    variables: Sequence[str] = ()
    forbidden: Sequence[str] = ()

    @classmethod
    def of(cls, request: ExtractionInput) -> AnswerContext:
        """The context of an answer to this request."""
        background = request.background
        return cls(
            run=request.run,
            known=request.known,
            types=asked_types(request.asking),
            asking=request.asking,
            user_name=request.user_name,
            variables=tuple(variable.name for variable in background.variables),
            forbidden=background.forbidden,
        )

    def cite(self, said: str) -> int | None:
        """Position in the run of the last message of it that is cited; None, the whole run, without one."""
        if len(self.run) == 1:
            return 0
        floors = {int(number) for number in _FLOOR.findall(said[:_LONGEST_CITE])}
        cited = [position for position, message in enumerate(self.run) if message.floor in floors]
        return cited[-1] if cited else None


class AnswerRefs:
    """Nodes by the names that an answer gives them: refs that were shown, refs that it made, names of both."""

    def __init__(self, context: AnswerContext) -> None:
        self._types = context.types
        self._shown = {node.ref.casefold(): node for node in context.known}
        self._names = {node.name.casefold(): self._target_of(node) for node in reversed(context.known)}
        self._made: dict[str, Target] = {}

    def is_taken(self, ref: str) -> bool:
        return ref.casefold() in self._made or ref.casefold() in self._shown

    def make(self, ref: str, name: str, target: Target) -> None:
        """From now on the ref, and the name where no other node has it, mean this node."""
        self._made[ref.casefold()] = target
        self._names.setdefault((name or ref).casefold(), target)

    def find(self, said: str) -> Target | None:
        """The node of a ref or a name; None where nothing of that name was shown or made."""
        shown = _SHOWN_REF.fullmatch(said)
        folded = (shown[1] if shown else said).casefold()
        if folded in self._shown:
            return self._target_of(self._shown[folded])
        return self._made.get(folded) or self._names.get(folded)

    def named(self, name: str) -> Target | None:
        return self._names.get(name.casefold())

    def _target_of(self, node: KnownNode) -> Target:
        node_type = self._types.get(node.type)
        has_one_a_name = node_type is not None and node_type.latest_only
        return Target(id=node.id, type=node.type, name=node.name if has_one_a_name else "")
