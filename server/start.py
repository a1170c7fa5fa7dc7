"""Start the memory server: `python3 server/start.py`; any command of the command line may follow."""

from __future__ import annotations

import sys

import bootstrap

# Asked of the command line as a whole, not of `serve`.
GENERAL_OPTIONS = ("-h", "--help", "--version")


def arguments_of(given: list[str]) -> list[str]:
    """What follows without a command is for `serve`, as in the lines that the panel offers to copy."""
    names_no_command = not given or (given[0].startswith("-") and given[0] not in GENERAL_OPTIONS)
    return ["serve", *given] if names_no_command else given


if __name__ == "__main__":
    bootstrap.enter()

    from st_bme.cli import main

    sys.exit(main(arguments_of(sys.argv[1:])))
