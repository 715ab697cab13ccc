"""A turn that was cut off goes on where the journal ends."""

from pathlib import Path

from companion.storage import search_index
from companion.storage.database import Tx
from companion.turns.agent import NOTED
from tests.support.scripted_llm import ScriptedLLM, calls
from tests.support.world import World, a_world


def takes_a_note(text: str) -> tuple[str, dict[str, str]]:
    return "working_context_append", {"text": text}


async def cut_off(world: World, *, after_calls: int) -> None:
    """Bring the database to where it was after so many calls of its one turn."""

    def work(tx: Tx) -> None:
        done = tx.execute("SELECT step_id, number FROM tool_done ORDER BY step_id, number")
        for step, number in done.fetchall()[after_calls:]:
            tx.execute("DELETE FROM tool_done WHERE step_id = ? AND number = ?", (step, number))
            tx.execute("DELETE FROM message WHERE id = (SELECT MAX(id) FROM message)")
            tx.execute(
                "DELETE FROM working_context WHERE id = (SELECT MAX(id) FROM working_context)"
            )
        tx.execute("UPDATE inbox SET state = 'begun'")

    await world.db.write(work)


async def test_a_step_that_an_alert_brought_is_carried_out_to_its_end(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        calls(takes_a_note("Anna has a cat.")),
        calls(("send_message", {"message": "A cat!"}), takes_a_note("It is called Momo.")),
    )
    async with a_world(tmp_path, llm) as world:
        assert await world.say("I have a cat, Momo") == ["A cat!"]
        await cut_off(world, after_calls=2)

    async with a_world(tmp_path, ScriptedLLM()) as world:
        await world.companion.quiet()
        assert "It is called Momo." in await (await world.memory()).working_context()
        assert world.delivered == []


async def test_who_was_to_be_told_that_a_note_was_made_is_told_so(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        calls(takes_a_note("Anna has a cat.")), calls(takes_a_note("It is called Momo."))
    )
    async with a_world(tmp_path, llm, deliver=False) as world:
        await world.say("I have a cat, Momo")
        await world.db.write(without_the_notice)

    async with a_world(tmp_path, ScriptedLLM()) as world:
        await world.companion.quiet()
        assert [text for _, text in world.delivered] == [NOTED]


def without_the_notice(tx: Tx) -> None:
    """Bring the database to where it was before the companion said something of its own."""
    tx.execute("DELETE FROM tool_done WHERE step_id = (SELECT MAX(id) FROM step)")
    tx.execute("DELETE FROM step WHERE id = (SELECT MAX(id) FROM step)")
    tx.execute("DELETE FROM outbox")
    answer, result = tx.execute("SELECT id FROM message ORDER BY id DESC LIMIT 2").fetchall()[::-1]
    search_index.remove_message(tx, person=1, message=result[0])
    tx.execute("DELETE FROM message WHERE id IN (?, ?)", (*answer, *result))
    tx.execute("UPDATE inbox SET state = 'begun'")
