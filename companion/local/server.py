"""llama.cpp as a child process: started when it is needed, and again when it fell."""

import asyncio
import contextlib
import importlib.util
import json
import logging
import os
import secrets
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from companion.errors import LLMUnavailableError
from companion.private import make_file

logger = logging.getLogger(__name__)

READY_SECONDS = 180.0
"""Reading a gigabyte from a slow card takes a minute."""
MAX_BACK_OFF = 30.0
LOG_BYTES = 1_000_000
PROGRAM = (sys.executable, "-m", "companion.local.server_process")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a server listens, and the key that it wants."""

    base_url: str
    api_key: str


class LocalServer:
    """A model's server on this machine. Nothing runs before `endpoint` is asked for.

    `threads` 0 means as many as this process may use. `log` gets what llama.cpp has to say.
    """

    def __init__(
        self,
        model: Path,
        *,
        window_tokens: int,
        log: Path,
        threads: int = 0,
        ready_seconds: float = READY_SECONDS,
        first_back_off: float = 1.0,
        program: Sequence[str] = PROGRAM,
    ) -> None:
        self._model = model
        self._window_tokens = window_tokens
        self._threads = threads or _usable_cores()
        self._log = log
        self._ready_seconds = ready_seconds
        self._first_back_off = first_back_off
        self._program = program
        self._key = secrets.token_urlsafe(24)
        self._starting = asyncio.Lock()
        self._process: Process | None = None
        self._endpoint: Endpoint | None = None
        self._falls = 0

    async def endpoint(self) -> Endpoint:
        """A server that is up, started first if need be, after a pause if it fell before.

        Raises:
            LLMUnavailableError: it does not start; the text says where its log is.
        """
        async with self._starting:
            if self._endpoint is not None and self._process is not None:
                if self._process.returncode is None:
                    return self._endpoint
                self._falls += 1
                logger.warning("the local model's process ended: %s", self._process.returncode)
            if self._falls:
                await asyncio.sleep(
                    min(self._first_back_off * 2 ** (self._falls - 1), MAX_BACK_OFF)
                )
            return await self._start()

    @property
    def model(self) -> str:
        """What the model is called."""
        return self._model.stem

    @property
    def pid(self) -> int | None:
        """The process that serves, None before the first start."""
        return self._process.pid if self._process is not None else None

    @property
    def running(self) -> bool:
        """Whether its process is there."""
        return self._process is not None and self._process.returncode is None

    async def ended(self) -> None:
        """Return when there is no process, or no more."""
        if self._process is not None:
            await self._process.wait()

    def answered(self) -> None:
        """The server gave an answer: earlier falls no longer count."""
        self._falls = 0

    async def close(self) -> None:
        """End the server. It is started again if `endpoint` is asked for."""
        process, self._process, self._endpoint = self._process, None, None
        if process is None or process.returncode is not None:
            return
        # it keeps nothing, and while it loads a model it would not hear of anything gentler
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()

    async def _start(self) -> Endpoint:
        if importlib.util.find_spec("xllamacpp") is None:
            raise LLMUnavailableError(
                "The local model needs llama.cpp: pip install 'companion[local]'", permanent=True
            )
        if not self._model.is_file():
            raise LLMUnavailableError(
                f"The model {self.model} is not on this machine: companion model pull {self.model}",
                permanent=True,
            )
        self._process = await self._spawn()
        try:
            self._endpoint = await asyncio.wait_for(self._handshake(), self._ready_seconds)
        except (TimeoutError, ValueError, ConnectionError) as error:
            await self.close()
            self._falls += 1
            raise LLMUnavailableError(f"The local model did not start; see {self._log}") from error
        except BaseException:
            await self.close()
            raise
        return self._endpoint

    async def _spawn(self) -> Process:
        make_file(self._log)
        full = self._log.stat().st_size > LOG_BYTES
        with self._log.open("wb" if full else "ab") as log:
            return await asyncio.create_subprocess_exec(
                *self._program, stdin=PIPE, stdout=PIPE, stderr=log
            )

    async def _handshake(self) -> Endpoint:
        """Give the child its task and wait for its address."""
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        task = {
            "model": str(self._model),
            "window": self._window_tokens,
            "threads": self._threads,
            "key": self._key,
        }
        self._process.stdin.write(json.dumps(task).encode() + b"\n")
        await self._process.stdin.drain()
        line = await self._process.stdout.readline()
        return Endpoint(json.loads(line)["url"] + "/v1", self._key)


def _usable_cores() -> int:
    """How many cores this process may use; more threads would wait for each other by spinning."""
    if sys.platform != "linux":
        return os.cpu_count() or 1
    cores = len(os.sched_getaffinity(0))
    with contextlib.suppress(OSError, ValueError):  # no limit, or not the second kind of cgroup
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        cores = min(cores, max(1, int(quota) // int(period)))
    return cores
