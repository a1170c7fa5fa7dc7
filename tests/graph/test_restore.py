"""A lost server takes its graph from a state above the limit (docs/storage.md, rules 34 and 35)."""

from dataclasses import replace

import orjson
import pytest

from graph.story import (
    answer,
    archive,
    character,
    edit,
    event,
    find,
    know,
    link,
    off,
    region,
    set_to,
    time,
    unlink,
    update,
    upkeep,
)
from st_bme.graph import state as states
from st_bme.graph.fold import Folder, fold
from st_bme.graph.fold_state import node_digest
from st_bme.graph.ids import named_node_id
from st_bme.graph.ledger_json import ledgers_to_json
from st_bme.graph.records import Base, Mark, RecordSet
from st_bme.graph.restore import base_of, losses, records_to_take
from st_bme.graph.state import SOFT_LIMIT_BYTES, Placement, decode_state, encode_state
from st_bme.history.keys import short_hash
from st_bme.model.ledger import STANCES
from st_bme.model.operation import Operation, Target
from st_bme.model.schema import SUMMARY
from st_bme.model.scope import OBJECTIVE

NAMES = ("Ann", "Bob", "Cleo", "Dora", "Emil")
MOODS = ("glad", "sad", "cross")
VIEW = tuple(short_hash(f"message {number}") for number in range(80))


