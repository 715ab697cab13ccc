"""Every statement that a database runs, as SQLite itself reports it."""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from threading import Barrier

from companion.storage.database import READERS, Database, Tx

LED = "'person ?'"
"""What stands in a shape for a text in which every word is led by a person's number."""

NO_WORDS = "'[]'"
"""A list of words to search for that holds none: it leads to nobody's rows."""

_VALUE = re.compile(
    r"""(?P<kept>"(?:[^"]|"")*" | --[^\n]* | /\*.*?\*/)  # a quoted name, a comment
      | (?P<blob>[xX]'[0-9A-Fa-f]*')
      | (?P<text>'(?:[^']|'')*')
      | (?P<number>(?<![\w:?@$.])\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)""",
    re.VERBOSE | re.DOTALL,
)
_WORD = re.compile(r"""[^\s"'\\,()\[\]]+""")
_LED_WORD = re.compile("[0-9]+[\ue000-\uf8ff]")
_OPERATORS = {"AND", "OR", "NOT"}


class SqlTrace:
    """The shapes of the statements that were run, and how often each was.

    A shape is a statement with `?` for its numbers and blobs, and for its texts `'?'` or `LED`.
    """

    def __init__(self) -> None:
        self.shapes: Counter[str] = Counter()

    def record(self, statement: str) -> None:
        self.shapes[shape(statement)] += 1


def shape(statement: str) -> str:
    """`statement` without its values."""
    lines = statement.splitlines()
    if all(line.startswith("--") for line in lines):
        # SQLite reports so what a statement runs inside another, such as a trigger's
        statement = "\n".join(line.removeprefix("--") for line in lines)
    return " ".join(_VALUE.sub(_without_value, statement).split())


def _without_value(match: "re.Match[str]") -> str:
    if match["kept"] is not None:
        return " " if match["kept"].startswith(("--", "/*")) else match["kept"]
    if match["text"] is None:
        return "?"
    words = [word for word in _WORD.findall(match["text"]) if word not in _OPERATORS]
    if match["text"] == NO_WORDS:
        return LED
    return LED if words and all(_LED_WORD.match(word) for word in words) else "'?'"


@asynccontextmanager
async def recorded(db: Database) -> AsyncIterator[SqlTrace]:
    """Record what `db` runs meanwhile, in its writer and in every reader."""
    trace = SqlTrace()
    await _on_every_connection(db, lambda tx: tx.set_trace_callback(trace.record))
    try:
        yield trace
    finally:
        await _on_every_connection(db, lambda tx: tx.set_trace_callback(None))


async def _on_every_connection(db: Database, work: Callable[[Tx], None]) -> None:
    meeting = Barrier(READERS)  # no reader goes on before each has its turn

    def in_turn(tx: Tx) -> None:
        work(tx)
        meeting.wait(10)

    await db.write(work)
    await asyncio.gather(*(db.read(in_turn) for _ in range(READERS)))
