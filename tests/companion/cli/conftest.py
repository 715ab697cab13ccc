"""Commands run in the test's own process: quicker than a process of their own."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

import pytest

from companion import logs
from companion.cli.main import OPERATOR_MUST_ACT, parser
from companion.errors import OperatorError
from tests.companion.cli.commands import Ran, environment


class Here(Protocol):
    """Runs `companion` with arguments; `entered` is all of its standard input."""

    def __call__(
        self,
        home: Path,
        *arguments: str,
        environ: Mapping[str, str] | None = None,
        entered: str = "",
    ) -> Awaitable[Ran]: ...


@pytest.fixture
def here(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Here]:
    async def run(
        home: Path,
        *arguments: str,
        environ: Mapping[str, str] | None = None,
        entered: str = "",
    ) -> Ran:
        stdin = tmp_path_factory.mktemp("stdin") / "entered"
        stdin.write_text(entered, encoding="utf-8")
        with monkeypatch.context() as patch, stdin.open(encoding="utf-8") as file:
            for name in list(os.environ):
                patch.delenv(name)
            for name, value in environment(home, environ).items():
                patch.setenv(name, value)
            patch.setattr(sys, "stdin", file)
            capsys.readouterr()
            code, why = await _outcome(arguments)
        printed = capsys.readouterr()
        return Ran(code, printed.out, printed.err + why)

    yield run
    logs.set_up("WARNING")


async def _outcome(arguments: tuple[str, ...]) -> tuple[int, str]:
    args = parser().parse_args(arguments)
    try:
        outcome = args.run(args)
        code = await outcome if asyncio.iscoroutine(outcome) else outcome
    except OperatorError as error:
        return OPERATOR_MUST_ACT, f"{error}\n"
    return int(code), ""
