"""What is linked with what, and how much energy passes along."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from st_bme.model.edge import INHIBITORY, Edge
from st_bme.model.node import Node
from st_bme.read.arrays import Floats, Ints, Mask
from st_bme.scoring.diffusion import Csr, build_csr

TIME_STRENGTH = 0.2  # what follows in time is linked this strongly; the original ST-BME's temporal link
# Who has more relations than this passes less along each, as the square root: what is linked with everything says
# little about anything (the fan effect, Anderson 1974).
FAN = 8


@dataclass(frozen=True, slots=True)
class Links:
    """Undirected links, (m,) each."""

    starts: Ints
    ends: Ints
    strengths: Floats
    inhibits: Mask


def links_between(edges: Sequence[Edge], row_of: Mapping[str, int]) -> Links:
    """The current edges of which both ends are here."""
    starts = np.array([row_of.get(edge.from_id, -1) if edge.is_current else -1 for edge in edges], np.int64)
    ends = np.array([row_of.get(edge.to_id, -1) for edge in edges], np.int64)
    strengths = np.array([edge.strength for edge in edges], np.float64)
    inhibits = np.array([edge.edge_type == INHIBITORY for edge in edges], np.bool_)
    here = (starts >= 0) & (ends >= 0)
    return Links(starts[here], ends[here], strengths[here], inhibits[here])


def links_in_time(nodes: Sequence[Node], floors: Ints) -> Links:
    """What follows what within one type and scope. `floors`: (n,) where each was told, below 0 for what was not."""
    last: dict[tuple[str, str], int] = {}
    starts: list[int] = []
    ends: list[int] = []
    for row in np.argsort(floors, kind="stable").tolist():
        node = nodes[row]
        if floors[row] < 0:
            continue
        line = (node.type, node.scope.identity)
        if line in last:
            starts.append(last[line])
            ends.append(row)
        last[line] = row
    count = len(starts)
    strengths, inhibits = np.full(count, TIME_STRENGTH), np.zeros(count, np.bool_)
    return Links(np.array(starts, np.int64), np.array(ends, np.int64), strengths, inhibits)


def joined(first: Links, second: Links) -> Links:
    """Both."""
    return Links(
        np.concatenate((first.starts, second.starts)),
        np.concatenate((first.ends, second.ends)),
        np.concatenate((first.strengths, second.strengths)),
        np.concatenate((first.inhibits, second.inhibits)),
    )


def joining(links: Links) -> Links:
    """Those that do not inhibit."""
    joins = ~links.inhibits
    return Links(links.starts[joins], links.ends[joins], links.strengths[joins], links.inhibits[joins])


def csr_of(count: int, links: Links) -> Csr:
    """Each link both ways."""
    return build_csr(
        count,
        np.stack((links.starts, links.ends), axis=1).ravel(),
        np.stack((links.ends, links.starts), axis=1).ravel(),
        strengths=np.repeat(links.strengths, 2),
        inhibits=np.repeat(links.inhibits, 2),
    )


def fanned(csr: Csr) -> Csr:
    """The same with less along each link of what has many."""
    degrees = np.diff(csr.offsets)
    shares = np.sqrt(np.minimum(1.0, FAN / np.maximum(degrees, 1)))
    return replace(csr, strengths=csr.strengths * np.repeat(shares, degrees))
