"""What an answer says beside its operations, as intents: when and where the story is, who knows what, variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from st_bme.model.operation import Operation, Refusal
from st_bme.model.scope import Scope
from st_bme.prompts.beside_answer import AnswerKnowledge, AnswerRegions, read_beside
from st_bme.prompts.extract_answer import as_text
from st_bme.write.answer_context import AnswerContext, AnswerRefs
from st_bme.write.scope import folded_name, owned, parse_scope
from st_bme.write.secrets import looks_secret
from st_bme.write.story_time import parse_story_time

MOST_KNOWN = 60
"""Intents about who knows what, of one answer."""

MOST_PLACES = 12
_LONGEST_VALUE = 200
_YES = frozenset(("true", "yes", "1", "是"))


class BesideIntents:
    """The intents of what stands beside an answer's operations, and what was refused of it.

    What was not asked for is passed over. What cites no message cites the one that all operations of the answer do,
    if they cite one, else the whole run.
    """

    def __init__(self, operations: Sequence[Operation], refs: AnswerRefs, context: AnswerContext) -> None:
        cites = {operation.cite for operation in operations}
        self._usual_cite = cites.pop() if len(cites) == 1 else None
        self._refs = refs
        self._context = context
        self.operations: list[Operation] = []
        self.refused: list[Refusal] = []

    def take(self, beside: Mapping[str, object]) -> None:
        """Read what an answer says beside its operations."""
        answer, asking = read_beside(beside), self._context.asking
        if asking.has_story_time:
            self._take_time(answer.batch_story_time)
        if asking.has_adjacency and answer.regions is not None:
            self._take_regions(answer.regions)
        if asking.has_cognition:
            known: list[Operation] = []
            for knowledge in answer.knowledge:
                known += self._known(knowledge)
            self.operations += known[:MOST_KNOWN]
        self._take_variables(answer.variables)

    def _cite(self, said: str) -> int | None:
        cited = self._context.cite(said)
        return self._usual_cite if cited is None else cited

    def _take_time(self, value: object) -> None:
        time = parse_story_time(value)
        if time is None:
            return
        said = value if isinstance(value, Mapping) else {}
        advances = as_text(said.get("advancesActiveTimeline", said.get("advances"))).casefold() in _YES
        cite = self._cite(as_text(said.get("cite")))
        self.operations.append(Operation("time", cite, story_time=time, flag=advances))

    def _take_regions(self, regions: AnswerRegions) -> None:
        cite = self._cite(regions.cite)
        here = parse_scope({"regionPrimary": regions.active})
        if here.region_primary:
            scope = Scope(region_primary=here.region_primary, region_path=here.region_path)
            self.operations.append(Operation("region", cite, scope=scope))
        for each in regions.adjacency[:MOST_PLACES]:
            place = parse_scope({"regionPrimary": each.region, "regionSecondary": each.adjacent})
            if place.region_primary and place.region_secondary:
                beside = place.region_secondary[:MOST_PLACES]
                scope = Scope(region_primary=place.region_primary, region_secondary=beside)
                self.operations.append(Operation("region", cite, scope=scope, flag=False))

    def _known(self, knowledge: AnswerKnowledge) -> list[Operation]:
        if not knowledge.owner_name:
            return []
        owner_type = "user" if knowledge.owner_type == "user" else "character"
        owner = {"layer": "pov", "ownerType": owner_type, "ownerName": knowledge.owner_name}
        scope, cite = owned(parse_scope(owner), self._context.user_name), self._cite(knowledge.cite)
        relations = [
            *((ref, "known", None) for ref in knowledge.known),
            *((ref, "mistaken", None) for ref in knowledge.mistaken),
            *((ref, "partial", share) for ref, share in knowledge.partial.items()),
        ]
        found = []
        for ref, relation, share in relations:
            target = self._refs.find(ref)
            if target is None:
                self.refused.append(Refusal("unknown_ref", f"no node {ref!r} was shown that {owner_type} could know"))
                continue
            belief = {"belief": knowledge.belief} if relation == "mistaken" and knowledge.belief else {}
            found.append(
                Operation("know", cite, fields=belief, scope=scope, target=target, relation=relation, strength=share)
            )
        return found

    def _take_variables(self, variables: Mapping[str, str]) -> None:
        """Of the variables that are followed; what is forbidden or looks like a secret is dropped."""
        followed = {folded_name(name): name for name in self._context.variables}
        forbidden = {folded_name(name) for name in self._context.forbidden}
        values: dict[str, str] = {}
        for name, value in variables.items():
            known = followed.get(folded_name(name))
            if known is None or folded_name(name) in forbidden:
                self.refused.append(Refusal("unknown_variable", f"no variable {name[:60]!r} is followed"))
            elif looks_secret(value):
                self.refused.append(Refusal("secret_value", f"the value of {known!r} looks like a secret"))
            else:
                values[known] = value[:_LONGEST_VALUE]
        if values:
            self.operations.append(Operation("set", self._usual_cite, fields=values))
