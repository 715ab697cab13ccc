"""One person on two apps: nothing is lost, nobody else gets in, and it can be undone."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from companion.embedders.wordllama import WordLlama
from companion.events import Address
from companion.llm.protocol import Message, Reply
from companion.memory.vectors import Vectorizer
from companion.storage import people, schedule
from companion.storage.database import Tx
from companion.storage.people import Place
from companion.storage.personal import TABLES
from companion.storage.vector_blocks import likeness
from companion.timed.recurrence import Rule
from tests.support.person_binding import Schema
from tests.support.scripted_llm import ScriptedLLM, calls, sends
from tests.support.two_apps import HERE, THERE, TwoApps, on_two_apps

UNKNOWN = "I made no such code"


def echo(messages: Sequence[Message]) -> Reply:
    return sends(messages[-2].text.rpartition(": ")[2])


async def test_two_accounts_become_one_person_when_both_agree(tmp_path: Path) -> None:
    llm = ScriptedLLM(echo)
    async with on_two_apps(tmp_path, llm) as apps:
        await apps.say(HERE, "I play the cello")
        await apps.say(THERE, "My dog is called Rex")
        await apps.say(HERE, "/remember Lives in Berlin")
        apps.world.clock.advance(timedelta(days=3))
        await apps.say(THERE, "/remember Lives in Porto")
        await apps.say(THERE, "/remember Likes pears")

        code = await apps.code()
        (first,) = await apps.say(THERE, f"/link {code}")
        assert "one with Anna on here" in first
        assert "2 messages, 0 notes and 2 lines" in first
        assert "Berlin" not in first
        (second,) = await apps.say(THERE, "/link yes")
        assert "agree on here" in second
        asked = apps.last(HERE)
        assert (
            "Lives in Berlin (kept on 2025-05-05)\n  and Lives in Porto (kept on 2025-05-08)"
            in (asked)
        )
        assert await apps.world.rows("SELECT COUNT(*) FROM person") == [(2,)]

        (done,) = await apps.say(HERE, "/link yes")
        assert done.startswith("You are one person to me now: 2 messages")
        assert apps.last(THERE) == done
        assert await apps.world.rows("SELECT COUNT(*) FROM person") == [(1,)]
        text = await (await apps.memory(THERE)).working_context()
        for line in ("Lives in Berlin (kept on", "Lives in Porto (kept on", "Likes pears"):
            assert text.count(line) == 1
        found = await (await apps.memory(HERE)).search_messages("dog")
        assert "My dog is called Rex" in [hit.said for hit in found.items]
        assert await apps.say(THERE, "hello again") == ["hello again"]
        prompt = "\n".join(message.text for message in llm.prompts[-1])
        for said in ("I play the cello", "My dog is called Rex", "Likes pears", "hello again"):
            assert said in prompt


async def test_a_code_is_good_once_for_one_and_for_an_hour(tmp_path: Path) -> None:
    async with on_two_apps(tmp_path, ScriptedLLM(echo)) as apps:
        await apps.say(THERE, "hi")
        await apps.say(THERE, "hi", "eve")
        code = await apps.code()
        assert "from this very account" in (await apps.say(HERE, f"/link {code}"))[0]
        assert "To me with" not in (await apps.say(THERE, f"/link {code.lower()}"))[0]
        assert UNKNOWN in (await apps.say(THERE, f"/link {code}", "eve"))[0]
        apps.world.clock.advance(timedelta(hours=1))
        assert "nothing to agree" in (await apps.say(THERE, "/link yes"))[0]
        assert "older than an hour" in (await apps.say(THERE, f"/link {code}"))[0]
        await apps.link()
        assert await apps.world.rows("SELECT COUNT(*) FROM link") == [(0,)]
        assert UNKNOWN in (await apps.say(THERE, f"/link {code}", "eve"))[0]


async def test_five_guesses_lock_who_guesses_and_nobody_else(tmp_path: Path) -> None:
    async with on_two_apps(tmp_path, ScriptedLLM(echo)) as apps:
        code = await apps.code()
        for _ in range(5):
            assert UNKNOWN in (await apps.say(THERE, "/link AAAA-AAAA", "eve"))[0]
        assert "wait for an hour" in (await apps.say(THERE, f"/link {code}", "eve"))[0]
        assert "/link yes" in (await apps.say(THERE, f"/link {code}"))[0]
        apps.world.clock.advance(timedelta(hours=1))
        code = await apps.code()
        assert "/link yes" in (await apps.say(THERE, f"/link {code}", "eve"))[0]


async def test_nothing_is_linked_without_both(tmp_path: Path) -> None:
    async with on_two_apps(tmp_path, ScriptedLLM(echo)) as apps:
        code = await apps.code()
        assert "nothing to agree" in (await apps.say(HERE, "/link yes"))[0]
        await apps.say(THERE, f"/link {code}")
        assert "have not agreed yet" in (await apps.say(HERE, "/link yes"))[0]
        await apps.say(THERE, "/link yes")
        assert await apps.say(HERE, "/link no") == ["Nothing is linked."]
        assert "turned down" in apps.last(THERE)
        assert "nothing to agree" in (await apps.say(HERE, "/link yes"))[0]
        assert await apps.world.rows("SELECT COUNT(*) FROM person") == [(2,)]


async def test_two_accounts_on_one_app_are_not_linked(tmp_path: Path) -> None:
    async with on_two_apps(tmp_path, ScriptedLLM(echo)) as apps:
        code = await apps.code()
        assert (
            "an account on here on both sides" in (await apps.say(HERE, f"/link {code}", "eve"))[0]
        )


async def test_what_has_no_room_in_mind_is_kept_as_notes(tmp_path: Path) -> None:
    async with on_two_apps(tmp_path, ScriptedLLM(echo)) as apps:
        for app in (HERE, THERE):
            await apps.say(app, "hi")
            memory = await apps.memory(app)
            for number in range(20):
                await memory.append(f"{app} {number}: " + "word " * 30)
        await apps.link()
        memory = await apps.memory(HERE)
        text = await memory.working_context()
        assert len(text) <= 4000
        notes = [str(row[0]) for row in await apps.world.rows("SELECT text FROM passage")]
        kept = [*text.splitlines(), *notes]
        for app in (HERE, THERE):
            for number in range(20):
                assert sum(line.startswith(f"{app} {number}: ") for line in kept) == 1


async def test_every_personal_table_goes_along_and_nothing_stays_behind(tmp_path: Path) -> None:
    async with on_two_apps(tmp_path, ScriptedLLM(echo)) as apps:
        for app in (HERE, THERE):
            await apps.say(app, "hi")
            await (await apps.memory(app)).add(f"A note of {app}.")
        schema = await apps.world.db.read(Schema.of)
        listed = {one.name for one in TABLES} - {"person"}
        assert listed == {name for name in schema.personal if name not in schema.full_text}
        before = await counts(apps)
        await apps.link()
        after = await counts(apps)
        (person,) = await apps.world.rows("SELECT id FROM person")
        for name in sorted(listed):
            owners = await apps.world.rows(f"SELECT DISTINCT person_id FROM {name}")
            assert owners in ([], [person]), name
        assert {name for name in before if after[name] < before[name]} <= {"usage"}
        (usage,) = await apps.world.rows("SELECT requests, prompt_tokens FROM usage")
        assert usage == (2, 200)


async def counts(apps: TwoApps) -> dict[str, int]:
    found = {}
    for one in TABLES:
        if one.name != "person":
            ((number,),) = await apps.world.rows(f"SELECT COUNT(*) FROM {one.name}")
            assert isinstance(number, int)
            found[one.name] = number
    return found


async def test_vectors_go_along_and_come_back(tmp_path: Path) -> None:
    embedder = WordLlama()
    async with on_two_apps(tmp_path, ScriptedLLM(echo), embedder=embedder) as apps:
        vectors = Vectorizer(apps.world.db, embedder)
        (query,) = await embedder.embed(["dogs"])

        async def with_vectors(app: str) -> set[str]:
            person = (await apps.memory(app)).person
            ids, _ = await apps.world.db.read(
                lambda tx: likeness(tx, "message", person=person, model=1, query=query)
            )
            said = await apps.world.rows("SELECT id, said FROM message WHERE speaker <> 'Mira'")
            return {str(text) for number, text in said if number in ids.tolist()}

        await apps.say(HERE, "I adore my small puppy")
        await apps.say(THERE, "The violin concert was loud")
        await vectors.run_once()
        await apps.say(THERE, "Nobody has read this yet")
        await apps.link()
        await vectors.run_once()
        theirs = {"The violin concert was loud", "Nobody has read this yet"}
        assert await with_vectors(HERE) == {"I adore my small puppy", *theirs}
        await apps.say(HERE, f"/unlink yes {THERE}")
        await vectors.run_once()
        assert await with_vectors(HERE) == {"I adore my small puppy"}
        assert await with_vectors(THERE) == theirs
        assert await apps.world.rows("SELECT COUNT(*) FROM unembedded") == [(0,)]


async def test_unlinked_accounts_have_what_was_said_there_and_what_they_brought(
    tmp_path: Path,
) -> None:
    llm = ScriptedLLM(echo)
    async with on_two_apps(tmp_path, llm) as apps:
        await apps.say(HERE, "I play the cello")
        await apps.say(HERE, "/remember Lives in Berlin")
        await apps.say(THERE, "/remember Likes pears")
        await apps.link()
        await apps.say(THERE, "My dog is called Rex")
        await apps.say(HERE, "/remember Works at night")
        (sure,) = await apps.say(HERE, f"/unlink {THERE}")
        assert "/unlink yes there" in sure
        (done,) = await apps.say(HERE, f"/unlink yes {THERE}")
        assert "as it was on Mon 5 May 2025" in done
        theirs = await apps.memory(THERE)
        text = await theirs.working_context()
        assert "Likes pears" in text
        assert "Berlin" not in text
        assert "Works at night" not in text
        assert "My dog is called Rex" in [
            hit.said for hit in (await theirs.search_messages("dog")).items
        ]
        assert not (await theirs.search_messages("cello")).items
        mine = await apps.memory(HERE)
        assert not (await mine.search_messages("Rex")).items
        assert "Works at night" in await mine.working_context()
        assert await apps.say(THERE, "and now?") == ["and now?"]
        assert "cello" not in str(llm.prompts[-1])
        assert "You have only this account" in (await apps.say(THERE, "/unlink"))[0]


async def test_reminders_arrive_where_the_person_wrote_last_and_go_back_when_parted(
    tmp_path: Path,
) -> None:
    async with on_two_apps(tmp_path, ScriptedLLM(echo)) as apps:
        await apps.link()
        clock, person = apps.world.clock, (await apps.memory(HERE)).person
        asked = (await apps.world.rows("SELECT id FROM inbox WHERE source = 'there'"))[0][0]
        assert isinstance(asked, int)
        at = clock.now() + timedelta(days=1)

        def remind(tx: Tx) -> None:
            there = people.at(tx, Address(platform=THERE, chat="anna"))
            assert there is not None
            schedule.add(
                tx,
                Place(there.id, person, there.address),
                purpose="reminder",
                text="dentist",
                rule=Rule(repeats="once", at=at),
                due_at=at,
                now=clock.now(),
                event=asked,
            )

        where = (
            "SELECT platform FROM schedule JOIN conversation"
            " ON conversation.id = schedule.conversation_id"
        )
        await apps.world.db.write(remind)
        assert await apps.world.rows(where) == [(THERE,)]
        await apps.say(HERE, "hello")
        assert await apps.world.rows(where) == [(HERE,)]
        await apps.say(HERE, f"/unlink yes {THERE}")
        assert await apps.world.rows(where) == [(THERE,)]
        owner = await apps.world.rows("SELECT person_id FROM schedule")
        assert owner == [((await apps.memory(THERE)).person,)]


async def test_no_note_is_past_in_favour_of_one_that_went_with_the_other_account(
    tmp_path: Path,
) -> None:
    shanghai, berlin = "Anna lives in Shanghai.", "Anna lives in Berlin."

    def keeping(messages: Sequence[Message]) -> Reply:
        text = next((one for one in (berlin, shanghai) if one in messages[-2].text), "")
        said = ("send_message", {"message": "ok"})
        return calls(("archival_storage_insert", {"text": text}), said) if text else calls(said)

    async with on_two_apps(tmp_path, ScriptedLLM(keeping)) as apps:
        await apps.say(HERE, shanghai)
        await apps.say(THERE, "hi")
        await apps.link()
        await apps.say(THERE, berlin)
        tied = "SELECT until IS NULL, superseded_by IS NULL FROM passage ORDER BY id"
        assert await apps.world.rows(tied) == [(0, 0), (1, 1)]
        await apps.say(HERE, f"/unlink yes {THERE}")
        assert await apps.world.rows(tied) == [(0, 1), (1, 1)]
        (hit,) = (await (await apps.memory(HERE)).search("Anna lives")).items
        assert (hit.text, hit.now) == (shanghai, None)


async def test_unlink_says_what_to_write(tmp_path: Path) -> None:
    async with on_two_apps(tmp_path, ScriptedLLM(echo)) as apps:
        await apps.link()
        assert (await apps.say(HERE, "/unlink"))[0].endswith("/unlink there")
        assert "from another one of yours" in (await apps.say(HERE, "/unlink here"))[0]


async def test_who_is_being_answered_while_they_are_linked_is_answered_once(
    tmp_path: Path,
) -> None:
    may_answer, thinking = asyncio.Event(), asyncio.Event()

    class SlowLLM(ScriptedLLM):
        async def complete(self, messages: Sequence[Message], *more: Any, **named: Any) -> Reply:
            if messages[-2].text.endswith("think"):
                thinking.set()
                await may_answer.wait()
            return await super().complete(messages, *more, **named)

    async with on_two_apps(tmp_path, SlowLLM(echo)) as apps:
        await apps.say(THERE, f"/link {await apps.code()}")
        await apps.say(THERE, "/link yes")
        slow = asyncio.create_task(apps.say(THERE, "think"))
        await thinking.wait()
        waiting = asyncio.create_task(apps.say(THERE, "and more"))
        linking = asyncio.create_task(apps.say(HERE, "/link yes"))
        await asyncio.sleep(0)
        may_answer.set()
        await asyncio.gather(slow, waiting, linking)
        texts = [text for app, _, text in apps.read if app == THERE]
        assert texts.count("think") == texts.count("and more") == 1
        assert await apps.world.rows("SELECT COUNT(*) FROM person") == [(1,)]
        states = await apps.world.rows("SELECT DISTINCT state FROM inbox")
        assert states == [("done",)]
        assert await apps.world.rows("SELECT DISTINCT state FROM outbox") == [("sent",)]


@pytest.mark.parametrize("command", ["/link", "/unlink"])
async def test_that_is_for_private_chats(tmp_path: Path, command: str) -> None:
    async with on_two_apps(tmp_path, ScriptedLLM()) as apps:
        event = apps.world.message(command, group="club")
        assert "in private" in (await apps.world.happens(event))[0]
