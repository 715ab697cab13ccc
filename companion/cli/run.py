"""`companion run`: stay up and serve the chat platforms."""

import argparse
import asyncio
import os
import signal
import sys

from companion.cli.arguments import Subparsers, operators_home, operators_settings

NO_PLATFORM = (
    "No chat platform is configured, so nobody can write to it here. What an earlier run left "
    "undone is being finished.\nTo talk with it in this terminal, stop this (Ctrl-C) and start "
    "`companion chat`.\n"
)


def add(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("run", help="stay up and serve the chat platforms")
    parser.set_defaults(run=run)


async def run(_: argparse.Namespace) -> int:
    from companion.app import open_companion
    from companion.footprint import share_one_heap
    from companion.logs import set_up

    home, settings = operators_home(os.environ), operators_settings(os.environ)
    home.make()
    file = home.log if settings.log.file else None
    set_up(settings.log.level, file=file, terminal=settings.log.level)
    told_to_stop = asyncio.Event()
    # In place of the one that `main` set: turns that end soon may do so before we go.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told_to_stop.set)
    share_one_heap()
    async with open_companion(home.path, settings=settings):
        sys.stderr.write(NO_PLATFORM)
        await told_to_stop.wait()
    return 0
