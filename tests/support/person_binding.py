"""Whether a statement keeps to one person.

A statement may touch a personal table (one with a `person_id`, or a full-text index) only so:

- INSERT names `person_id`, or every word that goes into a full-text index is led by the person;
- elsewhere the table's `person_id` is compared with a value in a condition that must hold, or with
  that of a table which is bound already; or the table is joined along a foreign key to such a
  table; or its key is IN a query that is bound; or a full-text index is MATCHed with words that
  are all led by a person.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self

import sqlglot
from sqlglot import exp

from companion.storage.database import Tx
from tests.support.sql_trace import LED

_READS_OR_WRITES = ("SELECT", "WITH", "INSERT", "REPLACE", "UPDATE", "DELETE")
_KEYS = {"id", "rowid", "person_id"}

Place = tuple[str, str]
"""A table's alias in a statement, and a column's name."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """Statements that may touch the rows of several people: a pattern for their whole shape."""

    pattern: str
    reason: str


ALLOWED = (
    Allowed(
        r"SELECT .* FROM inbox WHERE inbox\.state IN \('\?', '\?'\) ORDER BY inbox\.id",
        "the start takes up what is open, of everybody",
    ),
    Allowed(
        r"SELECT .* FROM inbox WHERE inbox\.id > \? ORDER BY inbox\.id LIMIT \?",
        "what is old is pruned, of everybody",
    ),
    Allowed(
        r"SELECT .* FROM outbox JOIN conversation .* WHERE outbox\.state IN \('\?', '\?'\)"
        r" ORDER BY outbox\.id",
        "the start delivers what is open, of everybody",
    ),
    Allowed(
        r"SELECT (id, )?person_id(, private)? FROM conversation"
        r" WHERE platform = '\?' AND chat = '\?'.*",
        "it finds out whose conversation this is",
    ),
    Allowed(
        r"SELECT person_id FROM outbox WHERE id = \? AND conversation_id = \? AND text = '\?'",
        "it finds out whose message this is by now, which is on its way",
    ),
    Allowed(
        r"SELECT COALESCE\(SUM\(.*FROM usage WHERE day = '\?'",
        "what all may spend in a day is for all",
    ),
    Allowed(
        r"SELECT .* FROM link WHERE (code = '\?'|other_id = \?)",
        "it finds out who asked for this code, or for one that the person typed",
    ),
    Allowed(
        r"DELETE FROM link WHERE other_id = \?",
        "a person ends the links for which they typed a code",
    ),
    Allowed(
        r"UPDATE OR IGNORE conversation SET chat = '\?' WHERE platform = '\?' AND chat = '\?'",
        "a platform calls a chat by another name, whoever it belongs to",
    ),
    Allowed(
        r"SELECT .*\(SELECT COUNT\(\*\) FROM dead_letter .* FROM platform ORDER BY name",
        "the operator sees how much of a platform could not be read",
    ),
    Allowed(
        r"SELECT chat, last_message FROM conversation WHERE platform = '\?' AND private = \?.*",
        "an adapter reads on from the last message of each of its chats",
    ),
    Allowed(
        r"SELECT kind, body FROM inbox WHERE source = '\?' AND external_id = '\?'",
        "an adapter asks for an event of its own by its own id, which is one person's",
    ),
    Allowed(
        r"SELECT coalesce\(SUM\(tokens\), \?\) FROM tidying WHERE at >= '\?'",
        "what the nights of one day may cost is limited for all people together",
    ),
    Allowed(
        r"SELECT person_id FROM account WHERE platform = '\?' AND user = '\?'",
        "it finds out whose account this is",
    ),
    Allowed(
        r"SELECT schedule\.id, .* WHERE schedule\.state = '\?' AND schedule\.next_at <= '\?'.*",
        "the timer claims what is due, of everybody",
    ),
    Allowed(
        r"SELECT next_at FROM schedule WHERE state = '\?' ORDER BY next_at LIMIT \?",
        "the timer asks when there is next something to do, for anybody",
    ),
    Allowed(
        r"SELECT person_id, platform, (user, created_at FROM account"
        r"|chat, created_at FROM conversation WHERE private = \?)",
        "an erasure finds whom its ledger means, which names nobody, among all",
    ),
    Allowed(
        r"SELECT DISTINCT inbox\.source, json_extract\(inbox\.body, '\?'\) FROM inbox JOIN person"
        r" ON person\.id = inbox\.person_id AND person\.kind = '\?' WHERE .*",
        "an erasure finds in which groups somebody was heard",
    ),
    Allowed(
        r"SELECT term FROM message_terms WHERE term >= 'person \?' AND term < 'person \?'",
        "the terms between these two are all led by one person",
    ),
)
"""What the program itself may ask about several people, and why."""


@dataclass(frozen=True, slots=True)
class Schema:
    """The tables of a database: which are personal, and how they hang together."""

    columns: dict[str, set[str]]
    full_text: set[str]
    foreign_keys: set[tuple[Place, Place]]

    @classmethod
    def of(cls, tx: Tx) -> Self:
        rows = tx.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").fetchall()
        full_text = {name for name, sql in rows if re.search(r"USING\s+fts5", sql or "", re.I)}
        columns: dict[str, set[str]] = {}
        foreign_keys: set[tuple[Place, Place]] = set()
        for name, _ in rows:
            columns[name] = {row[1] for row in tx.execute(f"PRAGMA table_info({name})")}
            for row in tx.execute(f"PRAGMA foreign_key_list({name})"):
                foreign_keys.add(((name, row[3]), (row[2], row[4] or "id")))
        return cls(columns, full_text, foreign_keys)

    @property
    def personal(self) -> set[str]:
        """The tables whose every row is some person's."""
        return {n for n, columns in self.columns.items() if "person_id" in columns} | self.full_text


