"""A database whose statements on one table forget whom they are about: a guard taken out."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from companion.storage.database import Database, Tx

T = TypeVar("T")


class _Unbound:
    """A transaction that reads everybody's rows of `table`."""

    def __init__(self, tx: Tx, table: str) -> None:
        self._tx = tx
        self._reads = re.compile(rf"^SELECT .*\bFROM {table}\b", re.DOTALL)

    def execute(self, sql: str, *parameters: Any) -> Any:
        if self._reads.search(sql):
            sql = re.sub(r"\b(?:\w+\.)?person_id = (:\w+)", r"\1 = \1", sql)
            sql = re.sub(r"\b(?:\w+\.)?person_id = \?", "? IS NOT NULL", sql)
        return self._tx.execute(sql, *parameters)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tx, name)


@contextmanager
def unbound(table: str) -> Iterator[None]:
    """While this lasts, whoever reads `table` gets the rows of everybody."""
    read, write = Database.read, Database.write

    async def read_all(self: Database, query: Callable[[Tx], T]) -> T:
        return await read(self, lambda tx: query(_Unbound(tx, table)))  # type: ignore[arg-type]

    async def write_all(self: Database, work: Callable[[Tx], T], *, patient: bool = False) -> T:
        return await write(self, lambda tx: work(_Unbound(tx, table)), patient=patient)  # type: ignore[arg-type]

    _set(read_all, write_all)
    try:
        yield
    finally:
        _set(read, write)


def _set(read: Any, write: Any) -> None:
    setattr(Database, "read", read)  # noqa: B010 - mypy lets nobody assign to a class
    setattr(Database, "write", write)  # noqa: B010
