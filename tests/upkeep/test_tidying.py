"""Tidying of what evolution made: when, and what becomes one."""

from dataclasses import replace

from graph.story import answer, records
from st_bme.graph.fold import Folder
from st_bme.graph.records import Mark, Stamp, record_id
from st_bme.model.operation import Operation, Target
from st_bme.settings import Values
from st_bme.upkeep.consolidation import EVOLVE
from st_bme.upkeep.reading import Reading
from st_bme.upkeep.situation import Situation
from st_bme.upkeep.tidying import due_tidying


class Evolved:
    """A chat of six events, whose records of evolution a test makes."""

    def __init__(self):
        self.view = tuple(f"m{place}" for place in range(6))
        told = [Operation("create", 0, "event", {"summary": f"told {place}"}) for place in range(6)]
        self.records = records(*(answer(place + 1, (key,), told[place]) for place, key in enumerate(self.view)))
        self._folder = Folder()
        self.fold()

    def fold(self):
        self.graph = self._folder.fold(self.view, self.records)
        self.nodes = list(self.graph.nodes.values())

    def add(self, reading, operations):
        record = reading.decide(self.graph, Stamp(self.records.highest_n + 1), operations)
        self.records.add(record)
        self.fold()
        return record_id(record)

    def tag(self, new, old, *tags):
        told = Operation("update", target=Target(id=self.nodes[old].id), clusters=tags)
        return self.add(Reading(EVOLVE, (self.nodes[new], self.nodes[old])), [told])

    def link(self, start, end, strength, task=EVOLVE):
        nodes = self.nodes[start], self.nodes[end]
        ends = [Target(id=node.id) for node in nodes]
        told = Operation("link", target=ends[0], to=ends[1], relation="related", strength=strength)
        self.add(Reading(task, nodes), [told])

    def tidy(self, every=5):
        """How many decisions a pass comes to."""
        values = Values({"evoConsolidateEvery": every})
        situation = Situation(self.graph, self.records, ("assistant",) * 6, values, lambda _: "")
        decided = [decision for job in due_tidying(situation) for decision in job.decide("")]
        for reading, operations in decided:
            self.add(reading, operations)
        return len(decided)


def test_after_so_many_changes_tags_that_are_spelled_differently_become_one():
    chat = Evolved()
    for new, tags in ((1, ("Lamp", "night")), (2, ("Lamp",)), (3, ("lamp",)), (4, ("LAMP", "Lamp"))):
        chat.tag(new, new - 1, *tags)
    assert chat.tidy() == 0

    chat.tag(5, 4, "night")

    assert chat.tidy() == 2
    tags = [node.clusters for node in chat.nodes]
    assert tags == [("Lamp", "night"), ("Lamp",), ("Lamp",), ("Lamp",), ("night",), ()]
    assert chat.tidy() == 0


def test_a_tag_goes_with_the_change_that_brought_it():
    chat = Evolved()
    chat.tag(1, 0, "Lamp")
    chat.tag(2, 1, "Lamp")
    late = chat.tag(3, 2, "lamp")
    chat.tag(4, 3, "Lamp")
    chat.tag(5, 4, "Lamp")
    assert chat.tidy() == 1

    chat.records.add(Mark(Stamp(chat.records.highest_n + 1), "off", late, off=True))
    chat.fold()

    assert chat.nodes[2].clusters == ()


def test_links_in_both_directions_become_one():
    chat = Evolved()
    chat.link(0, 1, 0.5, task="another")
    for start, end in ((1, 0), (2, 1), (3, 2), (4, 3), (5, 4)):
        chat.link(start, end, 0.7)

    assert chat.tidy() == 1
    joined = [(edge.from_id, edge.to_id, edge.strength) for edge in chat.graph.current_edges()]
    ids = [node.id for node in chat.nodes]
    assert (ids[0], ids[1], 0.7) in joined
    assert len(joined) == 5


def test_what_is_the_users_is_left_alone():
    chat = Evolved()
    for new, tags in ((1, ("Lamp",)), (2, ("Lamp",)), (3, ("lamp",)), (4, ("Lamp",)), (5, ("Lamp",))):
        chat.tag(new, new - 1, *tags)
    pinned = replace(chat.nodes[2], pinned=True)
    chat.graph = replace(chat.graph, nodes={**chat.graph.nodes, pinned.id: pinned})

    assert chat.tidy() == 0
