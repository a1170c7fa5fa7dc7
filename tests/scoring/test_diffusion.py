"""Diffusion against the plain dictionary version of the same rules, and its limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from st_bme.scoring.diffusion import DiffusionOptions, build_csr, diffuse

NODES = 8
Edge = tuple[int, int, float, bool]

edges_strategy = st.lists(
    st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1), st.floats(0, 1), st.booleans()), max_size=30
)
seeds_strategy = st.dictionaries(st.integers(0, NODES - 1), st.floats(-3, 3), max_size=4)
options_strategy = st.builds(
    DiffusionOptions,
    max_steps=st.integers(0, 4),
    decay=st.floats(0, 1),
    teleport=st.sampled_from([0.0, 0.15, 0.5]),
    top_k=st.integers(1, NODES),
)


def graph_of(edges: list[Edge], node_count: int = NODES):
    return build_csr(
        node_count,
        [edge[0] for edge in edges],
        [edge[1] for edge in edges],
        strengths=[edge[2] for edge in edges],
        inhibits=[edge[3] for edge in edges],
    )


def step_plainly(edges: list[Edge], current: dict[int, float], options: DiffusionOptions) -> dict[int, float]:
    reached: dict[int, float] = {}
    for node, energy in current.items():
        for _, target, strength, inhibits in (edge for edge in edges if edge[0] == node):
            flow = energy * strength * options.decay
            flow = -abs(flow) * options.inhibition if inhibits else flow * (1 - options.teleport)
            reached[target] = reached.get(target, 0.0) + flow
    return reached


def spread_plainly(edges: list[Edge], seeds: dict[int, float], options: DiffusionOptions) -> list[float]:
    def kept(energies):
        clamped = {n: max(-options.max_energy, min(options.max_energy, e)) for n, e in energies.items()}
        return {n: e for n, e in clamped.items() if abs(e) >= options.min_energy}

    current = seeded = kept(seeds)
    best = dict(seeded)
    for _ in range(options.max_steps):
        if not current:
            break
        current = kept(step_plainly(edges, current, options))
        if options.teleport > 0:
            for node, energy in seeded.items():
                current[node] = (1 - options.teleport) * current.get(node, 0.0) + options.teleport * energy
        current = dict(sorted(current.items(), key=lambda pair: -abs(pair[1]))[: options.top_k])
        for node, energy in current.items():
            if abs(energy) > abs(best.get(node, 0.0)):
                best[node] = energy
    return [best.get(node, 0.0) for node in range(NODES)]


@given(edges_strategy, seeds_strategy, options_strategy)
def test_arrays_spread_as_dictionaries_do(edges, seeds, options):
    assert diffuse(graph_of(edges), seeds, options) == pytest.approx(
        spread_plainly(edges, seeds, options), rel=1e-9, abs=1e-12
    )


@given(edges_strategy, seeds_strategy, options_strategy)
def test_energy_stays_within_its_clamp(edges, seeds, options):
    assert np.abs(diffuse(graph_of(edges), seeds, options)).max() <= options.max_energy


def test_energy_goes_no_further_than_the_steps():
    chain = graph_of([(0, 1, 1.0, False), (1, 2, 1.0, False), (2, 3, 1.0, False)])

    energies = diffuse(chain, {0: 2.0}, DiffusionOptions(teleport=0.0))

    # 2 · 0.6 after one step, 2 · 0.6² after two; the third is never taken.
    assert energies[:4].tolist() == pytest.approx([2.0, 1.2, 0.72, 0.0])


def test_an_inhibiting_edge_takes_twice_what_a_plain_one_gives():
    energies = diffuse(graph_of([(0, 1, 0.5, True)]), {0: 1.0}, DiffusionOptions(teleport=0.0))

    assert energies[1] == pytest.approx(-0.6)  # −(1 · 0.5 · 0.6) · 2


def test_parallel_edges_add_up():
    energies = diffuse(graph_of([(0, 1, 0.5, False), (0, 1, 0.3, False)]), {0: 1.0}, DiffusionOptions(teleport=0.0))

    assert energies[1] == pytest.approx(0.48)  # (0.5 + 0.3) · 0.6


def test_only_the_strongest_nodes_spread_on():
    fan = graph_of([(0, 1, 0.9, False), (0, 2, 0.8, False), (1, 3, 1.0, False), (2, 4, 1.0, False)])

    energies = diffuse(fan, {0: 1.0}, DiffusionOptions(teleport=0.0, top_k=1))

    assert energies[3] > 0
    assert energies[4] == 0


def test_nothing_spreads_without_seeds():
    assert diffuse(graph_of([(0, 1, 1.0, False)]), {}).tolist() == [0.0] * NODES


def test_an_empty_graph_gives_no_energies():
    assert diffuse(graph_of([], node_count=0), {}).shape == (0,)


def test_edges_of_one_source_keep_their_order():
    graph = graph_of([(2, 5, 0.1, False), (0, 7, 0.2, True), (2, 3, 0.3, False)])

    assert graph.targets.tolist() == [7, 5, 3]
    assert graph.offsets.tolist() == [0, 1, 1, 3, 3, 3, 3, 3, 3]
    assert graph.inhibits.tolist() == [True, False, False]
