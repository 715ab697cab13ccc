"""Folders and files for their owner alone, whatever the umask says."""

from pathlib import Path


def make_folder(path: Path) -> None:
    """Make the folder at `path`, and those above it that are missing."""
    if not path.is_dir():
        make_folder(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)


def make_file(path: Path) -> None:
    """Make an empty file at `path`, unless there is one, and the folders above it."""
    make_folder(path.parent)
    path.touch(mode=0o600)
