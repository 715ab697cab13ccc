"""A conversation at a screen: a prompt below, and messages above it as they come."""

import asyncio
import contextlib
import itertools
from datetime import timedelta
from pathlib import Path

from prompt_toolkit import PromptSession, print_formatted_text
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import Output
from prompt_toolkit.patch_stdout import patch_stdout
from prompt_toolkit.styles import Style

from adapters.base import Handle
from adapters.terminal.documents import with_document
from adapters.terminal.in_words import held_up_in_words
from adapters.terminal.layout import hanging
from adapters.terminal.translate import LEAVE, started, to_event
from adapters.terminal.translate import address as terminal_of
from adapters.text import printable
from companion.clock import Clock
from companion.events import Address, HeldUp, OutgoingMessage, Sender
from companion.private import make_file

STYLE = Style.from_dict(
    {
        "you": "ansigreen bold",
        "companion": "ansicyan bold",
        "quiet": "ansibrightblack",
        "bottom-toolbar": "noreverse",
    }
)
LONG = timedelta(seconds=10)
"""After this the person is told how long they have waited already, and what for."""
FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
FRAME_SECONDS = 0.1


class Prompt:
    """`person` at a screen, talking with `companion`.

    What was typed before is kept in the file `history`, or only for now if that is None. `model`
    is what a long wait is said to be for.
    """

    def __init__(
        self,
        *,
        person: Sender,
        companion: str,
        clock: Clock,
        history: Path | None,
        model: str = "its model",
        input: Input | None = None,  # noqa: A002 - prompt_toolkit's own name for it
        output: Output | None = None,
    ) -> None:
        self._person = person
        self._companion = companion
        self._clock = clock
        self._model = model
        self._leaving = False
        self.left_at_once = False
        self._told: set[str] = set()
        self._telling: set[asyncio.Task[None]] = set()
        self._since = clock.now()
        self._thinking: asyncio.Task[None] | None = None
        self._frame = FRAMES[0]
        self._session: PromptSession[str] = PromptSession(
            FormattedText([("class:you", person.name), ("", "  ")]),
            history=_history(history),
            key_bindings=self._keys(),
            bottom_toolbar=self._status,
            style=STYLE,
            input=input,
            output=output,
        )
        self._session.default_buffer.on_text_changed += self._stay

    async def run(self, handle: Handle) -> None:
        """Read what is typed and hand it on, until the person leaves."""
        try:
            with patch_stdout(raw=True):
                await handle(started(person=self._person, at=self._clock.now()))
                while (line := await self._line()) is not None:
                    event = to_event(line, person=self._person, at=self._clock.now())
                    if event is not None:
                        self._told.clear()
                        await handle(event)
        finally:
            if self._thinking is not None:
                await self.show(("class:quiet", self._last_words()))
            self._stop_thinking()

    async def send(self, message: OutgoingMessage) -> None:
        """Show a message of the companion's above the prompt."""
        columns = self._session.output.get_size().columns
        indent = len(self._companion) + 2
        told = await with_document(message)
        text = hanging(printable(told), indent=indent, columns=columns)
        await self.show(("class:companion", self._companion), ("", f"  {text}\n"))

    async def show(self, *fragments: tuple[str, str]) -> None:
        """Print above the prompt: (style, text) each."""
        shown = FormattedText([(style, printable(text)) for style, text in fragments])
        await run_in_terminal(
            lambda: print_formatted_text(shown, style=STYLE, output=self._session.output)
        )

    def typing(self, address: Address, shown: bool) -> None:
        """Show that an answer is thought about, or that it is no more."""
        if address != terminal_of(self._person):
            return
        self._stop_thinking()
        if shown:
            self._since = self._clock.now()
            self._thinking = asyncio.create_task(self._turn_the_wheel())
        self._session.app.invalidate()

    def held_up(self, address: Address, held_up: HeldUp) -> None:
        """Tell `person` why they get no answer now: once for a cause, until they write again."""
        if address != terminal_of(self._person) or held_up.cause in self._told:
            return
        self._told.add(held_up.cause)
        columns = self._session.output.get_size().columns
        text = hanging(held_up_in_words(held_up), indent=0, columns=columns)
        telling = asyncio.create_task(self.show(("class:quiet", f"{text}\n")))
        self._telling.add(telling)
        telling.add_done_callback(self._telling.discard)

    async def _line(self) -> str | None:
        """What the person entered, or None when they leave."""
        with contextlib.suppress(EOFError):
            line = await self._session.prompt_async()
            return None if line.strip() == LEAVE else line
        return None

    async def _turn_the_wheel(self) -> None:
        for frame in itertools.cycle(FRAMES):
            self._frame = frame
            self._session.app.invalidate()
            await asyncio.sleep(FRAME_SECONDS)

    def _stop_thinking(self) -> None:
        if self._thinking is not None:
            self._thinking.cancel()
            self._thinking = None

    def _last_words(self) -> str:
        still = f"{self._companion} is still thinking."
        if self.left_at_once:
            return f"{still} The answer comes when you are back."
        return f"{still} Ctrl-C leaves at once; the answer comes when you are back."

    def _status(self) -> FormattedText:
        if self._leaving:
            text = "Ctrl-C again leaves. Nothing is lost."
        elif self._thinking is not None:
            text = f"{self._frame} {self._companion} is thinking"
            waited = self._clock.now() - self._since
            if waited >= LONG:
                text += f", for {waited.total_seconds():.0f} s now: that is the wait for"
                text += f" {self._model}. You may write on"
        else:
            text = ""
        return FormattedText([("class:quiet", text)])

    def _stay(self, _: object) -> None:
        self._leaving = False

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("c-c")
        def clear_or_leave(event: KeyPressEvent) -> None:
            if self._leaving:
                self.left_at_once = True
                event.app.exit(exception=EOFError)
                return
            event.current_buffer.append_to_history()
            event.current_buffer.reset()
            self._leaving = True

        @keys.add("escape", "enter")
        def new_line(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text("\n")

        return keys


def _history(path: Path | None) -> History:
    if path is None:
        return InMemoryHistory()
    make_file(path)
    return FileHistory(str(path))
