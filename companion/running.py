"""A companion that runs: what takes events in, and what adapters and programs ask of it."""

import asyncio
from dataclasses import replace
from typing import Any
from weakref import WeakValueDictionary

from companion.clock import Clock
from companion.deliveries import Deliveries, Pieces, Send, whole
from companion.events import Address, Author, HeldUp, OutgoingMessage, PlatformEvent, Sender
from companion.memory.memories import Memories
from companion.memory.person_memory import PersonMemory
from companion.openers.turns import OpenerTurns
from companion.people.access import Access
from companion.platforms import Platforms
from companion.storage import inbox, joining, people, schedule
from companion.storage.database import Database, Tx
from companion.storage.inbox import InboxItem
from companion.text import clean
from companion.turns.lanes import Lanes
from companion.turns.reactions import with_what_it_is_about
from companion.turns.returning import came_back
from companion.turns.worker import ShowHeldUp, ShowTyping


class Companion:
    """A running companion: takes events in, and sends what comes of them."""

    def __init__(
        self,
        db: Database,
        *,
        memories: Memories,
        deliveries: Deliveries,
        lanes: Lanes,
        typing: "Typing",
        held_up: "HoldUps",
        people: Access,
        openers: OpenerTurns,
        clock: Clock,
    ) -> None:
        self.people = people
        self.platforms = Platforms(db, clock, people)
        self._db = db
        self._memories = memories
        self._deliveries = deliveries
        self._lanes = lanes
        self._typing = typing
        self._held_up = held_up
        self._openers = openers
        self._clock = clock
        self._answering: WeakValueDictionary[Address, asyncio.Lock] = WeakValueDictionary()

    async def handle(self, event: PlatformEvent) -> bool:
        """Take `event` in. When this returns it is on disk, and can be acknowledged.

        False when the platform has given it before, or its sender was not let in.
        """
        return await self._take(event) is not None

    async def answer(self, event: PlatformEvent) -> list[str]:
        """Take `event` in, and give what is said in its chat until its turn has ended.

        Nothing may be registered to deliver for that chat. Several at once are answered one after
        the other.
        """
        heard: list[str] = []

        async def hear(message: OutgoingMessage) -> None:
            if message.reacts_to is None:
                heard.append(message.text)

        # whoever asks while another waits would be given the other's answer
        alone = self._answering.setdefault(event.address, asyncio.Lock())
        async with alone:
            item = await self._take(event)
            if item is not None:
                with self._deliveries.listening(event.address, hear):
                    await self._lanes.settled(item.person)
                    await self._deliveries.settled(item.conversation)
        return heard

    async def _take(self, event: PlatformEvent) -> InboxItem | None:
        event = _cleaned(event)

        def work(tx: Tx) -> tuple[InboxItem | None, InboxItem | None]:
            now = self._clock.now()
            if not self.people.hears(tx, event):
                return None, None
            place = people.place(tx, event.address, event.sender, now)
            people.set_unreachable(tx, place.person, place.id, None)
            if event.address.private:
                joining.follow(tx, place.person, place.id)
            schedule.resume(tx, place.person, place.id)
            hello = self.people.hello_in(tx, place)
            known = with_what_it_is_about(tx, place, came_back(tx, place, event, now))
            known = self.people.known_as_stranger(tx, known)
            return hello, inbox.add(tx, place, known, now)

        hello, item = await self._db.write(work)
        for one in (hello, item):
            if one is not None:
                self._deliveries.found(one.conversation)
                self._lanes.add(one)
        return item

    async def write_first(self, address: Address, sender: Sender) -> str | None:
        """Have the companion write first to somebody in private, whatever the gates say, and give
        its words; None when it keeps silent. Nothing else may go on with that person meanwhile.

        Raises:
            LLMError: no model answers.
        """
        now = self._clock.now()
        place = await self._db.write(lambda tx: people.place(tx, address, sender, now))
        return await self._openers.write_now(place)

    def deliver(
        self,
        platform: str,
        send: Send,
        *,
        chat: str | None = None,
        repeatable: bool = False,
        pieces: Pieces = whole,
        ready: asyncio.Event | None = None,
    ) -> None:
        """Let `send` deliver what goes to `platform`, or to one chat of it.

        `repeatable` says that the platform drops a message whose id and piece it has had before.
        `pieces` tells in how many pieces it takes a text; each is given to `send` by itself, and
        none while `ready` is not set.
        """
        self._deliveries.register(
            platform, send, chat=chat, repeatable=repeatable, pieces=pieces, ready=ready
        )

    def typing(self, platform: str, show: ShowTyping) -> None:
        """Let `show` know when a turn begins (True) and ends (False) in a chat of `platform`."""
        self._typing.shows[platform] = show

    def held_up(self, platform: str, show: ShowHeldUp) -> None:
        """Let `show` know when an answer in a chat of `platform` can't be given now, and why: that
        is for the operator."""
        self._held_up.shows[platform] = show

    def stop_thinking(self) -> None:
        """Break off what is being dealt with; it goes on at the next start."""
        self._lanes.cancel()

    async def quiet(self) -> None:
        """Return when no event is being dealt with and nothing is being sent."""
        await self._lanes.settled()
        await self._deliveries.settled()

    async def why_unanswered(self, platform: str, user: str) -> str | None:
        """For the operator: what keeps the last message of this account from being answered.

        None if nothing does.
        """

        def query(tx: Tx) -> str | None:
            person = people.by_account(tx, platform, user)
            return inbox.why_unanswered(tx, person.id) if person else None

        return await self._db.read(query)

    async def memory_of(self, platform: str, user: str) -> PersonMemory | None:
        """The memory of who uses this account, or None for a stranger."""
        person = await self._db.read(lambda tx: people.by_account(tx, platform, user))
        return self._memories.of(person.id) if person else None


class Typing:
    """Tells the platform of a chat when a turn begins and ends there."""

    def __init__(self) -> None:
        self.shows: dict[str, ShowTyping] = {}

    def __call__(self, address: Address, begins: bool) -> None:
        show = self.shows.get(address.platform)
        if show is not None:
            show(address, begins)


class HoldUps:
    """Tells the platform of a chat what holds up an answer there."""

    def __init__(self) -> None:
        self.shows: dict[str, ShowHeldUp] = {}

    def __call__(self, address: Address, held_up: HeldUp) -> None:
        show = self.shows.get(address.platform)
        if show is not None:
            show(address, held_up)


def _cleaned(event: PlatformEvent) -> PlatformEvent:
    """`event` as it can be stored: its texts without NUL and lone surrogates."""
    cleaned: dict[str, Any] = {}
    for name in event.__dataclass_fields__:
        match getattr(event, name):
            case str(text):
                cleaned[name] = clean(text)
            case (Sender() | Author()) as who:
                cleaned[name] = replace(who, user=clean(who.user), name=clean(who.name))
            case Address(chat=chat, thread=thread) as where:
                thread = None if thread is None else clean(thread)
                cleaned[name] = replace(where, chat=clean(chat), thread=thread)
    return replace(event, **cleaned)
