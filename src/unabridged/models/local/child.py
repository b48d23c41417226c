"""The process in which a local model runs. It is started as a file, and imports nothing of this library.

It reads what to run as one line of JSON, answers with one line of JSON, and is gone when its standard input ends: with
the program that started it, however that ended.
"""

from __future__ import annotations

import importlib
import json
import os
import sys

QUIET = -1
CACHE_MIB = 64
"""For prompts that are no longer in the window of the model; its own default would be 8 GiB."""


def main() -> None:
    """Serve until standard input ends."""
    order = json.loads(sys.stdin.readline())
    try:
        xllamacpp = importlib.import_module("xllamacpp")
        params = xllamacpp.CommonParams()
        params.model.path = order["file"]
        params.model_alias = {order["name"]}
        params.api_keys = [order["key"]]
        params.n_ctx = order["window"]
        params.n_parallel = 1  # several share the window
        params.cpuparams.n_threads = 1  # two spin when the machine is busy, and are then many times slower than one
        params.cpuparams_batch.n_threads = 1
        params.cache_ram_mib = CACHE_MIB
        params.port = 0
        params.verbosity = QUIET
        params.ui = False
        params.offline = True
        server = xllamacpp.Server(params)
        said = {"address": str(server.listening_address)}
    except Exception as error:  # whatever it is, the other process has to say it
        said = {"error": f"{type(error).__name__}: {error}"}
    sys.stdout.write(json.dumps(said) + "\n")
    sys.stdout.flush()
    if "address" in said:
        sys.stdin.read()
    os._exit(0)  # stopping the server in order would wait for answers that nobody reads any more


if __name__ == "__main__":
    main()
