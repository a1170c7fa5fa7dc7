"""What is remembered of a chat, in numbers."""

from __future__ import annotations

from collections import Counter

from st_bme.protocol.drawn import Statistics
from st_bme.session.chat_session import ChatSession
from st_bme.session.recalling import Recalling


async def statistics(session: ChatSession, recalling: Recalling, *, has_embedder: bool) -> Statistics:
    """The counts as they are now."""
    wanted = set(await recalling.texts()) if has_embedder else set()
    vectors = sum(recalling.vector_of(text) is not None for text in wanted)
    graph, view = session.graph, session.view
    active = graph.active_nodes()
    read = [floor for floor, is_pending in zip(view.floors, graph.pending, strict=True) if not is_pending]
    return Statistics(
        messages=len(view),
        pending=sum(graph.pending),
        last_floor=max(read, default=-1),
        active=len(active),
        archived=len(graph.nodes) - len(active),
        pinned=sum(node.pinned for node in active),
        summaries=len(graph.frontier()),
        edges=len(graph.current_edges()),
        records=len(session.records),
        by_type=dict(Counter(node.type for node in active).most_common()),
        texts=len(wanted),
        vectors=vectors,
    )
