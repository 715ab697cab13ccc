"""Everything of a person as a zip: rows as JSON lines, and the same to be read as Markdown."""

import base64
import io
import json
import zipfile
from collections.abc import Iterator
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any, BinaryIO

from companion.portable import readable
from companion.storage import people
from companion.storage.database import Tx
from companion.storage.personal import TABLES, Role
from companion.storage.rows import rows_of

FORMAT = "companion-export"
VERSION = 1
"""Counts up when an older program could not take the file back."""
MANIFEST = "manifest.json"
ROWS = "data/{}.jsonl"
FILES = "files/"

README = """\
# What is in here

Everything that {name} told the companion, and everything that it kept, as of {day}.

- `memory.md`: what it keeps in mind, its notes, and the summary of what is long past
- `messages.md`: every message
- `data/`: all of it as JSON, an object a line, a file a table; `companion import` takes it back
- `files/`: what was sent as files
"""


def export(
    tx: Tx, person: int, target: BinaryIO, *, files: Path, now: datetime, zone: tzinfo
) -> None:
    """Write the person's export into `target`. `files` is the folder of what they sent."""
    name = people.get(tx, person).name
    day = now.astimezone(zone).date().isoformat()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as archive:
        archive.writestr("README.md", README.format(name=name, day=day))
        archive.writestr(
            MANIFEST,
            json.dumps(
                {"format": FORMAT, "version": VERSION, "made_at": now.isoformat(), "name": name},
                ensure_ascii=False,
            ),
        )
        _write_lines(archive, "memory.md", readable.memory(tx, person, zone))
        _write_lines(archive, "messages.md", readable.messages(tx, person, zone))
        for table in TABLES:
            if table.role is not Role.DERIVED:
                rows = (_line(row) for row in rows_of(tx, table, person))
                _write_lines(archive, ROWS.format(table.name), rows)
        for file in sorted(files.rglob("*")) if files.is_dir() else ():
            if file.is_file():
                archive.write(file, FILES + file.relative_to(files).as_posix())


def exported(tx: Tx, person: int, *, files: Path, now: datetime, zone: tzinfo) -> bytes:
    """The person's export."""
    target = io.BytesIO()
    export(tx, person, target, files=files, now=now, zone=zone)
    return target.getvalue()


def _write_lines(archive: zipfile.ZipFile, name: str, lines: Iterator[str]) -> None:
    with archive.open(name, "w", force_zip64=True) as file:
        for line in lines:
            file.write(f"{line}\n".encode())


def _line(row: dict[str, Any]) -> str:
    plain = {name: _plain(value) for name, value in row.items()}
    return json.dumps(plain, ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    return value
