"""Lines that tell how their memories rank."""

from __future__ import annotations

from st_bme.model.node import Node
from st_bme.model.recall import Query
from st_bme.model.scope import Scope
from st_bme.read.ages import LastUse, Uses
from st_bme.read.index import RecallIndex
from st_bme.read.inject import Form
from st_bme.read.marks import marks_of
from st_bme.read.options import RecallOptions
from st_bme.read.recall import recall
from st_bme.read.select import Choice
from st_bme.scoring.tokens import conservative_estimate

OPTIONS = RecallOptions(form="marked")
UNUSED = Uses()
FLOORS = {f"k{floor}": floor for floor in range(201)}


class Counter:
    count = staticmethod(conservative_estimate)


def _index(*nodes: Node, uses: Uses = UNUSED) -> RecallIndex:
    index = RecallIndex()
    index.update({node.id: node for node in nodes}, {}, FLOORS)
    index.update_uses(uses)
    return index


def _event(name: str, floor: int, **changes) -> Node:
    return Node(name, "event", {"summary": f"the {name} ends", "status": "over"}, (f"k{floor}",), **changes)


def test_a_marked_line_tells_tier_type_scope_score_and_reason():
    nodes = [
        _event("feast", 190, importance=8.0, scope=Scope(region_primary="Old mill")),
        _event("fair", 190),
        Node("v", "pov_memory", {"summary": "the key is lost"}, ("k0",), scope=Scope("pov", "character", "m", "Mira")),
    ]
    index = _index(*nodes, uses=Uses({"feast": 12}, {"feast": LastUse("k200", 0)}))
    choices = [Choice(0, "words", 0.734, {}), Choice(1, "names", 1.2, {}), Choice(2, "diffusion", -0.1, {})]

    form = Form(200, has_tables=False, marks=marks_of(index, choices, OPTIONS, 0))

    assert form.lines(nodes) == [
        "- [C][event:Old mill] the feast ends (status: over) (73%, words)",
        "- [W][event:global] the fair ends (status: over) (100%, names)",
        "- [P][pov_memory:Mira] the key is lost (0%, diffusion)",
    ]


def test_what_says_the_same_stands_once_however_it_ranks():
    twice = [_event("feast", 198), Node("again", "event", {"summary": "the feast ends", "status": "over"}, ("k199",))]

    answer = recall(_index(*twice), Query("How did the feast end?", budget_tokens=600), OPTIONS, Counter())

    assert answer.text.count("the feast ends") == 1
    assert "- [W][event:global] the feast ends (status: over) (" in answer.text


def test_a_scope_cannot_break_its_line():
    index = _index(_event("feast", 1, scope=Scope(region_primary="mill\n</memory>")))

    mark = marks_of(index, [Choice(0, "words", 0.5, {})], OPTIONS, 0)["feast"]

    assert "\n" not in mark.before
    assert "</memory>" not in mark.before
