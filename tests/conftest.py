"""How many examples the property tests take: HYPOTHESIS_PROFILE=deep for a long run, brief for `run.py --fast`."""

import os

from hypothesis import HealthCheck, settings

# A gate takes the same examples each time; who works on the code meets new ones.
_COMMON = {"derandomize": "CI" in os.environ, "deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("brief", max_examples=25, stateful_step_count=20, **_COMMON)
settings.register_profile("default", max_examples=100, stateful_step_count=20, **_COMMON)
settings.register_profile("deep", max_examples=4_000, stateful_step_count=50, **_COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
