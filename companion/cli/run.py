"""`companion run`: stay up and serve the chat platforms."""

import argparse
import asyncio
import os
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
    from companion.logs import set_up

    home, settings = operators_home(os.environ), operators_settings(os.environ)
    home.make()
    file = home.log if settings.log.file else None
    set_up(settings.log.level, file=file, terminal=settings.log.level)
    async with open_companion(home.path, settings=settings):
        sys.stderr.write(NO_PLATFORM)
        await asyncio.Event().wait()
    return 0