def chat():
    """A chat in which people change, meet, part and leave, one answer a message. Each says its number in brackets."""
    for n, key in enumerate(VIEW):
        name, other, mood = NAMES[n % 5], NAMES[(n * 3 + 1) % 5], MOODS[(n // 5) % 3]
        said = [character(name, state=f"{mood} [{n}]"), event(f"{name} goes to town [{n}]")]
        said += [character(other), link(name, other)] if n % 4 == 0 and name != other else []
        said += [unlink(name, other)] if n % 7 == 0 and name != other else []
        said += [archive(name)] if n % 11 == 0 else []
        said += [time(f"day [{n}]", relation=("after", "before", "parallel")[n % 3], moves_on=n % 2 == 0)]
        said += [know(name, other, STANCES[n % 4], belief=f"a lie [{n}]", strength=0.5)]
        said += [region("Realm", f"Place {n % 6} [{n}]", who=name if n % 3 else "", beside=(f"Place {n % 4}",))]
        said += [set_to(**{f"hp {n % 5}": f"[{n}]"})]
        yield answer(n + 1, (key,), *said, related=0.25)


def with_the_rest():
    """The chat with a user's edit, upkeep and an undone answer early and late."""
    listed = list(chat())
    before = fold(VIEW, RecordSet(listed))
    ann = before.nodes[named_node_id("character", OBJECTIVE, "Ann")]
    bob = before.nodes[named_node_id("character", OBJECTIVE, "Bob")]
    listed.append(
        edit(81, VIEW[:30], update("Cleo", None, goal="the sea"), Operation("create", None, "rule", {"title": "Oath"}))
    )
    merge = Operation("merge", None, target=Target(id=ann.id), to=Target(id=bob.id), fields={"traits": "two in one"})
    listed.append(upkeep(82, VIEW, {ann.id: node_digest(ann), bob.id: node_digest(bob)}, merge, task="merge"))
    summary = Operation("create", type=SUMMARY, fields={"summary": "how it began"})
    listed.insert(20, upkeep(20, VIEW[:20], {}, summary, task="summarize", run=VIEW[:20]))
    return [*listed, off(83, listed[3]), off(84, listed[76])]


def written(listed, limit, monkeypatch, view=VIEW):
    """What is read back from a state with this soft limit."""
    monkeypatch.setattr(states, "SOFT_LIMIT_BYTES", limit)
    monkeypatch.setattr(states, "ARCHIVED_LIMIT_BYTES", limit)
    monkeypatch.setattr(states, "TAIL_ANSWERS", 12)
    kept = RecordSet(listed)
    placement = Placement("lineage", "Chat", "ann.png", 3, kept.head, tuple(range(len(view))), "chain", len(view) - 1)
    return decode_state(orjson.loads(orjson.dumps(encode_state(fold(view, kept), kept, placement))))


def content(graph):
    """Active nodes, summaries, and the edges that hold between them."""
    nodes = {node.id: node for node in (*graph.active_nodes(), *graph.summaries.values())}
    edges = {replace(edge, id="") for edge in graph.current_edges()}
    joined = {edge for edge in edges if edge.from_id in nodes and edge.to_id in nodes}
    return nodes, joined, ledgers_to_json(graph.ledgers, {key: place for place, key in enumerate(VIEW)})


def restored(decoded, *more):
    return fold(VIEW, RecordSet([*records_to_take(decoded, RecordSet()), *more]))


ROOM_FOR_ALL_BUT_RECORDS = 90_000


@pytest.fixture
def decoded(monkeypatch):
    return written(with_the_rest(), ROOM_FOR_ALL_BUT_RECORDS, monkeypatch)


def test_a_restored_server_has_the_same_active_graph_and_asks_nothing(decoded):
    whole = fold(VIEW, RecordSet(with_the_rest()))

    again = restored(decoded)

    assert not decoded.is_complete
    assert content(again) == content(whole)
    assert again.pending == whole.pending


def test_undo_within_the_tail_is_exact_after_a_restore(decoded):
    for record in decoded.records:
        if isinstance(record, Mark):
            continue
        mark = off(99, record)

        assert content(restored(decoded, mark)) == content(fold(VIEW, RecordSet([*with_the_rest(), mark])))


def test_the_base_is_the_graph_before_the_tail(decoded):
    listed = RecordSet(with_the_rest())
    before = fold(VIEW, listed.first(listed.all().index(decoded.records[0])))

    base = base_of(decoded)

    assert {node.id: node for node in base.nodes} == before.nodes | before.summaries
    assert {replace(edge, id="") for edge in base.edges} == {replace(edge, id="") for edge in before.edges.values()}
    assert base.stamp.n < min(record.stamp.n for record in decoded.records)


def test_two_servers_restore_the_same_record(decoded):
    assert RecordSet([base_of(decoded)]).head == RecordSet([base_of(decoded)]).head


def test_archived_nodes_leave_a_state_that_is_too_large(monkeypatch):
    whole = fold(VIEW, RecordSet(with_the_rest()))

    small = written(with_the_rest(), 1_000, monkeypatch)

    assert small.left_out == sum(node.archived for node in whole.nodes.values())
    assert set(small.nodes) | set(small.summaries) == set(content(whole)[0])
    assert content(restored(small)) == content(whole)


def test_a_restored_chat_goes_on(decoded):
    more = [answer(100, (short_hash("new"),), update("Emil", state="brave"), event("A new day"))]
    view = (*VIEW, short_hash("new"))

    again = fold(view, RecordSet([*records_to_take(decoded, RecordSet()), *more]))

    assert content(again) == content(fold(view, RecordSet([*with_the_rest(), *more])))


def test_an_edit_that_waits_for_its_target_waits_on_after_a_restore(monkeypatch):
    wish = edit(2, VIEW[:2], update("Zoe", None, goal="the moon"))
    listed = [wish, *chat()]
    arrival = answer(100, (short_hash("new"),), character("Zoe"))
    view = (*VIEW, short_hash("new"))

    decoded = written(listed, ROOM_FOR_ALL_BUT_RECORDS, monkeypatch)

    again = fold(view, RecordSet([*records_to_take(decoded, RecordSet()), arrival]))
    assert find(again, "Zoe").fields["goal"] == "the moon"
    assert content(again) == content(fold(view, RecordSet([*listed, arrival])))


def test_what_a_base_has_is_told_again_and_not_twice(decoded):
    """An exact repeat of an old event is a mention of it."""
    again = answer(100, (short_hash("new"),), event("Bob goes to town [1]"))
    view = (*VIEW, short_hash("new"))

    graph = fold(view, RecordSet([*records_to_take(decoded, RecordSet()), again]))

    assert find(graph, "Bob goes to town [1]").mentions == 2


def test_a_text_that_was_said_before_is_not_counted_twice(monkeypatch):
    """The tail reads the second "ok" with what follows it; before the tail only the first one was there."""
    ok, new = VIEW[3], short_hash("new")
    view = (*VIEW, ok, new)
    listed = [*chat(), answer(100, (ok, new), event("Nothing more", 1))]

    decoded = written(listed, ROOM_FOR_ALL_BUT_RECORDS, monkeypatch, view)

    restored_graph = fold(view, RecordSet(records_to_take(decoded, RecordSet())))
    assert content(restored_graph) == content(fold(view, RecordSet(listed)))


def test_a_second_loss_is_restored_too(decoded, monkeypatch):
    first = [*records_to_take(decoded, RecordSet())]

    second = written(first, ROOM_FOR_ALL_BUT_RECORDS // 4, monkeypatch)

    assert any(isinstance(record, Base) for record in first)
    assert content(restored(second)) == content(fold(VIEW, RecordSet(with_the_rest())))


@pytest.mark.parametrize("place", range(0, len(VIEW), 7))
def test_nothing_of_a_message_that_is_gone_shows_after_a_restore(decoded, place):
    """Change events say what was before: they too are gone."""
    view = VIEW[:place] + VIEW[place + 1 :]

    again = fold(view, RecordSet(records_to_take(decoded, RecordSet())))

    assert [node.fields for node in again.nodes.values() if f"[{place}]" in " ".join(node.fields.values())] == []
    assert all(VIEW[place] not in node.sources for node in again.nodes.values())


def test_what_is_lost_is_named_with_the_messages_to_read_again(decoded):
    """Message 5 said how Ann is; the event at message 10 that tells how this changed is lost with it."""
    base = base_of(decoded)
    view = VIEW[:5] + VIEW[6:]

    loss = losses(base, fold(view, RecordSet(records_to_take(decoded, RecordSet()))))

    told = [node for node in base.nodes if "[5] ->" in node.fields.get("summary", "")]
    assert not losses(base, restored(decoded))
    assert loss.nodes == tuple(node.id for node in told)
    assert loss.ask_again == (VIEW[10],)


def test_a_store_with_the_records_takes_no_base(decoded):
    stored = RecordSet(list(chat()))

    assert records_to_take(decoded, stored) == decoded.records


def test_a_store_without_some_of_the_records_takes_the_base(decoded):
    stored = RecordSet(list(chat())[:30])

    taken = records_to_take(decoded, stored)

    assert isinstance(taken[0], Base)
    united = fold(VIEW, RecordSet([*stored.all(), *taken]))
    assert {node.name for node in united.active_nodes()} == {node.name for node in restored(decoded).active_nodes()}


def test_restoring_twice_over_one_server_changes_nothing(decoded):
    once = RecordSet(records_to_take(decoded, RecordSet()))

    assert records_to_take(decoded, once) == decoded.records
    assert RecordSet([*once.all(), *records_to_take(decoded, once)]).head == once.head


def test_a_kept_folder_gives_the_same_state(monkeypatch):
    monkeypatch.setattr(states, "SOFT_LIMIT_BYTES", ROOM_FOR_ALL_BUT_RECORDS)
    folder = Folder()
    for length in range(60, len(VIEW)):
        view, kept = VIEW[:length], RecordSet(list(chat())[:length])
        placement = Placement("l", "Chat", "", 1, kept.head, tuple(range(length)), "c", length - 1)
        graph = fold(view, kept)

        quick = encode_state(graph, kept, placement, folder.fold)

        assert quick == encode_state(graph, kept, placement)


def test_a_state_at_the_real_limit_restores():
    view = tuple(short_hash(str(number)) for number in range(1_500))
    listed = [answer(n + 1, (key,), character(NAMES[n % 5], state=f"{n} {'word ' * 40}")) for n, key in enumerate(view)]
    kept = RecordSet(listed)
    placement = Placement("l", "Chat", "", 1, kept.head, tuple(range(1_500)), "c", 1_499)

    encoded = orjson.dumps(encode_state(fold(view, kept), kept, placement))

    decoded = decode_state(orjson.loads(encoded))
    assert len(encoded) <= SOFT_LIMIT_BYTES
    assert content(fold(view, RecordSet(records_to_take(decoded, RecordSet())))) == content(fold(view, kept))
