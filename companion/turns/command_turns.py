"""A command that somebody wrote, from the look at who may to the answer."""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import partial

from companion import event_text
from companion.clock import Clock
from companion.commands.declare import Answer, Asked, Command, Farewell
from companion.deliveries import Deliveries
from companion.erasing import Erasing
from companion.memory.memories import Memories
from companion.people.access import Access
from companion.people.allowance import Allowance
from companion.people.linking import Linking
from companion.people.personas import Personas
from companion.storage import access, memory_state, outbox, people, working_contexts
from companion.storage.database import Database, Tx
from companion.storage.inbox import InboxItem
from companion.turns.agents import Agents
from companion.turns.answering import Answering
from companion.turns.in_private import ask_in_private

CLOSE = 0.7
"""How like a command's name another word must be to be taken for it."""
IN_PRIVATE = "That is for the two of us: write it to me in private."


class CommandTurns:
    """Runs commands. `take` lets what comes of them into its lane."""

    def __init__(
        self,
        db: Database,
        *,
        commands: Mapping[str, Command],
        agents: Agents,
        memories: Memories,
        deliveries: Deliveries,
        answering: Answering,
        access: Access,
        linking: Linking,
        allowance: Allowance,
        personas: Personas,
        erasing: Erasing,
        take: Callable[[InboxItem], None],
        clock: Clock,
    ) -> None:
        self._db = db
        self._commands = commands
        self._agents = agents
        self._memories = memories
        self._deliveries = deliveries
        self._answering = answering
        self._access = access
        self._linking = linking
        self._allowance = allowance
        self._personas = personas
        self._erasing = erasing
        self._take = take
        self._clock = clock

    async def run(self, item: InboxItem, name: str, words: str) -> None:
        """Run the command `name` that came as `item`, with what stood behind it, and answer."""
        command = self._commands.get(name)
        person, owns = await self._db.read(
            lambda tx: (people.get(tx, item.person), access.is_owner(tx, item.person))
        )
        if command is None or (command.only == "owner" and not owns):
            answer = _unknown(name, [c.name for c in self._commands.values() if c.only != "owner"])
            await self._answering.answer(item, lambda _tx: answer)
            return
        if command.only != "everybody" and not item.address.private:
            await self._answering.answer(item, lambda _tx: IN_PRIVATE)
            return
        asked = Asked(
            item=item,
            words=words,
            db=self._db,
            memory=self._memories.of(item.person),
            zone=event_text.zone(person.timezone),
            clock=self._clock,
            home=self._erasing.home,
            erase=partial(self._erasing.erase, item.person),
            access=self._access,
            in_private=partial(self._in_private, item),
            linking=self._linking,
            allowance=self._allowance,
            personas=self._personas,
        )
        made = await command.run(asked)
        if isinstance(made, Farewell):
            self._deliveries.add(outbox.kept_nowhere(item, made.text))
            return
        for piece in asked.answered:
            self._deliveries.add(piece)
        make = made if callable(made) else lambda _tx: made
        await self._answering.answer(item, lambda tx: _seen_by_the_model(tx, item.person, make))
        self._agents.discard(item.person)
        for notice in asked.told:
            self._access.announce(notice)
        for after in asked.afterwards:
            await after()

    async def _in_private(self, item: InboxItem, text: str) -> bool:
        """Have the sender of `item` say this in their private chat; False: they have none."""
        asked = await self._db.write(lambda tx: ask_in_private(tx, item, text, self._clock.now()))
        if asked.item is not None:
            self._take(asked.item)
        return asked.known


def _unknown(name: str, known: Sequence[str]) -> str:
    near = get_close_matches(name, known, 1, CLOSE)
    meant = f" Did you mean /{near[0]}?" if near else ""
    return f"I know no /{name}.{meant} /help lists what I know."


def _seen_by_the_model(tx: Tx, person: int, make: Callable[[Tx], Answer]) -> Answer:
    """What `make` gives. A working context that it changed stands in the next prompt.

    Nothing in the queue tells of such a change, as calls do of the model's own.
    """
    before = working_contexts.current(tx, person)
    text = make(tx)
    after = working_contexts.current(tx, person)
    if after is not None and after != before:
        memory_state.show(tx, person, after.id)
    return text
