"""Figures of the real SillyTavern that take longer than its tests.

    python3 tests/e2e/figures.py walk --steps 200 --seed 1
    python3 tests/e2e/figures.py saves --messages 5000 --rounds 15 --turns 100
    python3 tests/e2e/figures.py secret --turns 50

The last line is JSON. Ends with 1 if a test failed: a graph that was once not what a fresh extraction of the chat
gives (the failure names the steps that led there), or a limit that is not held.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_REPORT = "E2E_REPORT"


def report(**figures: object) -> None:
    """Add to the report of who started the tests for their figures; without one nothing happens."""
    if path := os.environ.get(_REPORT):
        with Path(path).open("a") as file:
            file.write(json.dumps(figures) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    walk = kinds.add_parser("walk", help="a random walk over all actions")
    walk.add_argument("--steps", type=int, default=200)
    walk.add_argument("--seed", type=int, default=1)
    saves = kinds.add_parser("saves", help="what the state adds to SillyTavern's saves")
    saves.add_argument("--messages", type=int, default=5000)
    saves.add_argument("--rounds", type=int, default=15)
    saves.add_argument("--turns", type=int, default=100)
    secret = kinds.add_parser("secret", help="in how many turns each of two members of a group recalls a secret of one")
    secret.add_argument("--turns", type=int, default=50)
    chosen = vars(parser.parse_args())
    kind = chosen.pop("kind")
    with tempfile.TemporaryDirectory(prefix="st-bme-") as folder:
        figures = Path(folder) / "figures"
        wanted = {f"{kind}_{name}".upper(): str(value) for name, value in chosen.items()}
        files = [f"tests/e2e/{name}_{kind}.py" for name in ("test", "measure")]
        command = [sys.executable, "-m", "pytest", "-q", *(file for file in files if (ROOT / file).exists())]
        environment = {**os.environ, **wanted, _REPORT: str(figures)}
        ended = subprocess.run(command, cwd=ROOT, env=environment, check=False)
        lines = figures.read_text().splitlines() if figures.exists() else []
    merged = {name: value for line in lines for name, value in json.loads(line).items()}
    sys.stdout.write(json.dumps(chosen | merged) + "\n")
    return ended.returncode


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "server"))
    import bootstrap

    bootstrap.enter("test")
    raise SystemExit(main())
