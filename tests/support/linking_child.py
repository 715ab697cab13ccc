"""Processes that are killed while two accounts become one, or part again.

`python -m tests.support.linking_child` reads lines of a home, words and a number, and forks for
each one. That process says the words in Anna's chat, and dies at so many points after; with 0 it
lives on, as after any start. What it delivered stands in `heard` in the home, a line each.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

from companion import opening
from companion.events import Address, MessageReceived, OutgoingMessage, Sender
from tests.crash.points import install
from tests.support import world
from tests.support.erasing_child import Nth
from tests.support.scripted_llm import ScriptedLLM
from tests.support.two_apps import HERE, THERE


async def live(home: Path, words: str, number: int) -> None:
    points = Nth()
    install(points)
    setattr(world, "Database", vars(opening)["Database"])  # noqa: B010 - as in `install`
    with (home / "heard").open("a", encoding="utf-8") as heard:

        async def hear(message: OutgoingMessage) -> None:
            told = [message.address.platform, message.id, message.text]
            heard.write(json.dumps(told) + "\n")
            heard.flush()

        async with world.a_world(home, ScriptedLLM()) as there:
            for app in (HERE, THERE):
                there.companion.people.trust(app)
                there.companion.deliver(app, hear, repeatable=True)
            if number:
                event = MessageReceived(
                    id="last",
                    address=Address(platform=HERE, chat="anna"),
                    sender=Sender(user="anna", name="Anna"),
                    at=there.clock.now(),
                    text=words,
                )
                points.left = number
                await there.companion.handle(event)
            await there.companion.quiet()
            points.left = 0


def main() -> None:
    for line in sys.stdin:
        home, words, number = json.loads(line)
        child = os.fork()
        if not child:
            asyncio.run(live(Path(home), words, number))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
