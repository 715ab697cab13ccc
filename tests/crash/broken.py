"""Ways to break what keeps a kill from doing harm, to see that the sweep notices."""

from collections.abc import Callable
from typing import Any

from companion.storage import inbox, journal, outbox
from companion.storage.database import Database


def _nothing(*_arguments: Any) -> None:
    pass


async def _stays_open(*_arguments: Any) -> None:
    pass


def _no_steps(*_arguments: Any) -> list[Any]:
    return []


def _replace(module: Any, name: str, by: Callable[..., Any]) -> None:
    setattr(module, name, by)


def _newest_first() -> None:
    for module in (inbox, outbox):
        oldest_first: Callable[..., list[Any]] = module.open_items
        _replace(module, "open_items", lambda tx, give=oldest_first: give(tx)[::-1])


BREAKS: dict[str, Callable[[], None]] = {
    "answers are not journaled": lambda: _replace(journal, "steps", _no_steps),
    "calls are not journaled": lambda: _replace(journal, "add_done", _nothing),
    "sends are not marked": lambda: _replace(outbox, "sent", _nothing),
    "the database is not closed": lambda: _replace(Database, "close", _stays_open),
    "the newest goes first": _newest_first,
}
