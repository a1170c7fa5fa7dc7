"""The collector passes over what a started server has loaded."""

import subprocess
import sys

from repository.files import ROOT

SCRIPT = """
import gc
from st_bme.adapters.process_memory import NEW_OBJECTS, settle_collector
loaded = [[] for _ in range(1000)]
settle_collector()
assert gc.get_freeze_count() > len(loaded)
assert gc.get_threshold()[0] == NEW_OBJECTS
class Ring:
    pass
import weakref
ring = Ring()
ring.itself = ring
seen = weakref.ref(ring)
del ring
gc.collect()
assert seen() is None
"""


def test_what_is_loaded_is_left_out_and_later_cycles_are_still_found():
    subprocess.run([sys.executable, "-c", SCRIPT], cwd=ROOT / "server", check=True)
