"""People with a word of their own in everything that is kept of them."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from companion.events import Author, FileReceived, ReactionReceived, Sender
from companion.home import Home
from companion.llm.protocol import Message, Reply
from companion.storage.backup import back_up
from tests.support.scripted_llm import ScriptedLLM, calls, says, sends
from tests.support.world import World, a_world

CANARY = "zanzibarquokka"
OTHER = "patagoniapudu"
WORD_OF = {"Anna": CANARY, "Ben": OTHER}


def keeping(messages: Sequence[Message]) -> Reply:
    """A model that keeps the word of each message everywhere it can."""
    said = messages[-2].text
    for word in WORD_OF.values():
        if f"{word}!" in said:
            return calls(
                ("working_context_append", {"text": f"Loves the {word}."}),
                ("archival_storage_insert", {"text": f"The {word} came up, with {len(said)}."}),
                ("conversation_search", {"query": word}),
                ("send_message", {"message": f"Ah, the {word}."}),
            )
    return sends(f"Hm. {len(messages)} " + "la " * 40)


def summing_up(messages: Sequence[Message]) -> Reply:
    """A summary with the words that it is about."""
    return says(" ".join(word for word in WORD_OF.values() if word in messages[-1].text))


async def talk(world: World, name: str) -> None:
    """`name` says their word, in private and in a group, until some of it is summed up."""
    word = WORD_OF[name]
    await world.say(f"The {word}!", name)
    await world.say(f"/remember {word} in spring", name)
    await world.say(f"/search {word}", name)
    said = world.message(f"The {word}!", name, group="club")
    await world.happens(replace(said, message=f"said by {name}"))
    for plan in (f"in 3 hours feed the {word}", f"in 9 days ask the {word} again"):
        await world.say(f"/reminders {plan}", name)
        await world.happens(world.message(f"/reminders {plan}", name, group="club"))
    await world.happens(
        FileReceived(
            id=f"file of {name}",
            address=world.address(name),
            sender=Sender(user=name, name=f"{name} {word}"),
            at=world.clock.now(),
            name=f"{word}.txt",
            media_type="text/plain",
            size=5,
            text=f"All about the {word}",
        )
    )
    for _ in range(16):
        await world.say(f"{word} " + "word " * 90, name)
    await world.companion.platforms.unreadable(
        "test", f"dead letter of {name}", user=name, body=word, error="broken"
    )


async def quote(world: World, whose: str, by: str) -> None:
    """In the group somebody replies to what `whose` said, passes it on, and reacts to it."""
    word, author = WORD_OF[whose], Author(user=whose, name=whose)
    reply = world.message("So true", by, group="club")
    await world.happens(replace(reply, answers=f"The {word}!", answered=author))
    passed_on = world.message(f"The {word}!", by, group="club")
    await world.happens(replace(passed_on, forwarded=author))
    await world.happens(
        ReactionReceived(
            id=f"reaction of {by}",
            address=reply.address,
            sender=reply.sender,
            at=reply.at,
            message=f"said by {whose}",
            emoji="👍",
        )
    )


@asynccontextmanager
async def living(folder: Path) -> AsyncIterator[World]:
    """A world in which Anna and Ben talked, with all kinds of files in its home."""
    home = Home(folder)
    llm = ScriptedLLM(keeping, summary=summing_up)
    async with a_world(folder, llm, window=4096) as world:
        await talk(world, "Anna")
        back_up(home.database, folder / "companion.before-update-20250101T000000Z-v1.db")
        await talk(world, "Ben")
        await quote(world, "Anna", by="Ben")
        await world.pass_time(timedelta(hours=3))
        for name in WORD_OF:
            number = await world.person(name)
            _put(home.attachments_of(number) / "photo.txt", WORD_OF[name])
            _put(home.typed_by("test", name), WORD_OF[name])
        _put(home.log, f"2025-05-05 DEBUG prompt: {CANARY}\n")
        world.clock.advance(timedelta(minutes=1))
        yield world


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def holding(home: Path, word: str) -> set[str]:
    """The files below `home` in whose bytes `word` stands, in whatever case."""
    wanted = word.encode().lower()
    files = (file for file in home.rglob("*") if file.is_file())
    return {str(f.relative_to(home)) for f in files if wanted in f.read_bytes().lower()}
