"""What a process takes."""

import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

STATUS = Path("/proc/self/status")


@dataclass(slots=True)
class Span:
    """Seconds that a piece of work took: of this process's CPU, all threads, and of the clock."""

    cpu: float = 0.0
    wall: float = 0.0


@contextmanager
def timed() -> Iterator[Span]:
    """Measure what is done in the block."""
    span = Span()
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        yield span
    finally:
        span.cpu = time.process_time() - cpu
        span.wall = time.perf_counter() - wall


def memory() -> int:
    """Bytes of memory that this process holds; where the system doesn't tell, the most it held."""
    if STATUS.exists():
        for line in STATUS.read_text().splitlines():
            name, _, value = line.partition(":")
            if name == "VmRSS":
                return int(value.split()[0]) * 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