def unbound(shapes: Iterable[str], schema: Schema, allowed: Iterable[Allowed] = ()) -> list[str]:
    """What is wrong: statements that do not keep to one person, and exceptions without a use."""
    unused = {exception.pattern: exception for exception in allowed}
    patterns = list(unused)
    faults = []
    for shape in sorted(shapes):
        tables = unbound_tables(shape, schema)
        uses = [pattern for pattern in patterns if re.fullmatch(pattern, shape)]
        if tables and not uses:
            faults.append(f"{', '.join(tables)} without a person: {shape}")
        for pattern in uses:
            unused.pop(pattern, None)
    return faults + [f"exception without a use: {pattern}" for pattern in unused]


def unbound_tables(shape: str, schema: Schema) -> list[str]:
    """The personal tables that the statement touches without keeping to one person."""
    if not shape.upper().startswith(_READS_OR_WRITES):
        return []
    tree = sqlglot.parse_one(re.sub(r"^UPDATE OR \w+", "UPDATE", shape), read="sqlite")
    found = [
        name for call in tree.find_all(exp.Anonymous) if (name := call.name) in schema.full_text
    ]
    bound: dict[int, dict[str, str]] = {}
    for node in tree.walk():
        if isinstance(node, exp.Insert):
            found += _unbound_insert(node, schema)
        elif isinstance(node, exp.Select | exp.Update | exp.Delete):
            part = _Part(node, schema, _outer(node, bound))
            bound[id(node)] = part.bind()
            found += part.unbound()
    return sorted(set(found))


def _outer(node: exp.Expr, bound: dict[int, dict[str, str]]) -> dict[str, str]:
    """The bound tables, by alias, of the statements around `node`."""
    outer: dict[str, str] = {}
    parent = node.parent
    while parent is not None:
        outer = {**bound.get(id(parent), {}), **outer}
        parent = parent.parent
    return outer


def _unbound_insert(insert: exp.Insert, schema: Schema) -> list[str]:
    target = insert.this
    columns = [c.name for c in target.expressions] if isinstance(target, exp.Schema) else []
    table = insert.find(exp.Table)
    name = table.name if table else ""
    if name in schema.full_text:
        is_upkeep = name in columns  # INSERT INTO index (index) VALUES ('optimize')
        return [] if is_upkeep or _has_led_text(insert) else [name]
    return [name] if name in schema.personal and "person_id" not in columns else []


def _has_led_text(node: exp.Expr) -> bool:
    return any(text.sql() == LED for text in node.find_all(exp.Literal))


