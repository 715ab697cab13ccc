"""`companion chat`: talk in the terminal."""

from __future__ import annotations

import argparse
import getpass
import json
import os
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.cli.arguments import Subparsers, operators_home
from companion.errors import OperatorError
from companion.events import Sender

if TYPE_CHECKING:
    from adapters.base import Adapter
    from companion.home import Home
    from companion.running import Companion
    from companion.settings import Settings

YOU = "you"
"""The account of whoever talks without --as: another login is still the same person."""

LONGEST_NAME = 60

LOADING = (
    "{} thinks with a small model on this machine, which is being loaded: the first answer takes a"
    " minute or more. You may already write."
)


def add(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("chat", help="talk with it in this terminal")
    parser.add_argument("-m", "--message", metavar="TEXT", help="say this, show the answer, leave")
    parser.add_argument("--as", dest="name", metavar="NAME", help="who you are, if not yourself")
    parser.add_argument("--yes", action="store_true", help="fetch a model without asking")
    parser.add_argument("--json", action="store_true", help="with -m: the answers as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> Coroutine[Any, Any, int]:
    from companion.cli.first_start import settings_to_talk_with

    if args.message is not None and not args.message.strip():
        raise OperatorError("-m needs something to say.")
    if args.json and args.message is None:
        raise OperatorError("--json goes with -m.")
    person = person_named(args.name)
    home = operators_home(os.environ)
    return _chat(args, person, home, settings_to_talk_with(home, os.environ, yes=args.yes))


async def _chat(args: argparse.Namespace, person: Sender, home: Home, settings: Settings) -> int:
    from companion.app import open_companion
    from companion.footprint import share_one_heap
    from companion.logs import set_up

    home.make()
    level, file = settings.log.level, home.log if settings.log.file else None
    terminal = None if file is not None else "ERROR"  # whoever talks here is told in words
    set_up(level, file=file, terminal=level if level == "DEBUG" else terminal)
    share_one_heap()
    async with open_companion(home.path, settings=settings) as companion:
        if args.message is not None:
            return await _once(companion, person, args.message, as_json=args.json)
        if sys.stdin.isatty() and sys.stdout.isatty():
            encrypted = bool(os.environ.get("COMPANION_DB_KEY"))
            history = None if encrypted else _history(home, person)
            return await _at_a_screen(companion, person, settings, history)
        return await _line_by_line(companion, person)


def person_named(name: str | None) -> Sender:
    """Who talks: `name`, in whatever case, or whoever sits here for None.

    Raises:
        OperatorError: `name` cannot be a name.
    """
    if name is None:
        return Sender(user=YOU, name=_login())
    shown = " ".join(name.split())
    if not shown or len(shown) > LONGEST_NAME or not shown.isprintable():
        raise OperatorError(f"--as takes a name of 1 to {LONGEST_NAME} letters, not {name!r}.")
    return Sender(user=shown.casefold(), name=shown)


def _login() -> str:
    try:
        name = getpass.getuser()
    except (KeyError, OSError):  # a user id without an entry, as in many containers
        return YOU
    return YOU if name == "root" else name


def _history(home: Home, person: Sender) -> Path:
    from adapters.terminal.translate import PLATFORM

    return home.typed_by(PLATFORM, person.user)


async def _once(companion: Companion, person: Sender, text: str, *, as_json: bool) -> int:
    from adapters.terminal.in_words import HINT
    from adapters.terminal.lines import Lines, one_line
    from adapters.terminal.translate import PLATFORM
    from companion.clock import SystemClock

    said: list[str] = []

    def show(answer: str) -> None:
        said.append(answer)
        if not as_json:  # at once: a slow model may still be at its notes
            print(answer, flush=True)

    lines = Lines(
        one_line(text), person=person, clock=SystemClock(), quiet=companion.quiet, show=show
    )
    await _talk(companion, person, lines)
    if as_json:
        print(json.dumps({"answers": said}, ensure_ascii=False))
    why = await companion.why_unanswered(PLATFORM, person.user)
    if said and why is None:
        return 0
    sys.stderr.write("No answer yet. What you said is kept and will be answered.\n")
    if why is not None:
        sys.stderr.write(f"{why}\n{HINT}\n")
    return 1


async def _line_by_line(companion: Companion, person: Sender) -> int:
    from adapters.terminal.lines import Lines, standard_input
    from adapters.terminal.translate import PLATFORM
    from companion.clock import SystemClock

    lines = Lines(standard_input(), person=person, clock=SystemClock(), quiet=companion.quiet)
    companion.held_up(PLATFORM, lines.held_up)
    await _talk(companion, person, lines)
    return 0


async def _at_a_screen(
    companion: Companion, person: Sender, settings: Settings, history: Path | None
) -> int:
    from adapters.terminal.prompt import Prompt
    from adapters.terminal.translate import PLATFORM
    from companion.clock import SystemClock

    name, first = settings.agent.name, next(iter(settings.models), None)
    model = (
        f"{first.name} at {first.base_url or 'OpenAI'}" if first else "the model on this machine"
    )
    prompt = Prompt(
        person=person, companion=name, clock=SystemClock(), history=history, model=model
    )
    sys.stdout.write(f"This is {name}. Just write; /help shows what else you can do.\n")
    sys.stdout.write("\n" if first else f"{LOADING.format(name)}\n\n")
    companion.held_up(PLATFORM, prompt.held_up)
    await _talk(companion, person, prompt)
    if prompt.left_at_once:
        companion.stop_thinking()
    return 0


async def _talk(companion: Companion, person: Sender, terminal: Adapter) -> None:
    from adapters.terminal.translate import PLATFORM

    companion.people.trust(PLATFORM)
    companion.deliver(PLATFORM, terminal.send, chat=person.user)
    companion.typing(PLATFORM, terminal.typing)
    await terminal.run(companion.handle)
