"""Ways to break what keeps a kill from doing harm, to see that the sweep notices."""

from collections.abc import Callable
from typing import Any

from companion.storage import journal, outbox
from companion.storage.database import Database
from companion.storage.inbox import InboxItem
from companion.turns.lanes import Lanes


def _nothing(*_arguments: Any) -> None:
    pass


async def _stays_open(*_arguments: Any) -> None:
    pass


def _no_steps(*_arguments: Any) -> list[Any]:
    return []


def _replace(module: Any, name: str, by: Callable[..., Any]) -> None:
    setattr(module, name, by)


def _newest_first() -> None:
    """What is being dealt with goes on, the rest is turned round."""
    add = Lanes.add

    def add_in_front(lanes: Lanes, item: InboxItem) -> None:
        add(lanes, item)
        lane = lanes._lanes[item.person]
        lane.insert(1, lane.pop())

    _replace(Lanes, "add", add_in_front)


BREAKS: dict[str, Callable[[], None]] = {
    "answers are not journaled": lambda: _replace(journal, "steps", _no_steps),
    "calls are not journaled": lambda: _replace(journal, "add_done", _nothing),
    "sends are not marked": lambda: _replace(outbox, "sent", _nothing),
    "the database is not closed": lambda: _replace(Database, "close", _stays_open),
    "the newest goes first": _newest_first,
}
