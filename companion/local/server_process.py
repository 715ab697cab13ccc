"""The process that a local model runs in: llama.cpp's own HTTP server on a loopback port.

A process of its own, because the model's memory and its crashes should not be the companion's.
It reads its task as one line of JSON from standard input, tells its address in one line of JSON
on standard output, and ends when standard input does: that is how it hears of its parent's
death, however that came about.
"""

import ctypes
import json
import os
import signal
import sys
from pathlib import Path

import xllamacpp

PR_SET_PDEATHSIG = 1
WARNINGS = 2
"""llama.cpp's verbosity. Prompts would be logged far above it; requests, at 3, are only noise."""


def main() -> None:
    """Serve until standard input ends."""
    _die_with_parent()
    task = json.loads(sys.stdin.buffer.readline())
    server = xllamacpp.Server(
        _parameters(task["model"], task["key"], window=task["window"], threads=task["threads"])
    )
    print(json.dumps({"url": server.listening_address}), flush=True)
    sys.stdin.buffer.read()
    os._exit(0)  # llama.cpp's destructors would first finish an answer that nobody waits for


def _die_with_parent() -> None:
    """Loading a model holds the interpreter's lock, so on Linux let the kernel watch meanwhile."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _parameters(model: str, key: str, *, window: int, threads: int) -> xllamacpp.CommonParams:
    parameters = xllamacpp.CommonParams()
    parameters.model.path = model
    parameters.model_alias = {Path(model).stem}  # what usage is booked under
    parameters.hostnames = ["127.0.0.1"]
    parameters.api_keys = [key]  # other programs and open web pages can reach the port too
    parameters.cors_origins = "null"
    parameters.ui = False
    parameters.endpoint_slots = False
    parameters.verbosity = WARNINGS
    parameters.n_ctx = window
    parameters.n_parallel = 2  # each keeps its last prompt: one for facts, one for the chat
    parameters.kv_unified = True  # and either may fill the whole window
    parameters.cache_ram_mib = 0
    parameters.sampling.temp = 0.0  # small models drift off easily
    parameters.cpuparams.n_threads = threads
    parameters.cpuparams_batch.n_threads = threads
    return parameters


if __name__ == "__main__":
    main()
