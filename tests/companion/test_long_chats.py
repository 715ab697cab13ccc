"""Real conversations of months, told to the agent at a window of 8k tokens."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from companion.embedders.wordllama import WordLlama
from companion.evaluation.chats import Chat, Turn, read_chats
from companion.llm.protocol import Message, Reply
from companion.llm.tokens import ModelTokenCounter
from companion.memory.vectors import Vectorizer
from tests.support.scripted_llm import ScriptedLLM, calls, says
from tests.support.virtual_clock import VirtualClock
from tests.support.world import World, a_world

DATA = Path(os.environ.get("COMPANION_TEST_DATA", "../shared/data")) / "locomo_dev.json"
WINDOW = 8192

pytestmark = pytest.mark.skipif(
    not DATA.is_file(), reason=f"needs LoCoMo at {DATA}; set COMPANION_TEST_DATA to its folder"
)


class Retold:
    """One chat: the first speaker is the person, the other's turns are what the model says."""

    def __init__(self, chat: Chat) -> None:
        self.person = chat.turns[0].speaker
        self._answers: list[Turn] = []
        self._exchanges: list[tuple[Turn, list[Turn]]] = []
        for turn in chat.turns:
            if turn.speaker == self.person or not self._exchanges:
                self._exchanges.append((turn, []))
            else:
                self._exchanges[-1][1].append(turn)

    def answer(self, messages: Sequence[Message]) -> Reply:
        if messages[-2].text.startswith("[system alert]"):
            return says("Nothing to save.")
        return calls(*(("send_message", {"message": turn.said}) for turn in self._answers))

    async def tell(self, world: World, clock: VirtualClock) -> None:
        for turn, answers in self._exchanges:
            clock.advance(turn.said_at - clock.now())
            self._answers = answers or [Turn("", "", f"Go on, {turn.id}.", turn.said_at)]
            heard = await world.say(turn.said.strip(), self.person)
            assert heard == list(dict.fromkeys(answer.said.strip() for answer in self._answers))


@pytest.mark.parametrize("number", [0, 3])
async def test_a_chat_of_months_fits_loses_nothing_and_is_found_again(
    tmp_path: Path, number: int
) -> None:
    chat = read_chats(DATA)[number]
    retold = Retold(chat)
    llm = ScriptedLLM(retold.answer)
    counter = ModelTokenCounter("gpt-4o")
    clock = VirtualClock(chat.turns[0].said_at)
    embedder = WordLlama()
    async with a_world(
        tmp_path, llm, window=WINDOW, clock=clock, counter=counter, embedder=embedder
    ) as world:
        await retold.tell(world, clock)
        await Vectorizer(world.db, embedder).run_once()
        rows = await world.rows("SELECT said FROM message WHERE said <> '' ORDER BY id")
        found = await share_found(world, chat, retold.person)
    assert {str(row[0]) for row in rows} >= {turn.said.strip() for turn in chat.turns}
    assert max(sum(map(counter.message, prompt)) for prompt in llm.prompts) <= WINDOW
    assert len(llm.summaries) > len(chat.turns) * 30 // WINDOW
    assert found > 0.6


async def share_found(world: World, chat: Chat, person: str) -> float:
    """The share of the questions of which a turn that answers is among the first ten hits."""
    memory = await world.memory(person)
    said = {turn.id: turn.said.strip() for turn in chat.turns}
    hits = 0
    for question in chat.questions:
        found = [
            hit.said
            for page in (0, 1)
            for hit in (await memory.search_messages(question.text, page=page)).items
        ]
        hits += any(said[evidence] in found for evidence in question.evidence)
    return hits / len(chat.questions)
