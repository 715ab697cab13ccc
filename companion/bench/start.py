"""From the start of the process to the first message, and the memory of one that waits.

`python -m companion.bench.start HOME SERVER` is such a process: when it is ready to take a message
in it prints the CPU that this has cost, and after one turn the memory that it holds.
"""

import asyncio
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Seconds to ready, by the clock and of CPU, and bytes held when idle, for each start."""

    seconds: list[float]
    cpu: list[float]
    idle_bytes: list[int]


def measure(server: str, folder: Path, starts: int) -> Start:
    """Start as often, each time on a home of its own."""
    started = Start(seconds=[], cpu=[], idle_bytes=[])
    for _ in range(starts):
        with TemporaryDirectory(dir=folder) as home:
            began = time.perf_counter()
            command = [sys.executable, "-m", "companion.bench.start", home, server]
            with subprocess.Popen(command, stdout=subprocess.PIPE) as process:  # noqa: S603
                assert process.stdout is not None
                ready = process.stdout.readline()
                started.seconds.append(time.perf_counter() - began)
                if not ready:
                    raise RuntimeError("the companion did not start")
                started.cpu.append(float(ready))
                started.idle_bytes.append(int(process.stdout.readline()))
    return started


async def _live(home: str, server: str) -> None:
    from companion.bench.talk import a_talk
    from companion.footprint import share_one_heap

    share_one_heap()  # as `companion chat` does
    async with a_talk(Path(home), server) as talk:
        print(time.process_time(), flush=True)
        from companion.bench.meters import memory

        await talk.say("Anna", "Hello! I'm Anna, and I grow tomatoes on my balcony.")
        await talk.rest()
        print(memory(), flush=True)


if __name__ == "__main__":
    asyncio.run(_live(*sys.argv[1:]))