class _Part:
    """One SELECT, UPDATE or DELETE of a statement, without those inside it."""

    def __init__(self, node: exp.Expr, schema: Schema, outer: dict[str, str]) -> None:
        self._node = node
        self._schema = schema
        self._tables = {table.alias_or_name: table.name for table in self._own_tables()}
        self._bound = dict(outer)
        self._outer = outer

    def bind(self) -> dict[str, str]:
        """The tables, by alias, that keep to one person, those around this part with them."""
        before = -1
        while len(self._bound) > before:
            before = len(self._bound)
            for condition, may_bind in self._conditions():
                for alias in may_bind.intersection(self._bound_by(condition)):
                    self._bound[alias] = self._tables[alias]
        return self._bound

    def unbound(self) -> list[str]:
        return [
            table
            for alias, table in self._tables.items()
            if table in self._schema.personal and self._bound.get(alias) != table
        ]

    def _own_tables(self) -> Iterator[exp.Table]:
        if isinstance(self._node, exp.Update | exp.Delete):
            yield self._node.this
        source = self._node.args.get("from_")
        for part in [source, *self._joins()]:
            if part is not None and isinstance(part.this, exp.Table):
                yield part.this

    def _joins(self) -> list[exp.Join]:
        source = self._node.args.get("from_")
        inner = source.this.args.get("joins") if source is not None else None
        return [*(self._node.args.get("joins") or []), *(inner or [])]

    def _conditions(self) -> Iterator[tuple[exp.Expr, set[str]]]:
        """What must hold for a row to be touched, part by part, and of which tables' rows."""
        where = self._node.args.get("where")
        if where is not None:
            for condition in _all_of(where.this):
                yield condition, set(self._tables)
        for join in self._joins():
            on = join.args.get("on")
            if on is not None:
                # an outer join lets rows of the other tables through
                binds = {join.this.alias_or_name} if join.side else set(self._tables)
                for condition in _all_of(on):
                    yield condition, binds

    def _bound_by(self, condition: exp.Expr) -> list[str]:
        """Which of our tables `condition` binds to a person, given those that are bound."""
        if isinstance(condition, exp.Match):
            return self._bound_by_match(condition)
        if isinstance(condition, exp.In) and isinstance(condition.this, exp.Column):
            return self._bound_by_query(condition)
        if not isinstance(condition, exp.EQ | exp.Is | exp.NullSafeEQ):
            return []
        sides = [self._place(condition.this), self._place(condition.expression)]
        places = [place for place in sides if place is not None]
        if len(places) == 2:
            return self._bound_by_join(*places)
        other = condition.expression if sides[0] else condition.this
        if places and places[0][1] == "person_id" and isinstance(other, exp.Placeholder):
            return [places[0][0]] if places[0][0] in self._tables else []
        return []

    def _bound_by_join(self, one: Place, other: Place) -> list[str]:
        """Equal columns: a person's, a foreign key's, or a row's and that of its index."""
        tables = {**self._outer, **self._tables}
        ends = tuple((tables[alias], column) for alias, column in (one, other))
        along_a_key = ends in self._schema.foreign_keys or ends[::-1] in self._schema.foreign_keys
        same_person = one[1] == other[1] == "person_id"
        of_an_index = any(table in self._schema.full_text for table, _ in ends) and all(
            column in ("id", "rowid") or column.endswith("_id") for _, column in ends
        )
        if not (along_a_key or same_person or of_an_index):
            return []
        if one[0] not in self._bound and other[0] not in self._bound:
            return []
        return [alias for alias in (one[0], other[0]) if alias in self._tables]

    def _bound_by_query(self, condition: exp.In) -> list[str]:
        """`key IN (SELECT …)`, where each personal table in that query is bound."""
        place, query = self._place(condition.this), condition.args.get("query")
        if place is None or query is None or place[0] not in self._tables:
            return []
        column = place[1]
        select = query.find(exp.Select)
        if select is None or not (column in _KEYS or column.endswith("_id")):
            return []
        inner = _Part(select, self._schema, self._bound)
        inner.bind()
        personal = set(inner._tables.values()) & self._schema.personal
        return [place[0]] if personal and not inner.unbound() else []

    def _bound_by_match(self, condition: exp.Expr) -> list[str]:
        """A MATCH with words led by a person; the words may come from a list of them."""
        name = condition.this.name
        alias = name if name in self._tables else self._owner(name)
        words = condition.expression
        led = words.sql() == LED or (
            isinstance(words, exp.Column) and _has_led_text(self._node.root())
        )
        return [alias] if led and alias in self._tables else []

    def _place(self, column: exp.Expr | None) -> Place | None:
        if not isinstance(column, exp.Column):
            return None
        alias = column.table or self._owner(column.name)
        return (alias, column.name) if alias in {**self._outer, **self._tables} else None

    def _owner(self, column: str) -> str:
        """The alias of the table here that has `column`, empty for none or several."""
        owners = [
            alias
            for alias, table in self._tables.items()
            if column in self._schema.columns.get(table, ())
            or (column == "rowid" and len(self._tables) == 1)
        ]
        return owners[0] if len(owners) == 1 else ""


def _all_of(condition: exp.Expr) -> Iterator[exp.Expr]:
    """The parts of `condition` that must all hold."""
    condition = condition.unnest()
    if isinstance(condition, exp.And):
        yield from _all_of(condition.this)
        yield from _all_of(condition.expression)
    else:
        yield condition
