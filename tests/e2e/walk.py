"""A long random walk in the real SillyTavern: `python3 tests/e2e/walk.py --steps 200 --seed 1`.

The last line is JSON: the seed and how often each action was taken. Ends with 1 if the graph was once not what a fresh
extraction of the chat gives; the failure names the steps that led there.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "server"))

import bootstrap  # noqa: E402 - lies in server/, which the line above opens


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="st-bme-") as folder:
        report = Path(folder) / "report.json"
        walk = {"WALK_STEPS": str(options.steps), "WALK_SEED": str(options.seed), "WALK_REPORT": str(report)}
        command = [sys.executable, "-m", "pytest", "-q", "tests/e2e/test_walk.py"]
        ended = subprocess.run(command, cwd=ROOT, env={**os.environ, **walk}, check=False)
        if report.exists():
            sys.stdout.write(report.read_text() + "\n")
        return ended.returncode


if __name__ == "__main__":
    bootstrap.enter("test")
    raise SystemExit(main())
