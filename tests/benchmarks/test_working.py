"""What a server with a long chat open takes of the memory of its machine."""

import sys

import pytest

from benchmarks import working as benchmark

WORKING_MB = 250

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows tells it to no program")


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_server_with_a_chat_of_5000_messages_and_its_vectors_stays_within_250_mb():
    figures = benchmark.measure_apart(benchmark.MESSAGES)

    assert figures["vectors"] > benchmark.MESSAGES, "one a message and a memory"
    assert figures["started_mb"] < figures["attached_mb"] < figures["working_mb"] <= WORKING_MB
