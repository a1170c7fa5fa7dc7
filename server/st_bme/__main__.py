"""`python -m st_bme`: the command line."""

import sys

from st_bme.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
