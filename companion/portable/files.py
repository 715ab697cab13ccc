"""Files that are there whole or not at all, whenever the process is killed."""

from collections.abc import Callable, Mapping
from operator import methodcaller
from pathlib import Path
from typing import BinaryIO

from companion.errors import OperatorError

PART = ".part"
"""Stands for a file while it is written. What a kill left of it is written over."""


def put_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write `files` into `folder`, those that are there with other contents left as they are.

    Raises:
        OperatorError: one cannot be written.
    """
    for name, content in files.items():
        path = folder / name
        fill = methodcaller("write", content)
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not path.exists():
                write_whole(path, folder / PART, fill)
        except OSError as error:
            raise OperatorError(f"The file {name} cannot be written: {error}.") from error


def write_whole(path: Path, part: Path, write: Callable[[BinaryIO], object]) -> None:
    """Have `write` fill the file at `path`, which is written as `part` until it is whole."""
    part.unlink(missing_ok=True)
    part.touch(mode=0o600)
    with part.open("wb") as file:
        write(file)
    part.replace(path)
