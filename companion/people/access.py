"""Who may talk with the companion. Nobody may who was not let in."""

import random
from collections.abc import Iterable
from dataclasses import replace

from companion.clock import Clock
from companion.events import (
    Address,
    FileReceived,
    MessageReceived,
    PlatformEvent,
    Sender,
    TimerFired,
)
from companion.people import notices
from companion.people.notices import Announce
from companion.people.pairing import Pairing
from companion.storage import access, people
from companion.storage.database import Database, Tx
from companion.storage.inbox import InboxItem
from companion.storage.people import Place
from companion.storage.strangers import Stranger
from companion.text import neutral_name

HELLO = (
    "Before we begin: what you write to me and what I note about you is kept on my operator's"
    " machine, and what an answer takes goes to the language model that they chose. /privacy tells"
    " more, /memory shows what I note, and /erase deletes all of it."
)
ASKS = (
    "{name} ({account}) would like to talk with me. If you know them, ask them for the code that I"
    " gave them, and write /approve and the code. To turn them down: /deny {account}"
)


class Access:
    """Decides who is heard. `hello` is said once to everybody new.

    `announce` hands on what is to be said to somebody; until it is set, that waits for the start.
    """

    def __init__(
        self,
        db: Database,
        *,
        clock: Clock,
        rng: random.Random,
        hello: str = HELLO,
    ) -> None:
        self._db = db
        self._clock = clock
        self.announce: Announce = _later
        self._hello = hello
        self._trusted: set[str] = set()
        self.pairing = Pairing(clock, rng, trusted=self._trusted)
        self._allowed: dict[str, tuple[str, ...]] = {}

    def trust(self, platform: str) -> None:
        """Hear everybody on `platform`: whoever writes there holds the machine already."""
        self._trusted.add(platform)

    def trusts(self, platform: str) -> bool:
        """Whether everybody on `platform` holds the machine."""
        return platform in self._trusted

    def allow(self, platform: str, users: Iterable[int]) -> None:
        """Hear these users of `platform` without a code: the operator's settings name them."""
        self._allowed[platform] = tuple(str(user) for user in users)

    def admits_in(self, tx: Tx, platform: str, user: str) -> bool:
        """Whether this account may talk with the companion."""
        if platform in self._trusted:
            return True
        found = access.standing(tx, platform, user)
        if found is not None and found.revoked:
            return False
        if found is not None and found.admitted:
            return True
        return user in self._allowed.get(platform, ())

    async def admits(self, platform: str, user: str) -> bool:
        """Whether this account may talk with the companion."""
        return await self._db.read(lambda tx: self.admits_in(tx, platform, user))

    async def operator(self, platform: str) -> str | None:
        """The account there of who can change something: the owner's, or the first allowed one."""

        def query(tx: Tx) -> str | None:
            owner = access.owner(tx)
            theirs = people.accounts(tx, owner.id) if owner else []
            return next((one.user for one in theirs if one.platform == platform), None)

        return await self._db.read(query) or next(iter(self._allowed.get(platform, ())), None)

    async def turned_away(self, platform: str, sender: Sender, chat: str) -> str | None:
        """What to tell a stranger who wrote in the private chat `chat`; None for silence.

        The owner hears of them in a chat of their own.
        """
        stranger = Stranger(platform=platform, user=sender.user, chat=chat, name=sender.name)

        def work(tx: Tx) -> tuple[str | None, InboxItem | None]:
            found = access.standing(tx, platform, sender.user)
            if found is not None and found.revoked:
                return None, None
            reply = self.pairing.ask(tx, stranger)
            if reply is None:
                return None, None
            return reply.text, self._tell_owner(tx, stranger) if reply.is_new else None

        text, notice = await self._db.write(work)
        if notice is not None:
            self.announce(notice)
        return text

    def hears(self, tx: Tx, event: PlatformEvent) -> bool:
        """Whether `event` is taken in. What others say in a group is, if it is meant for nobody."""
        if not event.address.private and not getattr(event, "addressed", True):
            return True
        return self.admits_in(tx, event.address.platform, event.sender.user)

    def known_as_stranger(self, tx: Tx, event: PlatformEvent) -> PlatformEvent:
        """`event`; one that was overheard from somebody who may not talk to us says so."""
        if not isinstance(event, MessageReceived | FileReceived) or event.addressed:
            return event
        admitted = self.admits_in(tx, event.address.platform, event.sender.user)
        return event if admitted else replace(event, stranger=True)

    def hello_in(self, tx: Tx, place: Place) -> InboxItem | None:
        """What is stored and how it is erased, for somebody who was never told; once."""
        words = self.hello_words(tx, place.person, place.address)
        return (
            notices.put(tx, place, f"hello {place.person}", words, self._clock) if words else None
        )

    def hello_words(self, tx: Tx, person: int, address: Address) -> str:
        """The same, to be said now; empty for somebody who has been told."""
        if not self._hello or not address.private or address.platform in self._trusted:
            return ""
        return self._hello if access.tell_once(tx, person, self._clock.now()) else ""

    def is_shut_out(self, tx: Tx, item: InboxItem) -> bool:
        """Whether nothing more may be done for this event: its person was shut out meanwhile."""
        platform = item.address.platform
        if platform in self._trusted:
            return False
        if isinstance(item.event, TimerFired):
            return item.address.private and access.has_no_way_in(tx, item.person, platform)
        found = access.standing(tx, platform, item.event.sender.user)
        return found is not None and found.revoked

    def _tell_owner(self, tx: Tx, stranger: Stranger) -> InboxItem | None:
        owner = access.owner(tx)
        place = access.last_private_place(tx, owner.id) if owner else None
        if place is None:
            return None
        account = f"{stranger.platform}:{stranger.user}"
        text = ASKS.format(name=neutral_name(stranger.name), account=account)
        name = f"{account} asks {self._clock.now().isoformat()}"
        return notices.put(tx, place, name, text, self._clock)


def _later(_item: InboxItem) -> None:
    """It is in the inbox, and taken up at the next start."""
