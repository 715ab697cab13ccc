"""An export read back, with the mistrust that any file deserves which somebody hands us."""

import base64
import binascii
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from companion.error_text import why
from companion.errors import OperatorError
from companion.foreign_json import read_json
from companion.portable.export import FILES, FORMAT, MANIFEST, ROWS, VERSION
from companion.storage.personal import TABLES, Role
from companion.text import clean

MOST_ENTRIES = 20_000
MOST_BYTES = 1_000_000_000
"""Unpacked, all together."""
MOST_RATIO = 200
"""Unpacked to packed, of what is larger than a megabyte; texts come to 20 at the most."""
CHUNK = 1 << 20

Rows = dict[str, list[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Export:
    """What stands in an export: whose it is, and the rows by table."""

    name: str
    rows: Rows
    files: dict[str, bytes]


def read(path: Path) -> Export:
    """The export in the file at `path`.

    Raises:
        OperatorError: it is none, it is damaged or too large, or from a newer program.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            _require_sane(archive, path)
            name = _name(archive, path)
            rows = {
                table.name: list(_rows(archive, path, ROWS.format(table.name)))
                for table in TABLES
                if table.role is Role.MEMORY
            }
            return Export(name, rows, dict(_files(archive)))
    except FileNotFoundError as error:
        raise OperatorError(f"There is no file {path}.") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise OperatorError(
            f"{path} is no zip, or is damaged ({error}). Fetch the export once more."
        ) from error
    except OSError as error:
        raise OperatorError(f"{path} cannot be read: {why(error)}.") from error


def _require_sane(archive: zipfile.ZipFile, path: Path) -> None:
    entries = archive.infolist()
    size = sum(entry.file_size for entry in entries)
    if len(entries) > MOST_ENTRIES or size > MOST_BYTES:
        raise OperatorError(
            f"{path} would unpack to {len(entries):,} files of {size:,} bytes. No export is that"
            " large; nothing was taken."
        )
    for entry in entries:
        if entry.file_size > max(CHUNK, MOST_RATIO * entry.compress_size):
            raise OperatorError(
                f"{entry.filename} in {path} would unpack to {entry.file_size:,} bytes from"
                f" {entry.compress_size:,}. No export does that; nothing was taken."
            )


def _name(archive: zipfile.ZipFile, path: Path) -> str:
    foreign = OperatorError(f"{path} is a zip, but no export of a companion's.")
    try:
        manifest = read_json(_content(archive, MANIFEST))
        if manifest["format"] != FORMAT:
            raise foreign
        version, name = int(manifest["version"]), clean(str(manifest["name"]))
    except (KeyError, ValueError, TypeError) as error:
        raise foreign from error
    if version > VERSION:
        raise OperatorError(f"{path} was made by a newer companion. Update this one first.")
    return name


def _content(archive: zipfile.ZipFile, name: str) -> bytes:
    """What stands in this entry: no more of it than it said it has."""
    entry = archive.getinfo(name)
    with archive.open(entry) as file:
        content = file.read(entry.file_size + 1)
    if len(content) > entry.file_size:
        raise zipfile.BadZipFile(f"{name} is longer than it says")
    return content


def _rows(archive: zipfile.ZipFile, path: Path, name: str) -> Iterator[dict[str, Any]]:
    if name not in archive.namelist():
        return
    for number, line in enumerate(_content(archive, name).splitlines(), 1):
        try:
            yield {column: _value(column, value) for column, value in _object(line).items()}
        except (ValueError, TypeError, binascii.Error) as error:
            raise OperatorError(
                f"Line {number} of {name} in {path} is not what an export has there ({error})."
                " Nothing was taken."
            ) from error


def _object(line: bytes) -> dict[str, Any]:
    row = read_json(line)
    if not isinstance(row, dict):
        raise TypeError("no object")
    return row


def _value(column: str, value: Any) -> str | int | float | bytes | None:
    match value:
        case str() if column.endswith("_at"):
            if datetime.fromisoformat(value).utcoffset() is None:
                raise ValueError(f"{column} has no time zone")
            return value
        case str():
            return clean(value)
        case bool() | None | float():
            return value
        case int() if -(2**63) <= value < 2**63:
            return value
        case {"base64": str(text), **others} if not others:
            return base64.b64decode(text, validate=True)
    raise TypeError(f"{column} is no value of a row")


def _files(archive: zipfile.ZipFile) -> Iterator[tuple[str, bytes]]:
    """The files by name, without what stands before it: no name leads anywhere."""
    for entry in archive.infolist():
        name = entry.filename.rpartition("/")[2]
        if entry.filename.startswith(FILES) and name not in ("", ".", ".."):
            yield clean(name).replace("\\", "_"), _content(archive, entry.filename)
