"""Every statement on personal tables is bound to its person, in a life that uses all of it."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import time, timedelta
from pathlib import Path

from companion.errors import LLMUnavailableError
from companion.events import MessageEdited, PersonStarted, ReactionReceived, Sender
from companion.llm.protocol import Message, Reply
from companion.openers.candidates import Source
from companion.people import operating
from companion.pruning import KEPT, Pruning
from companion.settings import NightSettings, Settings
from companion.storage import (
    inbox,
    openers,
    outbox,
    people,
    platforms,
    remarks,
    schedule,
    timing,
)
from companion.storage.database import Tx
from companion.storage.personal import INDEXES, TABLES
from companion.timed.hours import Hours
from tests.support.openers import wait
from tests.support.person_binding import ALLOWED, Schema, unbound
from tests.support.scripted_llm import ScriptedLLM, calls, says, sends
from tests.support.sql_trace import recorded
from tests.support.timers import again_and_again, in_a_while, place
from tests.support.two_apps import HERE, THERE, TwoApps
from tests.support.world import PLATFORM, World, a_world


def busy(messages: Sequence[Message]) -> Reply | Exception:
    """A model that uses everything it has."""
    if messages[-1].text.startswith("[system] Nobody wrote."):
        return calls(("send_opener", {"text": f"How was it? {len(messages)}", "about": 1}))
    asked = messages[-2].text
    if asked.startswith("You keep the memory"):
        note = {"notes": [1, 2], "text": "Another note."}
        return calls(("tidy_memory", {"lines": [], "notes": [note]}))
    if "Memory pressure" in asked:
        return calls(("archival_storage_insert", {"text": f"Note of {len(messages)} messages."}))
    if asked.endswith("everything"):
        return calls(
            ("working_context_append", {"text": "Likes everything."}),
            ("working_context_replace", {"old": "Likes everything.", "new": "Likes it all."}),
            ("archival_storage_insert", {"text": "Everything, in detail."}),
            ("archival_storage_search", {"query": "detail"}),
            ("conversation_search", {"query": "word", "since": "2025-05-01"}),
            ("stay_silent", {}),
            ("dance", {}),
            ("send_message", {"message": "All done."}),
        )
    if asked.endswith("nothing"):
        return LLMUnavailableError("down")
    return sends(f"Yes. {len(messages)} " + "la " * 40)


async def live(world: World) -> None:
    for name in ("Anna", "Ben"):
        await world.say("everything", name)
        for _ in range(20):
            await world.say("word " * 30, name)
        for command in ("memory", "remember x", "forget x", "forget yes x", "undo", "search word"):
            await world.say(f"/{command}", name)
        for command in ("usage", "timezone Berlin", "help", "privacy", "nonsense"):
            await world.say(f"/{command}", name)
        await world.happens(
            ReactionReceived(
                id=f"r{name}",
                address=world.address(name),
                sender=Sender(user=name, name=name),
                at=world.clock.now(),
                message="1",
                emoji="👍",
            )
        )
    await world.happens(world.message("everything", group="club"))
    await (await world.memory()).add("To be forgotten: the xylophone.")
    await world.say("/forget yes xylophone")
    await world.db.read(lambda tx: (inbox.open_items(tx), outbox.open_items(tx)))
    await platforms_life(world)
    await timed_life(world)
    await unasked_life(world)
    await access_life(world)
    await linking_life(world)
    await leaving_life(world)
    await world.say("nothing", "Ben")


async def leaving_life(world: World) -> None:
    """Somebody takes all of it along, and is no more."""
    await world.say("everything", "Cleo")
    await world.say("/remember x", "Cleo")
    await world.happens(world.message("everything", "Cleo", group="club"))
    await world.say("/reminders in 9 hours x", "Cleo")
    await world.say("/export", "Cleo")
    await world.say("/erase yes everything", "Cleo")


async def timed_life(world: World) -> None:
    """What happens at times of its own."""
    hour = timedelta(hours=1)
    for name in ("Anna", "Ben"):
        await in_a_while(world, hour, name=name)
        await again_and_again(world, time(9), name=name, purpose="check_in")
        await in_a_while(world, 3 * hour, name=name)
    await world.pass_time(hour)
    for command in ("reminders in 9 hours x", "reminders", "snooze 10m", "reminders cancel x"):
        await world.say(f"/{command}")
    for command in ("quiet 23-8", "pause 1w", "resume", "timezone Tokyo"):
        await world.say(f"/{command}")
    where, now = await place(world), world.clock.now()

    def work(tx: Tx) -> None:
        timing.set_quiet(tx, where.person, Hours(time(23), time(8)))
        timing.set_paused(tx, where.person, now)
        for one in schedule.to_come(tx, where.person):
            schedule.history(tx, where.person, one.id)
            if one.rule.zone is not None:
                schedule.move(tx, one, "Asia/Tokyo", one.due_at)
        people.set_unreachable(tx, where.person, where.id, now)

    await world.db.write(work)
    await world.pass_time(3 * hour)
    await world.say("word")
    await world.pass_time(3 * timedelta(days=1))


async def access_life(world: World) -> None:
    """Who is let in and shut out."""
    access, clock = world.companion.people, world.clock
    for user in ("Una", "Vic"):
        await access.turned_away("elsewhere", Sender(user=user, name=user), user)
    await world.db.write(lambda tx: access.pairing.approve(tx, "elsewhere:Una"))
    await world.db.write(lambda tx: access.pairing.approve(tx, "AAAA-AAAA"))
    await access.turned_away("elsewhere", Sender(user="Wim", name="Wim"), "Wim")
    await world.db.write(lambda tx: access.pairing.deny(tx, "elsewhere:Vic"))
    await world.db.write(lambda tx: operating.revoke(tx, "elsewhere:Una", clock))
    await world.db.read(lambda tx: operating.everybody(tx))


async def linking_life(world: World) -> None:
    """Two become one, and part again."""
    apps = TwoApps(world)
    await apps.say(HERE, "everything")
    await apps.say(THERE, "everything")
    await apps.say(THERE, "/link AAAA-AAAA")
    await apps.link()
    await apps.say(HERE, f"/unlink yes {THERE}")
    await apps.say(HERE, "/link no")


async def unasked_life(world: World) -> None:
    """What the companion does of its own accord: it writes first, and thinks at night."""
    for command in ("timezone Berlin", "openers on", "openers", "why"):
        await world.say(f"/{command}", "Ben")
    await world.say("I have an interview tomorrow.", "Ben")
    memory = await world.memory("Ben")
    for note in ("A note.", "Another note."):
        await memory.add(note)
    await wait(world, world.clock.now() + timedelta(days=4))
    await world.say("/why", "Ben")
    await world.say("/undo", "Ben")
    person = await world.person("Ben")
    await world.db.write(lambda tx: openers.set_offered(tx, person, world.clock.now()))
    for source in (Source("context", 1), Source("passage", 1), Source("summary", 1)):
        await world.db.read(lambda tx: remarks.find(tx, person, source))  # noqa: B023


async def platforms_life(world: World) -> None:
    """What comes from platforms besides messages."""
    host, name = world.companion.platforms, PLATFORM
    await host.heard(name)
    await host.troubled(name, "down")
    for platform in (name, "elsewhere"):
        await host.admits(platform, "Anna")
        await host.turned_away(platform, Sender(user="Eve", name="Eve"), "Eve")
    await host.operator(name)
    await host.unreadable(name, "u1", user="Anna", body="{}", error="broken")
    await host.last_messages(name)
    await host.event(name, "m1")
    await world.db.read(platforms.all_of_them)
    first = world.message("I like pears")
    await world.happens(replace(first, message="77"))
    edit = MessageEdited(
        id="e1",
        address=first.address,
        sender=first.sender,
        at=world.clock.now(),
        message="77",
        text="I like plums",
    )
    await world.happens(edit)
    start = PersonStarted(id="s1", address=first.address, sender=first.sender, at=first.at)
    await world.happens(start)
    person = await world.person()
    await world.db.write(lambda tx: people.is_unreachable(tx, person, 1))
    await host.moved(name, "club", "big club")


async def test_no_statement_on_a_personal_table_forgets_its_person(tmp_path: Path) -> None:
    llm = ScriptedLLM(busy, summary=says("They talked."))
    settings = Settings(night=NightSettings(enabled=True))
    async with (
        a_world(tmp_path, llm, window=4096, settings=settings) as world,
        recorded(world.db) as trace,
    ):
        await live(world)
        await world.say("Still there?", "Ben")
        world.clock.advance(KEPT * 2)
        await Pruning(world.db, world.clock).run_once()
        schema = await world.db.read(Schema.of)
    assert unbound(trace.shapes, schema, ALLOWED) == []
    assert len(trace.shapes) > 40
    statements = "\n".join(trace.shapes)
    listed = [*(table.name for table in TABLES), *INDEXES]
    assert [name for name in listed if not re.search(rf"\b{name}\b", statements)] == []
