"""What is answered without the model: stored with what was asked for, and then delivered."""

from collections.abc import Callable
from functools import partial

from companion.clock import Clock
from companion.commands.declare import Answer, Handed
from companion.deliveries import Deliveries
from companion.question import Question
from companion.storage import inbox, outbox
from companion.storage.database import Database, Tx
from companion.storage.inbox import InboxItem
from companion.storage.outbox import OutboxItem


class Answering:
    """Answers events in the program's own words."""

    def __init__(self, db: Database, deliveries: Deliveries, clock: Clock) -> None:
        self._db = db
        self._deliveries = deliveries
        self._clock = clock

    async def answer(self, item: InboxItem, make: Callable[[Tx], Answer]) -> None:
        """Do what was asked, answer and close the event, all or nothing.

        An empty answer is none.
        """

        def work(tx: Tx) -> Answer:
            made = make(tx)
            inbox.finish(tx, item.person, item.id)
            return made

        await self.say(item, work)

    async def say(self, item: InboxItem, make: Callable[[Tx], Answer]) -> None:
        """Do what `make` does, and say what it gives, all or nothing. Nothing is said for ""."""
        piece = await self._db.write(lambda tx: self._put(tx, item, make(tx)))
        if piece is not None:
            self._deliveries.add(piece)

    def _put(self, tx: Tx, item: InboxItem, said: Answer) -> OutboxItem | None:
        if not said:
            return None
        put = partial(outbox.add, tx, item, now=self._clock.now(), notice=True)
        match said:
            case Question(text, choices):
                return put(text, choices=choices)
            case Handed(text, document):
                return put(text, document=document)
        return put(said)
