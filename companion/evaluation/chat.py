"""A scripted chat with one person: what is kept of it, recalled after a wipe, and invented."""

import importlib.resources
import re
import tempfile
import tomllib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from companion.app import open_companion
from companion.clock import Clock
from companion.context.working_context import about_person
from companion.events import Address, MessageReceived, Sender
from companion.opening import open_storage
from companion.running import Companion
from companion.settings import Settings
from companion.storage import memory_state, messages, people
from companion.storage.memory_state import Summary

PLATFORM = "eval"
_BOOKKEEPING = re.compile(r"\((?:said|until) [^)]*\d{4}\b[:)]?")
_WORD = re.compile(r"[^\W_]+")
STEM = 4
"""Letters by which a word counts as said: works, worked and working are one."""


@dataclass(frozen=True, slots=True)
class Line:
    """What the person says. `needles`: the fact in it; `recall`: what a right answer has.

    Each is found when all of its parts are, and a part `a|b` when either is.
    """

    say: str
    needles: tuple[str, ...] = ()
    recall: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Script:
    """A chat to be had with a companion. After `wipe_after` lines its queue is emptied."""

    name: str
    wipe_after: int
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A turn of the chat as it went. `right` is None where nothing was to be recalled."""

    number: int
    said: str
    answer: str
    seconds: float
    right: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How the chat went. `lines` are what the working context tells of the person."""

    turns: tuple[Heard, ...]
    lines: tuple[str, ...]
    facts: int
    lost: tuple[str, ...]
    invented: tuple[str, ...]

    @property
    def kept(self) -> int:
        """How many of the facts that were told are in memory."""
        return self.facts - len(self.lost)

    @property
    def asked(self) -> int:
        """How many questions there were."""
        return sum(turn.right is not None for turn in self.turns)

    @property
    def recalled(self) -> int:
        """How many of them were answered rightly."""
        return sum(turn.right is True for turn in self.turns)

    @property
    def seconds(self) -> list[float]:
        """How long each turn took, the shortest first."""
        return sorted(turn.seconds for turn in self.turns)

    def record(self) -> dict[str, Any]:
        """The outcome for a script, without the turns."""
        fields = asdict(self)
        del fields["turns"]
        return {**fields, "kept": self.kept, "asked": self.asked, "recalled": self.recalled}


def shipped_script() -> Script:
    """The chat of 31 turns that comes with the program."""
    file = importlib.resources.files("companion.evaluation") / "chat.toml"
    raw = tomllib.loads(file.read_text(encoding="utf-8"))
    lines = (
        Line(turn["say"], tuple(turn.get("needles", ())), tuple(turn.get("recall", ())))
        for turn in raw["turns"]
    )
    return Script(raw["name"], raw["wipe_after"], tuple(lines))


async def hold(
    script: Script,
    settings: Settings,
    environ: Mapping[str, str],
    clock: Clock,
    tell: Callable[[Heard], None] = lambda turn: None,
) -> Outcome:
    """Have the chat with the real agent, on a home of its own that is gone afterwards.

    `tell` hears of each turn as it ends. Half-way the companion is stopped, everything in the
    queue evicted without a summary, and the companion started again.
    """
    with tempfile.TemporaryDirectory(prefix="companion-eval-") as folder:
        talk = _Talk(script, Path(folder), settings, environ, clock)
        turns: list[Heard] = []
        for first, last in ((0, script.wipe_after), (script.wipe_after, len(script.lines))):
            async for turn in talk.part(first, last):
                tell(turn)
                turns.append(turn)
            if first == 0:
                await talk.wipe()
        return judged(script, turns, talk.after)


def judged(script: Script, turns: Sequence[Heard], context: str) -> Outcome:
    """What the chat came to, by the working context at its end."""
    lines = about_person(context)
    facts = [line for line in script.lines if line.needles]
    said = " ".join(line.say for line in script.lines)
    return Outcome(
        turns=tuple(turns),
        lines=tuple(lines),
        facts=len(facts),
        lost=tuple(line.say for line in facts if not holds("\n".join(lines), line.needles)),
        invented=tuple(line for line in lines if is_invented(line, said, script.name)),
    )


def holds(text: str, parts: Sequence[str]) -> bool:
    """Whether `text` has every part, a part `a|b` by either."""
    folded = text.casefold()
    return all(any(word in folded for word in part.casefold().split("|")) for part in parts)


def is_invented(line: str, said: str, name: str) -> bool:
    """Whether `line` has a name or number that was never said, or mostly words that were not."""
    there = {_stem(word) for word in [*_WORD.findall(said), *_WORD.findall(name)]}
    words = _WORD.findall(_BOOKKEEPING.sub("", line))
    firm = [word for word in words[1:] if word[0].isupper() or any(map(str.isdigit, word))]
    if any(_stem(word) not in there for word in firm):
        return True
    telling = [word for word in words if len(word) >= STEM]
    known = sum(_stem(word) in there for word in telling)
    return known * 2 < len(telling)


def _stem(word: str) -> str:
    return word.casefold()[:STEM]


class _Talk:
    """The chat while it goes on."""

    def __init__(
        self,
        script: Script,
        folder: Path,
        settings: Settings,
        environ: Mapping[str, str],
        clock: Clock,
    ) -> None:
        self._script = script
        self._folder = folder
        self._settings = settings
        self._environ = environ
        self._clock = clock
        self.after = ""

    async def part(self, first: int, last: int) -> AsyncIterator[Heard]:
        """The turns from `first` up to `last`, with a companion that is started for them."""
        async with open_companion(
            self._folder, settings=self._settings, environ=self._environ, clock=self._clock
        ) as companion:
            companion.people.trust(PLATFORM)
            for number in range(first, last):
                yield await self._turn(companion, number)
                self.after = await self._working_context(companion)

    async def wipe(self) -> None:
        """Evict everything from the queue, and leave no summary of it."""
        async with open_storage(
            self._folder, settings=self._settings, environ=self._environ, clock=self._clock
        ) as storage:
            person = await storage.db.read(
                lambda tx: people.by_account(tx, PLATFORM, self._script.name)
            )
            assert person is not None
            queue = await storage.db.read(lambda tx: messages.queue(tx, person.id))
            nothing, now = Summary("(nothing)", 1), self._clock.now()
            await storage.db.write(
                lambda tx: memory_state.flush(
                    tx, person.id, through=queue[-1].id, summary=nothing, now=now
                )
            )

    async def _turn(self, companion: Companion, number: int) -> Heard:
        line = self._script.lines[number]
        event = MessageReceived(
            id=f"turn-{number}",
            address=Address(platform=PLATFORM, chat=self._script.name),
            sender=Sender(user=self._script.name, name=self._script.name),
            at=self._clock.now(),
            text=line.say,
        )
        began = perf_counter()
        answer = "\n".join(await companion.answer(event))
        took = perf_counter() - began
        return Heard(
            number=number + 1,
            said=line.say,
            answer=answer,
            seconds=took,
            right=holds(answer, line.recall) if line.recall else None,
        )

    async def _working_context(self, companion: Companion) -> str:
        memory = await companion.memory_of(PLATFORM, self._script.name)
        assert memory is not None
        return await memory.working_context()
