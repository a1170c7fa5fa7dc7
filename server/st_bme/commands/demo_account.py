"""What the demo tells of a story, drawn with rich: what was remembered, and what would be injected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from st_bme import __version__
from st_bme.commands.injected import injected
from st_bme.graph.state import DecodedState
from st_bme.model.edge import Edge
from st_bme.model.node import Node
from st_bme.protocol.results import Item, Recalled

_MOST_EVENTS = 8
_MOST_EDGES = 5
_MOST_ITEMS = 4
_WHY: Mapping[str, str] = {
    "names": "named",
    "words": "same words",
    "nearby": "told nearby",
    "diffusion": "linked",
    "core": "recent",
    "recent": "recent",
    "scene": "same scene",
    "flashback": "by chance",
    "woken": "put away, and asked for",
}
_RELATION: Mapping[str, str] = {
    "involved_in": "took part in",
    "occurred_at": "happened at",
    "updates": "changes",
    "advances": "carries on",
    "contradicts": "contradicts",
}
_NEXT = """\
What next
  1. Start the server            python3 server/start.py
  2. Install the extension       in SillyTavern: Extensions, Install extension,
                                 and the address of this repository
  3. Look at it                  the badge under Extensions turns green; chat on
Memory of a chat of your own     python3 server/start.py replay CHAT.jsonl
Everything above, for machines   python3 server/start.py demo --json"""


@dataclass(frozen=True, slots=True)
class Question:
    """Something asked when the story is over, and words of the story that answer it."""

    query: str
    answer: str


@dataclass(frozen=True, slots=True)
class Account:
    """A story that was read, and what its memory answers."""

    title: str
    messages: int
    state: DecodedState
    state_bytes: int
    records: int
    seconds: float
    answers: tuple[tuple[Question, Recalled], ...]


def print_start() -> None:
    """Say what will be seen."""
    console = _console()
    console.print(Text(f"ST-BME Bridge {__version__}", style="bold"))
    console.print("Two chats are read from start to end, as a server would read them: no model, no")
    console.print("SillyTavern, no network. Then each is asked three questions.")


def print_account(account: Account) -> None:
    """Tell of one story."""
    console = _console()
    nodes, edges = account.state.nodes.values(), account.state.edges.values()
    console.print()
    console.print(Rule(Text(account.title, style="bold"), align="left"))
    console.print(
        f"{account.messages} messages became {len(nodes)} memories and {len(edges)} relations"
        f" in {account.seconds:.1f} s;\nin the chat file they take {account.state_bytes / 1024:.0f} KB."
    )
    for kind, heading in (("character", "People"), ("location", "Places")):
        _print_entities(console, heading, [node for node in nodes if node.type == kind])
    _print_events(console, account.state)
    _print_edges(console, account.state)
    for number, (question, recalled) in enumerate(account.answers, 1):
        _print_answer(console, f"Question {number}", question, recalled)
    question, recalled = account.answers[0]
    panel = Panel(Text(recalled.text), title="Into the prompt for question 1", box=box.HORIZONTALS, padding=0)
    console.print()
    console.print(panel)


def print_end(seconds: float) -> None:
    """Say what to do next."""
    console = _console()
    console.print()
    console.print(Rule())
    console.print(Text(f"All of it in {seconds:.1f} s.\n\n{_NEXT}"))


def _console() -> Console:
    return Console(highlight=False, markup=False, emoji=False)


def _table(heading: str, columns: Sequence[str]) -> Table:
    table = Table(title=heading, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _print_entities(console: Console, heading: str, nodes: Iterable[Node]) -> None:
    """Name, how often it was spoken of, and what else is known."""
    table = _table(heading, ("Name", "Messages", "Known now"))
    table.columns[1].justify = "right"
    for node in sorted(nodes, key=lambda node: (-node.mentions, node.name)):
        known = "; ".join(f"{column}: {value}" for column, value in node.fields.items() if column != "name")
        table.add_row(Text(node.name), str(node.mentions), Text(known))
    console.print()
    console.print(table)


def _print_events(console: Console, state: DecodedState) -> None:
    """The weightiest events, as the story goes."""
    events = [node for node in state.nodes.values() if node.type == "event"]
    places = {node.id: place for place, node in enumerate(events)}
    chosen = sorted(events, key=lambda node: (-node.importance, places[node.id]))[:_MOST_EVENTS]
    table = _table(f"Events (the weightiest {len(chosen)} of {len(events)})", ("Message", "What happened"))
    table.columns[0].justify = "right"
    for node in sorted(chosen, key=lambda node: places[node.id]):
        table.add_row(_message_of(node, state), Text(_shown(node)))
    console.print()
    console.print(table)


def _message_of(node: Node, state: DecodedState) -> str:
    """The number of the message that told it, counted from 1."""
    floors = dict(zip(state.known.keys, state.known.floors, strict=True))
    return str(floors[node.sources[0]] + 1) if node.sources and node.sources[0] in floors else ""


def _print_edges(console: Console, state: DecodedState) -> None:
    """Some relations as sentences, of as many kinds as there are."""
    console.print()
    console.print(Text("How they hang together (some of the relations)", style="bold"))
    grid = Table.grid(padding=(0, 1))
    grid.add_column()
    grid.add_column(overflow="fold")
    for edge in _spread([edge for edge in state.edges.values() if edge.is_current and edge.relation in _RELATION]):
        start, end = state.nodes[edge.from_id], state.nodes[edge.to_id]
        grid.add_row(" •", Text(f"{_quoted(start)} {_RELATION[edge.relation]} {_quoted(end)}"))
    console.print(grid)


def _spread(edges: Sequence[Edge]) -> list[Edge]:
    """A few relations from all over the story."""
    step = max(1, len(edges) // _MOST_EDGES)
    return list(edges[step // 2 :: step])[:_MOST_EDGES]


def _quoted(node: Node) -> str:
    return f"“{_shown(node)}”" if node.type == "event" else node.name


def _shown(node: Node) -> str:
    return node.fields.get("summary") or node.name


def _print_answer(console: Console, heading: str, question: Question, recalled: Recalled) -> None:
    """The question, the memory that answers it, and what else would go into the prompt."""
    console.print()
    console.print(Text.assemble((f"{heading}: ", "bold"), (question.query, "bold cyan")))
    took = sum(recalled.timings_ms.values())
    console.print(
        f"{injected(item.type for item in recalled.items)} would be injected, {recalled.tokens:,} tokens,"
        f" found in {took:.0f} ms:"
    )
    answering = [item for item in recalled.items if question.answer in item.text]
    others = [item for item in _best_first(recalled.items) if item not in answering]
    table = _table("", ("Why", "Memory"))
    table.columns[0].no_wrap = True
    for item in [*answering[:1], *others[: _MOST_ITEMS - 1]]:
        memory = Text(item.text)
        memory.highlight_words([question.answer], style="bold green")
        table.add_row(_WHY.get(item.reason, item.reason), memory)
    console.print(table)
    left = len(recalled.items) - table.row_count
    told = "The first one answers it." if answering else "None of them answers it."
    console.print(f"{told} {left} more are not shown here.")


def _best_first(items: Sequence[Item]) -> list[Item]:
    """What was found for the question before what is injected whatever is asked."""
    return sorted(items, key=lambda item: (item.section == "core", -item.score))
