"""A conversation in a script's pipes."""

import os
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from adapters.terminal.lines import Lines, one_line, standard_input
from adapters.terminal.translate import address
from companion.clock import SystemClock
from companion.events import MessageReceived, OutgoingMessage, PlatformEvent, Sender

ANNA = Sender(user="anna", name="Anna")
NOON = datetime(2025, 5, 5, 12, 0, tzinfo=UTC)


class Echo:
    """Answers each message with its own text, at the moment when quiet is asked for."""

    def __init__(self) -> None:
        self.lines: Lines | None = None
        self.waiting: list[str] = []
        self.shown: list[str] = []

    async def handle(self, event: PlatformEvent) -> bool:
        assert isinstance(event, MessageReceived)
        self.waiting.append(event.text)
        return True

    async def quiet(self) -> None:
        assert self.lines is not None
        while self.waiting:
            text = f"you said {self.waiting.pop(0)}"
            await self.lines.send(OutgoingMessage(id=1, address=address(ANNA), text=text))

    def show(self, text: str) -> None:
        self.shown.append(text)


async def conversation(lines: AsyncIterator[str], *, pending: str = "") -> list[str]:
    echo = Echo()
    if pending:
        echo.waiting.append(pending)
    echo.lines = Lines(lines, person=ANNA, clock=SystemClock(), quiet=echo.quiet, show=echo.show)
    await echo.lines.run(echo.handle)
    return echo.shown


async def lines_of(*lines: str) -> AsyncIterator[str]:
    for line in lines:
        yield line


async def test_each_line_is_answered_before_the_next_is_read() -> None:
    assert await conversation(lines_of("one\n", "\n", "two\n")) == ["you said one", "you said two"]


async def test_quit_ends_it_and_is_said_to_nobody() -> None:
    assert await conversation(lines_of("one\n", "/quit\n", "two\n")) == ["you said one"]


async def test_what_was_pending_is_shown_first() -> None:
    shown = await conversation(lines_of("one\n"), pending="yesterday")
    assert shown == ["you said yesterday", "you said one"]


async def test_one_message_may_have_several_lines() -> None:
    assert await conversation(one_line("one\ntwo")) == ["you said one\ntwo"]


async def test_what_it_says_cannot_drive_the_terminal() -> None:
    assert await conversation(one_line("\x1b[31mred")) == ["you said [31mred"]


@pytest.mark.parametrize("written", [b"", b"one\ntwo\n", "två\n\xff".encode(), b"no end"])
async def test_standard_input_is_read_from_a_pipe(
    monkeypatch: pytest.MonkeyPatch, written: bytes
) -> None:
    reading, writing = os.pipe()
    os.write(writing, written)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        monkeypatch.setattr(sys, "stdin", pipe)
        lines = [line async for line in standard_input()]
    assert "".join(lines) == written.decode("utf-8", "replace")


async def test_standard_input_may_be_a_plain_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("input") / "lines.txt"
    path.write_text("one\ntwo\n")
    with path.open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert [line async for line in standard_input()] == ["one\n", "two\n"]


async def test_standard_input_may_be_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path(os.devnull).open() as nothing:  # noqa: ASYNC230 - opens at once
        monkeypatch.setattr(sys, "stdin", nothing)
        assert [line async for line in standard_input()] == []
