"""`benchmarks/catchup.py` on a short chat: killed, cancelled, and yet what reading turn by turn remembers."""

import json
import subprocess
import sys

import pytest

from repository.files import ROOT


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_a_short_chat_is_read_over_a_kill_and_a_cancel():
    command = [sys.executable, str(ROOT / "benchmarks" / "catchup.py"), "--messages", "40", "--json"]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)

    figures = json.loads(ended.stdout)
    assert figures["equal_to_turn_by_turn"] is True
    assert figures["pending"] == 0
    assert figures["cancel_s"] < 1
    assert figures["calls"] >= figures["calls_estimated"] == 20
    assert abs(figures["tokens_estimated"] / figures["tokens_used"] - 1) < 0.15
