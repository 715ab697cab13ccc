"""The command `companion`."""

import argparse
import asyncio
import contextlib
import importlib
import os
import signal
import sys
import traceback
from collections.abc import Coroutine, Sequence
from importlib.metadata import version
from types import ModuleType
from typing import Any

from companion.error_text import error_text
from companion.errors import LeftError, OperatorError

# In the order of `companion --help`.
COMMANDS = (
    "chat",
    "run",
    "init",
    "doctor",
    "status",
    "people",
    "memory",
    "schedule",
    "persona",
    "model",
    "backup",
    "restore",
    "import",
    "eval",
    "bench",
)

DONE, FAILED, OPERATOR_MUST_ACT, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 not, 2 if the operator must act."""
    # A name in a script that this terminal's encoding lacks is no reason to stop.
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    arguments = parser().parse_args(argv)
    try:
        outcome = arguments.run(arguments)
        if asyncio.iscoroutine(outcome):
            outcome = asyncio.run(_until_told_to_stop(outcome))
        sys.stdout.flush()
        return int(outcome)
    except OperatorError as error:
        return _tell(str(error), OPERATOR_MUST_ACT)
    except LeftError as error:
        return _tell(str(error), FAILED)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader went away (`companion status | head`); spare it the complaint at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception as error:  # noqa: BLE001 - the last line of defence: no traceback for people
        error = _cause(error)
        if isinstance(error, OperatorError):
            return _tell(str(error), OPERATOR_MUST_ACT)
        hint = "COMPANION_LOG=DEBUG shows where"
        return _tell(f"companion failed: {error_text(error)} ({hint})", FAILED)


def parser() -> argparse.ArgumentParser:
    """The commands and their arguments."""
    top = argparse.ArgumentParser(prog="companion", description="A companion that remembers.")
    top.add_argument("--version", action="version", version=version("companion"))
    subparsers = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in COMMANDS:
        _module(name).add(subparsers)
    helping = subparsers.add_parser("help", help="this, or what one command takes")
    helping.add_argument("command", nargs="?", choices=COMMANDS, metavar="COMMAND")
    helping.set_defaults(run=lambda args: _help(top, args.command))
    return top


def _help(top: argparse.ArgumentParser, command: str | None) -> int:
    top.parse_args([command, "--help"] if command else ["--help"])
    return DONE


def _module(command: str) -> ModuleType:
    # a module called "import" could not be imported
    name = "importing" if command == "import" else command
    return importlib.import_module(f"companion.cli.{name}")


async def _until_told_to_stop(work: Coroutine[Any, Any, int]) -> int:
    """What `work` returns; SIGTERM cancels it, which is an orderly end."""
    task = asyncio.ensure_future(work)
    stopped = False

    def stop() -> None:
        nonlocal stopped
        stopped = True
        task.cancel()

    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop)
    try:
        return await task
    except asyncio.CancelledError:
        if stopped:
            return DONE
        raise


def _cause(error: Exception) -> Exception:
    """The one error in the groups that task groups make of it, or the group of several."""
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        (error,) = error.exceptions
    return error


def _tell(text: str, code: int) -> int:
    if os.environ.get("COMPANION_LOG", "").strip().upper() == "DEBUG":
        traceback.print_exc()
    sys.stderr.write(f"{text}\n")
    return code
