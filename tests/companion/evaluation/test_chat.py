import json
from pathlib import Path

from companion.clock import SystemClock
from companion.evaluation.chat import (
    Heard,
    Line,
    Script,
    hold,
    holds,
    is_invented,
    judged,
    shipped_script,
)
from companion.settings import ModelSettings, Settings
from tests.support.folders import names
from tests.support.model_refusals import Asked
from tests.support.model_server import Answer, ModelServer, calls, says

SCRIPT = Script(
    "Anna",
    2,
    (
        Line("My dog is called Bruno.", needles=("bruno",)),
        Line("My car is a green Volvo.", needles=("volvo|saab", "green")),
        Line("What is my dog called?", recall=("bruno",)),
        Line("What is my car?", recall=("volvo",)),
    ),
)


def test_the_shipped_chat_has_ten_facts_before_the_wipe_and_seven_questions_after() -> None:
    script = shipped_script()
    before, after = script.lines[: script.wipe_after], script.lines[script.wipe_after :]
    assert len(script.lines) == 31
    assert sum(bool(line.needles) for line in before) == 10
    assert [bool(line.recall) for line in after] == [True] * 7


async def test_a_chat_is_held_with_the_real_agent_and_judged() -> None:
    def answer(asked: Asked) -> Answer:
        last = [str(message["content"]) for message in asked["messages"]][-2]
        if "tools" not in asked:
            return says("They talked.")
        if "Bruno" in last:
            return calls(
                working_context_append={"text": "Anna's dog is called Bruno"},
                send_message={"message": "Woof!"},
            )
        known = "Bruno" in asked["messages"][0]["content"]
        return calls(send_message={"message": "Bruno!" if known else "I don't know."})

    async with ModelServer(answer) as server:
        settings = Settings(models=(ModelSettings(name="gpt-4o", base_url=server.base_url),))
        heard: list[Heard] = []
        outcome = await hold(SCRIPT, settings, {}, SystemClock(), heard.append)
        assert len(server.requests) == 4
        assert "My dog" not in json.dumps(server.requests[-1])  # the queue was emptied
    assert [turn.answer for turn in heard] == ["Woof!", "I don't know.", "Bruno!", "Bruno!"]
    assert outcome.lost == ("My car is a green Volvo.",)
    assert (outcome.kept, outcome.facts, outcome.recalled, outcome.asked) == (1, 2, 1, 2)
    assert outcome.invented == ()


def test_a_fact_is_kept_when_all_of_it_stands_in_the_working_context() -> None:
    context = "## Persona\nMira has a volvo\n\n## Person\nAnna drives a green Saab\n"
    outcome = judged(SCRIPT, (), context)
    assert outcome.lines == ("Anna drives a green Saab",)
    assert outcome.lost == ("My dog is called Bruno.",)


def test_parts_are_found_in_any_case_and_by_either_word() -> None:
    assert holds("Her birthday: 14 MARCH", ("14 march|march 14",))
    assert not holds("Her birthday: 15 March", ("14 march|march 14", "birthday"))


def test_a_name_a_number_or_a_sentence_that_nobody_said_is_invented() -> None:
    said = "My dog is called Bruno. I work as a nurse since 2010."
    assert not is_invented("Anna works as a nurse since 2010", said, "Anna")
    assert not is_invented("Anna's dog is called Bruno (said Mon 5 May 2025)", said, "Anna")
    assert is_invented("Anna's dog is called Max", said, "Anna")
    assert is_invented("Anna works as a nurse since 2011", said, "Anna")
    assert is_invented("Anna enjoys baking wonderful bread", said, "Anna")


async def test_the_home_of_a_chat_is_gone_afterwards(tmp_path: Path) -> None:
    async with ModelServer(lambda asked: says("Hello.")) as server:
        settings = Settings(models=(ModelSettings(name="gpt-4o", base_url=server.base_url),))
        environ = {"COMPANION_HOME": str(tmp_path)}
        await hold(Script("Anna", 1, SCRIPT.lines[:1]), settings, environ, SystemClock())
    assert names(tmp_path) == []
