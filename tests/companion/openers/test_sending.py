"""What becomes of an opener that was written: it arrives once, in time, or not at all."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from companion.errors import DeliveryDelayedError, LLMUnavailableError
from companion.events import OutgoingMessage, ReactionReceived, Sender
from tests.support.openers import INTERVIEW, agreed, wait, writes
from tests.support.scripted_llm import ScriptedLLM, sends
from tests.support.world import PLATFORM, a_world

EVENING = datetime(2025, 5, 8, 19, 0, tzinfo=UTC)  # of the interview, 21:00 in Berlin


async def test_an_emoji_put_to_an_opener_is_an_answer_and_one_elsewhere_is_not(
    tmp_path: Path,
) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        await agreed(world, llm)
        llm.will(writes("Good luck!"))
        await wait(world, datetime(2025, 5, 7, 19, 0, tzinfo=UTC))
        person = await world.person()
        await world.db.write(
            lambda tx: tx.execute(
                "INSERT INTO delivered (conversation_id, message, person_id, outbox_id)"
                " SELECT conversation_id, 'm99', person_id, id FROM outbox"
                " WHERE text = 'Good luck!' AND person_id = ?",
                (person,),
            )
        )
        for message, emoji in (("m1", "👎"), ("m99", "❤")):
            await world.happens(
                ReactionReceived(
                    id=f"r{message}",
                    address=world.address("Anna"),
                    sender=Sender(user="Anna", name="Anna"),
                    at=world.clock.now(),
                    message=message,
                    emoji=emoji,
                )
            )
        llm.will(writes("How was it?"))
        await wait(world, EVENING)
    assert "“Good luck!” (they put ❤ to it after " in llm.prompts[-1][-1].text


async def test_no_opener_is_sent_twice_when_its_fate_is_unknown(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    tries: list[str] = []

    async def lose(message: OutgoingMessage) -> None:
        tries.append(message.text)
        raise DeliveryDelayedError("no answer", delay=timedelta(seconds=1), unknown=True)

    async def at_once(_seconds: float) -> None:
        pass

    async with a_world(tmp_path, llm, deliver=False, sleep=at_once) as world:
        world.companion.deliver(PLATFORM, lose)
        await agreed(world, llm)
        llm.will(writes("Good luck!"))
        await wait(world, datetime(2025, 5, 7, 19, 0, tzinfo=UTC))
    assert tries.count("Good luck!") == 1
    assert tries.count("Exciting!") == 2


async def test_what_could_not_be_sent_within_the_hours_is_not_sent_later(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm, deliver=False) as world:
        llm.will(sends("Exciting!"))
        for text in ("/timezone Berlin", "/openers on", INTERVIEW):
            await world.companion.handle(world.message(text))
            await world.companion.quiet()
        llm.will(writes("Good luck!"))
        await wait(world, datetime(2025, 5, 7, 19, 0, tzinfo=UTC))
        assert await world.rows("SELECT state FROM opener") == [("sent",)]
        clock = world.clock
    clock.advance(timedelta(minutes=1))  # 21:01 in Berlin
    async with a_world(tmp_path, llm, clock=clock) as world:
        await world.companion.quiet()
        assert "Good luck!" not in [text for _, text in world.delivered]
        rows = await world.rows("SELECT state FROM outbox WHERE text = 'Good luck!'")
    assert rows == [("refused",)]


async def test_a_turn_that_was_cut_short_happens_once_after_the_start(tmp_path: Path) -> None:
    llm = ScriptedLLM()
    async with a_world(tmp_path, llm) as world:
        await agreed(world, llm)
        await wait(world, datetime(2025, 5, 7, 12, 0, tzinfo=UTC))
        llm.will(LLMUnavailableError("down"))
        await wait(world, datetime(2025, 5, 7, 19, 0, tzinfo=UTC))
        assert await world.rows("SELECT state FROM inbox WHERE kind = 'TimerFired'") == [("begun",)]
        clock = world.clock
    again = ScriptedLLM(writes("Good luck!"))
    clock.advance(timedelta(minutes=-90))
    async with a_world(tmp_path, again, clock=clock) as world:
        await world.companion.quiet()
        await world.pass_time()
        assert [text for _, text in world.delivered] == ["Good luck!"]
    assert len(again.prompts) == 1
