"""What an adapter tells the companion besides events."""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from companion.choices import Reference
from companion.clock import Clock
from companion.errors import DatabaseError
from companion.events import Address, Choice, PlatformEvent, Sender, TimerFired
from companion.people.access import Access
from companion.storage import choices, inbox, people, platforms
from companion.storage.database import Database, Tx
from companion.storage.platforms import DeadLetter
from companion.text import clean

logger = logging.getLogger(__name__)

NOTED_EVERY = timedelta(seconds=20)


class Platforms:
    """Keeps what concerns a platform and no conversation."""

    def __init__(self, db: Database, clock: Clock, access: Access) -> None:
        self._db = db
        self._access = access
        self._clock = clock
        self._noted: dict[str, datetime] = {}

    async def heard(self, platform: str) -> None:
        """A round trip with `platform` was finished."""
        now = self._clock.now()
        last = self._noted.get(platform)
        if last is None or now - last >= NOTED_EVERY:
            self._noted[platform] = now
            await self._note(lambda tx: platforms.heard(tx, platform, now))

    async def troubled(self, platform: str, trouble: str) -> None:
        """Something is wrong with `platform`: `companion status` shows these words."""
        self._noted.pop(platform, None)
        words = clean(trouble)
        await self._note(lambda tx: platforms.troubled(tx, platform, words))

    async def _note(self, work: Callable[[Tx], None]) -> None:
        """Write down how a platform is; not worth stopping for."""
        try:
            await self._db.write(work)
        except DatabaseError as error:
            logger.error("a platform's state is not noted: %s", error)  # noqa: TRY400

    async def admits(self, platform: str, user: str) -> bool:
        """Whether this account may talk with the companion."""
        return await self._access.admits(platform, clean(user))

    async def turned_away(self, platform: str, sender: Sender, chat: str) -> str | None:
        """What to tell a stranger who wrote in the private chat `chat`; None for silence."""
        cleaned = Sender(user=clean(sender.user), name=clean(sender.name))
        return await self._access.turned_away(platform, cleaned, clean(chat))

    async def operator(self, platform: str) -> str | None:
        """The account of who can change something about the platform, if that is known."""
        return await self._access.operator(platform)

    async def unreadable(
        self, platform: str, letter: str, *, user: str | None, body: str, error: str
    ) -> None:
        """Keep what the platform gave under the id `letter`, and tell the operator."""
        sender = None if user is None else clean(user)
        dead = DeadLetter(
            platform=platform, id=clean(letter), body=clean(body), error=clean(error), user=sender
        )

        def work(tx: Tx) -> bool:
            person = people.by_account(tx, platform, sender) if sender is not None else None
            return platforms.bury(tx, dead, person.id if person else None, self._clock.now())

        if await self._db.write(work):
            logger.error("%s gave %s, which can't be read: %s", platform, dead.id, dead.error)

    async def last_messages(self, platform: str) -> dict[str, str]:
        """The last message that came in each private chat, both as the platform calls them."""
        return await self._db.read(lambda tx: people.last_messages(tx, platform))

    async def event(self, platform: str, id: str) -> PlatformEvent | None:  # noqa: A002
        """What came from the platform under this id, which is its own."""
        event = await self._db.read(lambda tx: inbox.came_as(tx, platform, clean(id)))
        return None if isinstance(event, TimerFired) else event

    async def chosen(self, address: Address, reference: Reference) -> Choice | None:
        """What the button stands for that was pressed below a message which was sent to `address`.

        None for a question that is over, or was never asked there.
        """
        now = self._clock.now()
        return await self._db.read(lambda tx: choices.chosen(tx, address, reference, now))

    async def moved(self, platform: str, chat: str, to: str) -> None:
        """The group `chat` is called `to` from now on; its memory goes with it."""
        await self._db.write(lambda tx: people.move(tx, platform, clean(chat), clean(to)))
