"""Energy that spreads from what a text names to what is linked with it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

_Floats = npt.NDArray[np.float64]
_Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Csr:
    """Directed edges grouped by source: those of node i are at offsets[i]:offsets[i + 1]."""

    offsets: _Ints  # (n + 1,)
    targets: _Ints  # (m,)
    strengths: _Floats  # (m,) 0..1
    inhibits: npt.NDArray[np.bool_]  # (m,)

    @property
    def node_count(self) -> int:
        return len(self.offsets) - 1


@dataclass(frozen=True, slots=True)
class DiffusionOptions:
    """How far energy goes. The defaults are those of the original ST-BME."""

    max_steps: int = 2
    decay: float = 0.6  # share that survives a step
    teleport: float = 0.15  # share of a seed's energy put back each step, 0 ≤ teleport < 1
    inhibition: float = 2.0  # an inhibiting edge takes away this much more than a plain one gives
    top_k: int = 100  # nodes that may spread in the next step
    max_energy: float = 2.0
    min_energy: float = 0.01


@dataclass(frozen=True, slots=True)
class _Frontier:
    """Nodes that hold energy in one step, in the order they were reached."""

    nodes: _Ints  # (k,) distinct
    energies: _Floats  # (k,)


def build_csr(
    node_count: int,
    sources: npt.ArrayLike,
    targets: npt.ArrayLike,
    *,
    strengths: npt.ArrayLike,
    inhibits: npt.ArrayLike,
) -> Csr:
    """Group edges by source; edges of one source keep their order.

    Args:
        node_count: n; every end lies in 0..n-1.
        sources, targets: (m,) int; an undirected edge is given once each way.
        strengths: (m,) 0..1.
        inhibits: (m,) bool.
    """
    from_nodes = np.asarray(sources, np.int64)
    order = np.argsort(from_nodes, kind="stable")
    counts = np.bincount(from_nodes, minlength=node_count)
    return Csr(
        offsets=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        targets=np.asarray(targets, np.int64)[order],
        strengths=np.asarray(strengths, np.float64)[order],
        inhibits=np.asarray(inhibits, np.bool_)[order],
    )


def diffuse(graph: Csr, seeds: Mapping[int, float], options: DiffusionOptions = DiffusionOptions()) -> _Floats:
    """Spread energy from seeds for a few steps; a node keeps the strongest energy that it ever had.

    Only nodes that hold energy are touched, so the time depends on `top_k` and their degree, not on the graph's size.

    Args:
        graph: n nodes; parallel edges add up.
        seeds: node → energy, any sign; clamped to ±max_energy, dropped below min_energy.
    Returns: (n,) float64 within ±max_energy, 0 where no energy came. At the top_k cut, ties go to the node reached
        first; of two energies equal in size, the earlier stays.
    Source: the original ST-BME's spreading activation, whose recorded outputs this reproduces to 1e-9.
    """
    best = np.zeros(graph.node_count)
    seeded = _kept(_Frontier(np.fromiter(seeds.keys(), np.int64), np.fromiter(seeds.values(), np.float64)), options)
    best[seeded.nodes] = seeded.energies
    frontier = seeded
    for _ in range(options.max_steps):
        if frontier.nodes.size == 0:
            break
        frontier = _kept(_step(graph, frontier, options), options)
        if options.teleport > 0:
            frontier = _teleported(frontier, seeded, options.teleport, graph.node_count)
        frontier = _strongest(frontier, options.top_k)
        stronger = np.abs(frontier.energies) > np.abs(best[frontier.nodes])
        best[frontier.nodes[stronger]] = frontier.energies[stronger]
    return best


def _step(graph: Csr, frontier: _Frontier, options: DiffusionOptions) -> _Frontier:
    starts = graph.offsets[frontier.nodes]
    counts = graph.offsets[frontier.nodes + 1] - starts
    ends = np.cumsum(counts)
    edges = np.arange(ends[-1]) + np.repeat(starts - (ends - counts), counts)  # (e,) edges that leave the frontier
    flows = np.repeat(frontier.energies, counts) * graph.strengths[edges] * options.decay
    taken = -np.abs(flows) * options.inhibition
    flows = np.where(graph.inhibits[edges], taken, flows * (1 - options.teleport))
    return _summed(graph.targets[edges], flows, graph.node_count)


def _teleported(frontier: _Frontier, seeded: _Frontier, share: float, node_count: int) -> _Frontier:
    is_seed = np.zeros(node_count, np.bool_)
    is_seed[seeded.nodes] = True
    kept = np.where(is_seed[frontier.nodes], 1 - share, 1.0) * frontier.energies
    nodes, energies = np.concatenate((frontier.nodes, seeded.nodes)), np.concatenate((kept, share * seeded.energies))
    return _summed(nodes, energies, node_count)


def _summed(nodes: _Ints, energies: _Floats, node_count: int) -> _Frontier:
    """Energies added up by node, in order of first mention."""
    places = np.arange(nodes.size)
    first = np.empty(node_count, np.int64)  # only what is written below is read
    first[nodes[::-1]] = places[::-1]
    distinct = nodes[first[nodes] == places]
    return _Frontier(distinct, np.bincount(nodes, energies, minlength=node_count)[distinct])


def _kept(frontier: _Frontier, options: DiffusionOptions) -> _Frontier:
    energies: _Floats = np.minimum(np.maximum(frontier.energies, -options.max_energy), options.max_energy)
    keep = np.abs(energies) >= options.min_energy
    return _Frontier(frontier.nodes[keep], energies[keep])


def _strongest(frontier: _Frontier, top_k: int) -> _Frontier:
    if frontier.nodes.size <= top_k:
        return frontier
    order = np.argsort(-np.abs(frontier.energies), kind="stable")[:top_k]
    return _Frontier(frontier.nodes[order], frontier.energies[order])
