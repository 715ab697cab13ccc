"""`companion run`: stay up and serve the chat platforms."""

import argparse
import asyncio
import contextlib
import os
import signal
import sys

from companion.cli.arguments import Subparsers, operators_home, operators_settings

NO_PLATFORM = (
    "No chat platform is configured, so nobody can write to it here. What an earlier run left "
    "undone is being finished.\nTo talk with it in this terminal, stop this (Ctrl-C) and start "
    "`companion chat`.\n"
)

SECRETS = ("_TOKEN", "_SECRET", "_KEY")
"""How the names of variables end that nobody should read in a log."""

STOP_SECONDS = 5
"""How long answers that are on their way still get, with the platforms connected."""


def add(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("run", help="stay up and serve the chat platforms")
    parser.set_defaults(run=run)


async def run(_: argparse.Namespace) -> int:
    from adapters.all import connect
    from companion import logs
    from companion.app import open_companion
    from companion.footprint import share_one_heap
    from companion.tasks import task_group

    home, settings = operators_home(os.environ), operators_settings(os.environ)
    home.make()
    file = home.log if settings.log.file else None
    logs.set_up(settings.log.level, file=file, terminal=settings.log.level)
    for name, value in os.environ.items():
        if name.endswith(SECRETS):
            logs.hide(value)
    told_to_stop = asyncio.Event()
    # In place of the one that `main` set: turns that end soon may do so before we go.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told_to_stop.set)
    share_one_heap()
    async with open_companion(home.path, settings=settings) as companion, task_group() as tasks:
        adapters = connect(companion, settings, os.environ)
        if not adapters:
            sys.stderr.write(NO_PLATFORM)
        serving = [tasks.create_task(one.run(companion.handle)) for one in adapters]
        await told_to_stop.wait()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOP_SECONDS):
                await companion.quiet()
        for task in serving:
            task.cancel()
    return 0
