"""Having something happen later, without a model that asks for it."""

from datetime import date, time, timedelta

from companion.events import Sender
from companion.storage import people, schedule
from companion.storage.database import Tx
from companion.storage.people import Place
from companion.storage.schedule import Scheduled
from companion.timed.recurrence import Repeats, Rule
from tests.support.world import World


async def place(world: World, name: str = "Anna") -> Place:
    """The private chat of `name`, who has written."""
    address, sender = world.address(name), Sender(user=name, name=name)
    return await world.db.write(lambda tx: people.place(tx, address, sender, world.clock.now()))


async def in_a_while(
    world: World,
    length: timedelta,
    text: str = "call the dentist",
    *,
    name: str = "Anna",
    purpose: str = "reminder",
) -> Scheduled:
    """Something that happens once."""
    where, at = await place(world, name), world.clock.now() + length
    rule = Rule(repeats="once", at=at)

    def work(tx: Tx) -> Scheduled:
        return schedule.add(
            tx, where, purpose=purpose, text=text, rule=rule, due_at=at, now=world.clock.now()
        )

    return await world.db.write(work)


async def again_and_again(
    world: World,
    wall_time: time,
    *,
    repeats: Repeats = "daily",
    zone: str = "UTC",
    text: str = "stretch",
    name: str = "Anna",
    purpose: str = "reminder",
    first_day: date | None = None,
) -> Scheduled:
    """Something that happens at this time of day, from today on."""
    where, now = await place(world, name), world.clock.now()
    rule = Rule(repeats=repeats, first_day=first_day or now.date(), wall_time=wall_time, zone=zone)
    due_at = rule.next(now)
    assert due_at is not None

    def work(tx: Tx) -> Scheduled:
        return schedule.add(
            tx, where, purpose=purpose, text=text, rule=rule, due_at=due_at, now=now
        )

    return await world.db.write(work)


async def became(world: World, one: Scheduled) -> list[tuple[str, str]]:
    """What became of it, with the reasons."""
    past = await world.db.read(lambda tx: schedule.history(tx, one.person, one.id))
    return [(each.outcome, each.reason) for each in past]


async def as_it_is(world: World, one: Scheduled) -> Scheduled:
    """What is stored of it now."""
    found = await world.db.read(lambda tx: schedule.get(tx, one.person, one.id))
    assert found is not None
    return found
