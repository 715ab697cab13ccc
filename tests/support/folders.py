"""What lies in a folder."""

from pathlib import Path


def names(folder: Path) -> list[str]:
    """The names of the files in `folder`, in order."""
    return sorted(file.name for file in folder.iterdir())


def contents(folder: Path) -> dict[str, bytes]:
    """The files in `folder` by name."""
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


def modes(folder: Path) -> dict[str, int]:
    """The permissions of the files in `folder` by name."""
    return {file.name: file.stat().st_mode & 0o777 for file in folder.iterdir()}
