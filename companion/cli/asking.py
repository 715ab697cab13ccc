"""Asking the person at the terminal."""

import sys

from companion.errors import LeftError


def can_ask() -> bool:
    """Whether somebody sits there who can read and answer."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def ask(question: str, default: str = "") -> str:
    """What they answer, `default` for just Enter.

    Raises:
        LeftError: they left instead.
    """
    shown = f"{question} [{default}]: " if default else f"{question}: "
    try:
        return input(shown).strip() or default
    except EOFError as error:
        print()
        raise LeftError("Left without an answer: nothing was changed.") from error


def agreed(question: str, *, default: bool = True) -> bool:
    """Whether they say yes; `default` for just Enter."""
    while True:
        answer = ask(f"{question} [{'Y/n' if default else 'y/N'}]").casefold()
        if not answer:
            return default
        if answer in ("y", "yes"):
            return True
        if answer in ("n", "no"):
            return False
        print("Write yes or no.")
