"""Processes that are killed while they erase the first person of a home.

`python -m tests.support.erasing_child` reads lines of a home and a number, and forks for each one.
That process dies at so many points after the home is open, or with 0 only opens it, as any start
does. Its exit code is printed.
"""

import asyncio
import os
import signal
import sys

from companion.opening import open_storage
from companion.settings import Settings
from tests.crash.points import Points, install


class Nth(Points):
    """Kills this process at its `left`th point, whatever that is called."""

    left = 0

    def pass_(self, name: str) -> None:
        if self.left:
            self.left -= 1
            if not self.left:
                os.kill(os.getpid(), signal.SIGKILL)


async def live(home: str, number: int) -> None:
    points = Nth()
    install(points)
    settings = Settings.model_validate({"embedder": {"kind": "none"}})
    async with open_storage(home, settings=settings, environ={}) as storage:
        if number:
            points.left = number
            await storage.erasing.erase(1)


def main() -> None:
    for line in sys.stdin:
        home, _, number = line.strip().rpartition(" ")
        child = os.fork()
        if not child:
            asyncio.run(live(home, int(number)))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
