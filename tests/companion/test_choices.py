"""Buttons by which a person chooses: what a platform is given for them, and gets back."""

from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.choices import Reference, references
from companion.events import Address, Choice, OutgoingMessage
from companion.storage import outbox
from tests.support.scripted_llm import ScriptedLLM
from tests.support.world import PLATFORM, World, a_world

ANNA = Address(platform=PLATFORM, chat="Anna")
CHOICES = st.lists(
    st.builds(Choice, label=st.text(min_size=1).filter(str.strip), words=st.text()),
    min_size=1,
    max_size=25,
)


def message(choices: tuple[Choice, ...], number: int = 1) -> OutgoingMessage:
    return OutgoingMessage(id=number, address=ANNA, text="Well?", choices=choices)


@given(CHOICES, st.integers(min_value=1, max_value=2**53))
def test_a_reference_fits_into_a_button_and_leads_back_to_its_choice(
    choices: list[Choice], number: int
) -> None:
    asked = message(tuple(choices), number)
    for (label, reference), choice in zip(references(asked), choices, strict=True):
        assert label == choice.label
        assert len(str(reference).encode()) <= 64
        read = Reference.read(str(reference))
        assert read == reference
        assert read.among(choices) == choice


@given(st.text())
def test_what_is_no_reference_is_not_read_as_one(written: str) -> None:
    assert Reference.read(written) is None


def test_a_reference_fits_no_other_choice_that_stands_in_its_place() -> None:
    (_, reference) = references(message((Choice(label="Yes", words="/forget yes tea"),)))[0]
    assert reference.among([Choice(label="Yes", words="/erase yes")]) is None
    assert reference.among([]) is None


def test_a_button_needs_a_label() -> None:
    with pytest.raises(ValueError, match="label"):
        Choice(label=" ", words="/undo")


async def asked_to_forget(world: World) -> list[Reference]:
    """The buttons below the question whether to forget something."""
    await world.say("/remember I hate hazelnuts")
    (text,) = await world.say("/forget hazelnuts")
    assert "/forget yes hazelnuts" in text
    rows = await world.rows("SELECT MAX(id) FROM outbox")
    choices = (
        Choice(label="Forget it", words="/forget yes hazelnuts"),
        Choice(label="Keep it", words=""),
    )
    return [reference for _, reference in references(message(choices, int(str(rows[0][0]))))]


async def test_the_question_whether_to_forget_has_two_buttons(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        yes, no = await asked_to_forget(world)
        chosen = [await world.companion.platforms.chosen(ANNA, one) for one in (yes, no)]
    assert [one.words for one in chosen if one] == ["/forget yes hazelnuts", ""]


async def test_a_question_was_not_asked_in_another_chat(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        yes, _ = await asked_to_forget(world)
        elsewhere = Address(platform=PLATFORM, chat="Ben")
        assert await world.companion.platforms.chosen(elsewhere, yes) is None


async def test_a_question_is_over_after_three_days(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        yes, _ = await asked_to_forget(world)
        world.clock.advance(timedelta(days=3))
        assert await world.companion.platforms.chosen(ANNA, yes) is not None
        world.clock.advance(timedelta(seconds=1))
        assert await world.companion.platforms.chosen(ANNA, yes) is None


async def test_the_buttons_of_a_message_that_waits_are_there_after_a_restart(
    tmp_path: Path,
) -> None:
    async with a_world(tmp_path, ScriptedLLM(), deliver=False) as world:
        await world.say("/remember I hate hazelnuts")
        await world.say("/forget hazelnuts")
        waiting = await world.db.read(outbox.open_items)
    assert [choice.label for choice in waiting[-1].message.choices] == ["Forget it", "Keep it"]
    assert waiting[0].message.choices == ()
