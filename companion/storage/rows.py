"""A person's rows as they are, table by table: given away, and taken back."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from companion.storage import people, search_index
from companion.storage.database import Tx
from companion.storage.personal import NOW, TABLES, PersonalTable, Role

Row = Mapping[str, Any]
"""Columns by name."""


def rows_of(tx: Tx, table: PersonalTable, person: int) -> Iterator[dict[str, Any]]:
    """All rows of the person in this table, oldest first."""
    columns = [name for name in columns_of(tx, table) if name not in table.not_exported]
    order = table.key or ", ".join(columns)
    rows = tx.execute(
        f"SELECT {', '.join(columns)} FROM {table.name} WHERE {table.person} = :person"
        f" ORDER BY {order}",
        {"person": person},
    )
    for row in rows:
        yield dict(zip(columns, row, strict=True))


def columns_of(tx: Tx, table: PersonalTable) -> list[str]:
    """The names of the table's columns."""
    return [row[0] for row in tx.execute(f"SELECT name FROM pragma_table_info('{table.name}')")]


ELSEWHERE = ("account", "conversation")
"""Tables of which a row may be somebody else's."""


@dataclass(slots=True)
class Taken:
    """What was taken back: how many rows of each table were new, and what new number each has.

    `elsewhere` are accounts and chats that belong to somebody else here, and were left out.
    """

    added: dict[str, int] = field(default_factory=dict)
    numbers: dict[str, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    elsewhere: list[str] = field(default_factory=list)


def take(
    tx: Tx, person: int, given: Mapping[str, Sequence[Row]], *, now: datetime, before: bool
) -> Taken:
    """Give the person these rows, unless they are there already; each has a new number.

    With `before` they come before all that is there: the newest rows of the person stay the
    newest. What was said in a chat that is not taken along was said in their newest one here.
    """
    taken = Taken()
    for table in TABLES:
        if table.role is Role.MEMORY and table.name != "person" and given.get(table.name):
            _Taking(tx, table, person, taken, now).take(given[table.name], before=before)
    return taken


class _Taking:
    """Takes the rows of one table."""

    def __init__(
        self, tx: Tx, table: PersonalTable, person: int, taken: Taken, now: datetime
    ) -> None:
        self._tx = tx
        self._table = table
        self._person = person
        self._taken = taken
        self._now = now
        self._columns = set(columns_of(tx, table)) - table.not_exported
        self._there = self._already()

    def take(self, rows: Sequence[Row], *, before: bool) -> None:
        table = self._table
        new = [row for row in rows if not self._is_there(row)]
        first = self._first_number(len(new)) if before and table.key else None
        added = 0
        for place, row in enumerate(new):
            number = None if first is None else first + place
            if self._insert(row, number):
                added += 1
        self._refer_among(new)
        self._taken.added[table.name] = added

    def _refer_among(self, rows: Sequence[Row]) -> None:
        """Have those of `rows` refer to each other that did: also to one that came after."""
        table, numbers = self._table, self._taken.numbers[self._table.name]
        columns = [column for column, other in table.refers.items() if other == table.name]
        for row in rows:
            for column in columns:
                to, own = numbers.get(row.get(column) or 0), numbers.get(row.get("id") or 0)
                if to is not None and own is not None:
                    self._tx.execute(
                        f"UPDATE {table.name} SET {column} = :to"
                        f" WHERE id = :own AND {table.person} = :person",
                        {"to": to, "own": own, "person": self._person},
                    )

    def _already(self) -> dict[tuple[Any, ...], list[int]]:
        """The person's rows by what tells them apart, and the numbers of each."""
        key = self._table.key or "0"
        rows = self._tx.execute(
            f"SELECT {key}, {', '.join(self._table.same)} FROM {self._table.name}"
            f" WHERE {self._table.person} = :person ORDER BY 1",
            {"person": self._person},
        )
        there = defaultdict(list)
        for number, *told in rows:
            there[tuple(told)].append(number)
        return there

    def _is_there(self, row: Row) -> bool:
        """Whether the person has this row; each one there stands for one that is given."""
        told = tuple(
            self._person if column == self._table.person else row.get(column)
            for column in self._table.same
        )
        same = self._there.get(told)
        if not same:
            return False
        self._know(row, same.pop(0))
        return True

    def _first_number(self, count: int) -> int:
        """So low that all that come stand before what is there; below nought if need be."""
        (lowest,) = self._tx.execute(
            f"SELECT MIN({self._table.key}) FROM {self._table.name}"
        ).fetchone()
        return min(lowest or 1, 1) - count

    def _insert(self, row: Row, number: int | None) -> bool:
        table = self._table
        values = {name: value for name, value in row.items() if name in self._columns}
        values |= {column: self._referred(column, row) for column in table.refers if column in row}
        values |= {
            column: self._now.isoformat() if value is NOW else value
            for column, value in table.anew.items()
        }
        values[table.person] = self._person
        values.pop(table.key or "", None)
        if number is not None and table.key:
            values[table.key] = number
        if table.name == "inbox":  # the platform's own id, made unlike any that it may give
            values["external_id"] = f"{self._person}/{row.get('id')}/{row.get('external_id')}"
        names = list(values)
        found = self._tx.execute(
            f"INSERT INTO {table.name} ({', '.join(names)})"
            f" VALUES ({', '.join(':' + name for name in names)})"
            f" ON CONFLICT DO NOTHING RETURNING {table.key or '0'}",
            values,
        ).fetchone()
        if found is None and table.name in ELSEWHERE:
            self._taken.elsewhere.append(
                " ".join(str(row[column]) for column in table.same if row.get(column))
            )
        if found is None:
            return False
        self._know(row, found[0])
        self._index(row, found[0])
        return True

    def _know(self, row: Row, number: int) -> None:
        if self._table.key and isinstance(row.get(self._table.key), int):
            self._taken.numbers[self._table.name][row[self._table.key]] = number

    def _referred(self, column: str, row: Row) -> int | None:
        known = self._taken.numbers[self._table.refers[column]]
        number = known.get(row[column])
        if self._table.refers[column] == "conversation":
            return people.conversation_of(self._tx, self._person, self._now, number)
        if column == "through" and number is None:  # a summary of what was left out
            return max(known.values(), default=0)
        return number

    def _index(self, row: Row, number: int) -> None:
        """Make what was taken findable."""
        if self._table.name == "message" and row.get("said"):
            search_index.add_message(
                self._tx,
                person=self._person,
                message=number,
                speaker=str(row.get("speaker") or ""),
                said=str(row["said"]),
            )
        elif self._table.name == "passage":
            search_index.add_passage(
                self._tx, person=self._person, passage=number, text=str(row["text"])
            )
