"""A conversation at a screen."""

import asyncio
import io
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from prompt_toolkit.application import create_app_session
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from adapters.terminal.prompt import Prompt
from adapters.terminal.translate import address
from companion.events import (
    HeldUp,
    MessageReceived,
    OutgoingMessage,
    PersonStarted,
    PlatformEvent,
    Sender,
)
from tests.support.virtual_clock import VirtualClock

NOON = datetime(2025, 5, 5, 12, 0, tzinfo=UTC)
ANNA = Sender(user="anna", name="Anna")
ENTER, CTRL_C, CTRL_D, ALT_ENTER, UP = "\r", "\x03", "\x04", "\x1b\r", "\x1b[A"


class Drawing(io.StringIO):
    """What was drawn so far. `changed` is set with each stroke.

    Like every terminal it says where its cursor is when asked.
    """

    def __init__(self, keys: PipeInput) -> None:
        super().__init__()
        self.changed = asyncio.Event()
        self._keys = keys

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.changed.set()
        if "\x1b[6n" in text:
            self._keys.send_text("\x1b[1;1R")
        return super().write(text)


class Screen:
    """A keyboard and what the screen shows, with somebody who takes what is entered."""

    def __init__(self, keys: PipeInput, history: Path | None) -> None:
        self._keys = keys
        self.clock = VirtualClock(NOON)
        self._written = Drawing(keys)
        self.events: list[PlatformEvent] = []
        self.heard = asyncio.Event()
        output = Vt100_Output(self._written, lambda: Size(rows=24, columns=120))
        self.prompt = Prompt(
            person=ANNA,
            companion="Mira",
            clock=self.clock,
            history=history,
            model="qwen at home",
            input=keys,
            output=output,
        )

    def type(self, *keys: str) -> None:
        self._keys.send_text("".join(keys))

    async def handle(self, event: PlatformEvent) -> bool:
        self.events.append(event)
        self.heard.set()
        return True

    async def hears(self) -> PlatformEvent:
        """The next event."""
        await asyncio.wait_for(self.heard.wait(), 10)
        self.heard.clear()
        return self.events[-1]

    async def shows(self, text: str, *, times: int = 1) -> None:
        """Returns once `text` has been drawn, so many times."""
        async with asyncio.timeout(10):
            while self.drawn.count(text) < times:
                self._written.changed.clear()
                await self._written.changed.wait()

    @property
    def drawn(self) -> str:
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self._written.getvalue())

    @property
    def said(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, MessageReceived)]


@asynccontextmanager
async def screen(history: Path | None = None) -> AsyncIterator[tuple[Screen, asyncio.Task[None]]]:
    with create_pipe_input() as keys, create_app_session(input=keys):
        shown = Screen(keys, history)
        running = asyncio.create_task(shown.prompt.run(shown.handle))
        assert isinstance(await shown.hears(), PersonStarted)
        try:
            yield shown, running
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


async def left(running: asyncio.Task[None]) -> None:
    await asyncio.wait_for(running, 10)


async def test_what_is_entered_is_handed_over_until_they_leave() -> None:
    async with screen() as (shown, running):
        shown.type("hello", ENTER)
        await shown.hears()
        shown.type("  ", ENTER, "how are you?", ENTER)
        await shown.hears()
        shown.type("/quit", ENTER)
        await left(running)
        assert shown.said == ["hello", "how are you?"]


async def test_ctrl_d_leaves() -> None:
    async with screen() as (shown, running):
        shown.type(CTRL_D)
        await left(running)
        assert shown.said == []


async def test_ctrl_c_clears_the_line_and_a_second_one_leaves(tmp_path: Path) -> None:
    async with screen(tmp_path / "history") as (shown, running):
        shown.type("half a thought", CTRL_C)
        await shown.shows("Ctrl-C again leaves")
        shown.type("whole", ENTER)
        assert await shown.hears()
        assert shown.said == ["whole"]
        shown.type(CTRL_C, CTRL_C)
        await left(running)
    assert "half a thought" in (tmp_path / "history").read_text()


async def test_typing_on_after_ctrl_c_means_staying() -> None:
    async with screen() as (shown, _):
        shown.type(CTRL_C, "more", CTRL_C, "and more", ENTER)
        await shown.hears()
        assert shown.said == ["and more"]


async def test_several_lines_pasted_or_entered_are_one_message() -> None:
    async with screen() as (shown, _):
        shown.type("\x1b[200~one\ntwo\x1b[201~", ENTER)
        await shown.hears()
        shown.type("three", ALT_ENTER, "four", ENTER)
        await shown.hears()
        assert shown.said == ["one\ntwo", "three\nfour"]


async def test_a_message_that_arrives_is_shown_without_its_escapes() -> None:
    async with screen() as (shown, _):
        message = OutgoingMessage(id=1, address=address(ANNA), text="Hej \x1b[2J上海")
        await shown.prompt.send(message)
        await shown.shows("Mira  Hej [2J上海")


async def test_thinking_shows_while_a_turn_runs() -> None:
    async with screen() as (shown, _):
        shown.prompt.typing(address(ANNA), True)
        await shown.shows("Mira is thinking")
        shown.prompt.typing(address(ANNA), False)
        drawn_before = len(shown.drawn)
        shown.type("x", ENTER)
        await shown.hears()
        assert "is thinking" not in shown.drawn[drawn_before:]


async def test_what_was_typed_before_comes_back_with_the_arrow(tmp_path: Path) -> None:
    history = tmp_path / "terminal" / "history"
    async with screen(history) as (shown, _):
        shown.type("from yesterday", ENTER)
        await shown.hears()
    assert history.stat().st_mode & 0o077 == 0
    assert (tmp_path / "terminal").stat().st_mode & 0o077 == 0
    async with screen(history) as (shown, _):
        shown.type(UP, ENTER)
        await shown.hears()
        assert shown.said == ["from yesterday"]


async def test_a_long_wait_tells_how_long_it_is_and_what_for() -> None:
    async with screen() as (shown, _):
        shown.prompt.typing(address(ANNA), True)
        await shown.shows("Mira is thinking")
        shown.clock.advance(timedelta(seconds=12))
        await shown.shows(", for 12 s now: that is the wait for qwen at home.")


async def test_what_holds_up_an_answer_is_told_once_until_they_write_again() -> None:
    async with screen() as (shown, _):
        held_up = HeldUp(cause="qwen at home: it is overloaded.", again=timedelta(minutes=5))
        told = "No answer yet. qwen at home: it is overloaded. It is tried again in 5 minutes"
        shown.prompt.held_up(address(ANNA), held_up)
        await shown.shows(told)
        shown.prompt.held_up(address(ANNA), held_up)
        shown.type("hello", ENTER)
        await shown.hears()
        assert shown.drawn.count(told) == 1
        shown.prompt.held_up(address(ANNA), held_up)
        await shown.shows(told, times=2)
