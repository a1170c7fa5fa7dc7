"""Start the memory server: `python3 server/start.py`; any command of the command line may follow."""

import sys

import bootstrap

if __name__ == "__main__":
    bootstrap.enter()

    from st_bme.cli import main

    sys.exit(main(sys.argv[1:] or ["serve"]))
