"""Offers a person, once and in conversation, that the companion could write first."""

from companion.clock import Clock
from companion.settings import OpenerSettings
from companion.storage import openers, people
from companion.storage.database import Database, Tx
from companion.storage.inbox import InboxItem
from companion.turns.agent import Agent

OFFER = (
    "[system alert] You may ask the person, once and when it fits what you talk about, whether they"
    " would like you to write first now and then, for example to ask how something went. Not while"
    " they are upset or in a hurry; a later turn will do. Until they agree you never do so. When"
    " they answer, call set_openers with what they want, also for a no."
)


class Offering:
    """Tells the model to ask, when a person has talked with it for a while."""

    def __init__(self, db: Database, settings: OpenerSettings, clock: Clock) -> None:
        self._db = db
        self._settings = settings
        self._clock = clock
        self._settled: set[int] = set()
        """People who need not be looked at again: they were asked, or said what they want."""

    async def after_turn(self, agent: Agent, item: InboxItem) -> None:
        """Tell `agent`, whose turn for `item` has ended, to ask; it reads that in its next turn."""
        settings = self._settings
        if not settings.enabled or not 0 < settings.offer_after <= agent.talked:
            return
        if item.person in self._settled or not item.address.private:
            return
        if await self._db.read(lambda tx: _is_settled(tx, item.person)):
            self._settled.add(item.person)
            return
        now = self._clock.now()
        await agent.tell(item, OFFER, lambda tx: openers.set_offered(tx, item.person, now))


def _is_settled(tx: Tx, person: int) -> bool:
    wished = openers.wished(tx, person)
    return (
        wished.wish is not None
        or wished.offered_at is not None
        or people.get(tx, person).kind != "person"
    )
