"""The files of an export, put where the person's files lie."""

from collections.abc import Mapping
from pathlib import Path


def put_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write `files` into `folder`, those that are there with other contents left as they are."""
    for name, content in files.items():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / name
        if not path.exists():
            path.touch(mode=0o600)
            path.write_bytes(content)
