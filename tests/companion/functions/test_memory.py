"""Paging between working context, archival storage and recall storage, as the model sees it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from companion.functions.memory import BESIDES
from companion.llm.protocol import Message
from companion.memory.vectors import Vectorizer
from companion.storage import passages
from tests.support.remembered import TopicEmbedder
from tests.support.scripted_llm import ScriptedLLM, calls, sends
from tests.support.virtual_clock import VirtualClock
from tests.support.world import World, a_world


def results(llm: ScriptedLLM) -> list[str]:
    """What the calls of the last step but one came to."""
    last: list[Message] = llm.prompts[-1]
    return [message.text for message in last if message.role == "tool"]


async def asked(world: World, llm: ScriptedLLM, name: str, **arguments: Any) -> str:
    """What the model gets for one call, made in a turn of its own."""
    llm.will(calls((name, {**arguments, "request_heartbeat": True})), sends("ok"))
    await world.say("go on")
    return results(llm)[-1]


async def test_pages_have_true_totals_invite_the_next_and_end_clearly(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        llm.will(sends("hm"))
        await world.say("hello")
        memory = await world.memory()
        for number in range(23):
            await memory.add(f"cello lesson number {number}")
        pages = [
            await asked(world, llm, "archival_storage_search", query="cello", page=page)
            for page in (1, 2, 5, 9)
        ]
    assert pages[0].startswith("Page 1 of 5, 23 in all:")
    assert pages[0].endswith("For more ask for page 2, with request_heartbeat.")
    assert pages[1].startswith("Page 2 of 5, 23 in all:")
    assert "For more" not in pages[2]
    assert pages[3] == "There is no page 9: 23 in all, 5 pages."


async def test_a_page_that_nearly_fits_is_cut_by_little(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("hm"))
    async with a_world(tmp_path, llm, window=6144) as world:
        await world.say("hello")
        memory = await world.memory()
        for number in range(5):
            await memory.add(f"cello lesson {number}: " + "bow and string " * 60)
        text = await asked(world, llm, "archival_storage_search", query="cello")
    assert world.limits.message * 4 * 0.8 < len(text) <= world.limits.message * 4


async def test_no_hit_stands_on_two_pages(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("hm"))
    async with a_world(tmp_path, llm) as world:
        await world.say("hello")
        memory = await world.memory()
        for number in range(23):
            await memory.add(f"cello lesson number {number}")
        found = [
            hit.id for page in range(5) for hit in (await memory.search("cello", page=page)).items
        ]
    assert len(found) == len(set(found)) == 23


async def test_a_day_range_is_the_whole_of_its_days_in_the_persons_zone(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    clock = VirtualClock(datetime(2025, 5, 4, 14, 59, tzinfo=UTC))
    async with a_world(tmp_path, llm, clock=clock) as world:
        await world.say("/timezone Asia/Tokyo")
        for text in ("the fourth, 23:59", "the fifth, 00:00"):
            llm.will(sends(f"re {text}"))
            await world.say(text)
            clock.advance(timedelta(minutes=1))
        clock.advance(timedelta(hours=23, minutes=58))
        llm.will(sends("re late"))
        await world.say("the fifth, 23:59")
        clock.advance(timedelta(minutes=1))
        llm.will(sends("re sixth"))
        await world.say("the sixth, 00:00")
        text = await asked(
            world, llm, "conversation_search", query="", since="2025-05-05", until="2025-05-05"
        )
    assert "the fifth, 00:00" in text
    assert "the fifth, 23:59" in text
    assert "the fourth" not in text
    assert "the sixth" not in text
    assert "4 in all" in text


async def test_a_hit_is_shown_with_what_stands_around_it_and_how_long_ago_it_was(
    tmp_path: Path,
) -> None:
    llm = ScriptedLLM()
    clock = VirtualClock(datetime(2025, 5, 5, 9, tzinfo=UTC))
    async with a_world(tmp_path, llm, clock=clock) as world:
        for said, answer in (("hi", "Hello."), ("I saw a heron", "Where?"), ("by the pond", "Ah.")):
            llm.will(sends(answer))
            await world.say(said)
            clock.advance(timedelta(minutes=1))
        clock.advance(timedelta(days=22))
        text = await asked(world, llm, "conversation_search", query="heron")
    assert text.splitlines() == [
        "Page 1 of 1, 1 in all:",
        "[Mon 5 May 2025 09:00 UTC, 3 weeks ago]",
        "  Mira: Hello.",
        "> Anna: I saw a heron",
        "  Mira: Where?",
    ]


async def test_what_is_near_in_meaning_alone_stands_below_the_hits(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    embedder = TopicEmbedder("hospital surgery", "rain")
    async with a_world(tmp_path, llm, embedder=embedder) as world:
        for said in ("my surgery is on Monday", *("I like food",) * 12):
            llm.will(sends("hm"))
            await world.say(said)
            world.clock.advance(timedelta(hours=5))
        await Vectorizer(world.db, embedder).run_once()
        text = await asked(world, llm, "conversation_search", query="hospital food")
    above, below = text.split(f"\n{BESIDES}\n")
    assert "I like food" in above
    assert below.startswith(
        "[Mon 5 May 2025 12:00 UTC, 3 days ago] Anna: my surgery is on Monday\n"
    )


async def test_days_in_the_words_are_those_of_the_persons_own_calendar(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    clock = VirtualClock(datetime(2025, 5, 4, 14, 59, tzinfo=UTC))
    async with a_world(tmp_path, llm, clock=clock) as world:
        await world.say("/timezone Asia/Tokyo")
        for said in ("before midnight", "after midnight"):
            llm.will(sends("hm"))
            await world.say(said)
            clock.advance(timedelta(minutes=1))
        clock.advance(timedelta(days=1))
        text = await asked(world, llm, "conversation_search", query="what was said yesterday?")
    assert "> Anna: after midnight" in text
    assert "before midnight" not in text


async def test_words_and_days_narrow_each_other(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        llm.will(sends("a"), sends("b"))
        await world.say("I saw a heron")
        world.clock.advance(timedelta(days=2))
        await world.say("I saw a heron again")
        text = await asked(
            world, llm, "conversation_search", query="heron", since="2025-05-06", until="2025-05-07"
        )
    assert "heron again" in text
    assert "1 in all" in text


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"query": " "}, "Give a query, a since or an until day"),
        ({"query": "x", "since": "yesterday"}, "since is “yesterday”; write a day as YYYY-MM-DD"),
        ({"query": "x", "until": "2025-02-31"}, "until is “2025-02-31”"),
        ({"query": "x", "since": "2025-05-07", "until": "2025-05-05"}, "lies after"),
        ({"query": "x", "until": "9999-12-31"}, "until is “9999-12-31”"),
        ({"query": "x", "page": 0}, "page"),
        ({"query": "x", "user_id": 7}, "“user_id” is not a parameter"),
    ],
)
async def test_a_search_that_makes_no_sense_is_answered_with_what_to_do(
    tmp_path: Path, arguments: dict[str, Any], sentence: str
) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        assert sentence in await asked(world, llm, "conversation_search", **arguments)


@pytest.mark.parametrize(
    "query",
    ["上海", "два", "C++", "a-b", '"quoted', "NEAR(", "%", "_", "🦆", "AND OR NOT", "*", "^x", "'"],
)
async def test_any_query_finds_what_is_there_and_never_fails_or_finds_everything(
    tmp_path: Path, query: str
) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        for text in (f"I wrote {query} here", "nothing of the kind", "else altogether"):
            llm.will(sends("ok"))
            await world.say(text)
            world.clock.advance(timedelta(days=1))
        text = await asked(world, llm, "conversation_search", query=query)
    assert "Error" not in text
    assert "nothing of the kind" not in text
    if any(character.isalnum() for character in query):
        assert f"I wrote {query} here" in text


async def test_what_the_companion_said_is_found_and_searches_and_alerts_are_not(
    tmp_path: Path,
) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        llm.will(sends("A heron is a grey bird."))
        await world.say("What is that?")
        first = await asked(world, llm, "conversation_search", query="heron")
        second = await asked(world, llm, "conversation_search", query="heron")
    assert "Mira: A heron is a grey bird." in first
    assert "1 in all" in first
    assert first == second


async def test_a_note_that_is_kept_already_is_not_kept_again(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        once = await asked(world, llm, "archival_storage_insert", text="Likes herons.")
        again = await asked(world, llm, "archival_storage_insert", text=" Likes herons. ")
        memory = await world.memory()
        notes = await world.db.read(lambda tx: passages.count(tx, memory.person))
    assert once == "Kept in archival storage as note 1."
    assert again.startswith("Archival storage says that already, in note 1 of ")
    assert notes == 1


async def test_an_edit_says_how_much_room_is_left(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        text = await asked(world, llm, "working_context_append", text="Likes herons.")
    assert text.startswith("Appended. The working context has ")
    assert "of 4000 characters" in text


async def test_of_very_long_hits_each_is_seen_with_what_was_looked_for(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm, window=4096) as world:
        llm.will(sends("hm"))
        await world.say("hello")
        memory = await world.memory()
        for number in range(5):
            await memory.add("lorem " * 5000 + f"heron {number} " + "ipsum " * 5000)
        text = await asked(world, llm, "archival_storage_search", query="heron")
    assert "Page 1 of 1, 5 in all:" in text
    assert all(f"heron {number}" in text for number in range(5))
    assert "not shown here" not in text


async def test_what_stands_in_the_middle_of_a_long_text_can_be_read(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("hm"))
    async with a_world(tmp_path, llm) as world:
        await world.say("lorem " * 3000 + "the heron is called Tolstoy " + "ipsum " * 3000)
        text = await asked(world, llm, "conversation_search", query="name of the heron")
    assert "the heron is called Tolstoy" in text
