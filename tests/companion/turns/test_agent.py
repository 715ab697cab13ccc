"""One event in; steps until the model yields."""

import json
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from companion.events import PersonStarted, ReactionReceived, Sender
from companion.functions.executor import MOST_CALLS
from companion.llm.protocol import Message, Reply
from companion.turns.agent import FALLBACK, LOOPING, NOTED, UNANSWERED
from tests.support.scripted_llm import ScriptedLLM, calls, says, sends
from tests.support.world import a_world


async def test_a_message_is_answered_by_what_send_message_says(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(sends("Hello Anna!"))) as world:
        assert await world.say("Hi") == ["Hello Anna!"]


async def test_plain_text_is_an_answer(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(says("Hello!"))) as world:
        assert await world.say("Hi") == ["Hello!"]


async def test_the_prompt_is_instructions_and_working_context_then_the_queue_then_the_status(
    tmp_path: Path,
) -> None:
    llm = ScriptedLLM(sends("One"), sends("Two"))
    async with a_world(tmp_path, llm) as world:
        await world.say("first")
        await world.say("second")
    roles = [message.role for message in llm.prompts[1]]
    assert roles == ["system", "user", "assistant", "tool", "user", "user"]
    system, *_rest, event, status = llm.prompts[1]
    assert "You are Mira, warm and plain." in system.text
    assert event.text == "[Mon 5 May 2025 12:00 UTC, test] Anna: second"
    assert status.text.startswith("[status] Mon 5 May 2025 12:00 UTC.")


async def test_a_heartbeat_returns_control_at_once(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        calls(("working_context_append", {"text": "Anna has a cat.", "request_heartbeat": True})),
        sends("I'll remember your cat."),
    )
    async with a_world(tmp_path, llm) as world:
        assert await world.say("I have a cat") == ["I'll remember your cat."]
        assert "Anna has a cat." in await (await world.memory()).working_context()


async def test_without_a_heartbeat_the_turn_yields(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Hello!"), sends("never"))
    async with a_world(tmp_path, llm) as world:
        assert await world.say("Hi") == ["Hello!"]
    assert len(llm.prompts) == 1


async def test_a_wrong_call_is_explained_and_brings_another_step(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        calls(("send_message", {"text": "Hi"})),
        calls(("send_message", {"message": 7})),
        calls(("send_message", {})),
        sends("Hello!"),
    )
    async with a_world(tmp_path, llm) as world:
        assert await world.say("Hi") == ["Hello!"]
    told = [message.text for message in llm.prompts[-1] if message.role == "tool"]
    assert "“text” is not a parameter" in told[0]
    assert "“message”" in told[1]
    assert "“message” is missing" in told[2]
    assert "Its parameters are: request_heartbeat, message" in told[2]


async def test_of_three_calls_two_run_and_the_unknown_one_is_answered(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        calls(
            ("send_message", {"message": "One"}),
            ("dance", {}),
            ("working_context_append", {"text": "Anna dances."}),
        ),
        says("One"),
    )
    async with a_world(tmp_path, llm) as world:
        assert await world.say("Hi") == ["One"]
        assert "Anna dances." in await (await world.memory()).working_context()
    asked, *results = llm.prompts[1][2:6]
    assert [call.id for call in asked.calls] == [result.call_id for result in results]
    assert "There are: send_message, working_context_append" in results[1].text


async def test_a_memory_edit_without_a_word_gets_one_more_step(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        calls(("working_context_append", {"text": "Anna has a cat."})), sends("A cat, lovely!")
    )
    async with a_world(tmp_path, llm) as world:
        assert await world.say("I have a cat") == ["A cat, lovely!"]
    assert llm.prompts[1][-2].text == UNANSWERED


async def test_a_model_that_never_speaks_is_spoken_for(tmp_path: Path) -> None:
    llm = ScriptedLLM(calls(("working_context_append", {"text": "Anna has a cat."})), says(""))
    async with a_world(tmp_path, llm) as world:
        assert await world.say("I have a cat") == [NOTED]
    silent = ScriptedLLM(says(""), says(""))
    async with a_world(tmp_path, silent) as world:
        assert await world.say("Hello?", "Ben") == [FALLBACK]


async def test_a_private_message_cannot_be_met_with_silence(tmp_path: Path) -> None:
    llm = ScriptedLLM(calls(("stay_silent", {"reason": "shy"})), sends("Hello!"))
    async with a_world(tmp_path, llm) as world:
        assert await world.say("Hi") == ["Hello!"]


async def test_in_a_group_silence_is_an_answer(tmp_path: Path) -> None:
    llm = ScriptedLLM(calls(("stay_silent", {})))
    async with a_world(tmp_path, llm) as world:
        assert await world.happens(world.message("just us talking", group="club")) == []


async def test_the_same_call_with_the_same_result_is_told_off_and_then_stopped(
    tmp_path: Path,
) -> None:
    circle = calls(("conversation_search", {"query": "cat", "request_heartbeat": True}))
    llm = ScriptedLLM(lambda _messages: circle)
    async with a_world(tmp_path, llm) as world:
        assert await world.say("What about my dog?") == [FALLBACK]
    assert len(llm.prompts) == 4
    assert llm.prompts[3][-2].text == LOOPING


async def test_a_call_that_fails_takes_no_other_of_its_answer_along(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        calls(
            ("working_context_append", {"text": "Anna has a cat."}),
            ("working_context_replace", {"old": "a dog", "new": "two dogs"}),
            ("send_message", {"message": "A cat!"}),
        ),
        sends("No more than that."),
    )
    async with a_world(tmp_path, llm) as world:
        assert await world.say("I have a cat") == ["A cat!", "No more than that."]
        assert "Anna has a cat." in await (await world.memory()).working_context()
        assert await world.rows("SELECT number, failed FROM tool_done WHERE step_id = 1") == [
            (0, 0),
            (1, 1),
            (2, 0),
        ]


async def test_the_same_message_sixty_times_in_one_answer_is_sent_once(tmp_path: Path) -> None:
    llm = ScriptedLLM(calls(*[("send_message", {"message": "Hi!"})] * 60))
    async with a_world(tmp_path, llm) as world:
        assert await world.say("Hi") == ["Hi!"]
        assert await world.rows("SELECT COUNT(*) FROM tool_done") == [(1,)]
    assert len(llm.prompts) == 1


async def test_of_sixty_different_calls_in_one_answer_some_are_made_and_the_rest_put_off(
    tmp_path: Path,
) -> None:
    notes = calls(*(("archival_storage_insert", {"text": f"Note {n}."}) for n in range(60)))
    llm = ScriptedLLM(notes, sends("All noted."))
    async with a_world(tmp_path, llm) as world:
        assert await world.say("Here are sixty facts") == ["All noted."]
        assert await world.rows("SELECT COUNT(*) FROM passage") == [(MOST_CALLS,)]
    results = [message.text for message in llm.prompts[1] if message.role == "tool"]
    assert len(results) == MOST_CALLS + 1
    assert results[-1].startswith(f"Error: One answer makes {MOST_CALLS} calls at most.")


async def test_the_number_of_steps_is_capped(tmp_path: Path) -> None:
    asked = iter(range(1000))

    def on_and_on(_messages: Sequence[Message]) -> Reply:
        return calls(
            ("conversation_search", {"query": f"cat {next(asked)}", "request_heartbeat": True})
        )

    llm = ScriptedLLM(on_and_on)
    async with a_world(tmp_path, llm) as world:
        assert await world.say("Hi") == [FALLBACK]
    assert len(llm.prompts) == 12


async def test_a_message_is_not_sent_twice_in_a_turn(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Hello!", request_heartbeat=True), sends("Hello!"))
    async with a_world(tmp_path, llm) as world:
        assert await world.say("Hi") == ["Hello!"]


async def test_a_memory_call_that_was_cut_off_is_refused(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        calls(("working_context_append", {"text": "Anna li"}), finish="length"), sends("Hm.")
    )
    async with a_world(tmp_path, llm) as world:
        assert await world.say("Hi") == ["Hm."]
        assert "Anna li" not in await (await world.memory()).working_context()


async def test_a_message_that_was_cut_off_is_sent_and_goes_on(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        calls(("send_message", {"message": "Once upon a"}), finish="length"), sends("time.")
    )
    async with a_world(tmp_path, llm) as world:
        assert await world.say("A story!") == ["Once upon a", "time."]


async def test_non_ascii_reaches_person_prompt_and_memory_as_it_is(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        calls(
            ("working_context_append", {"text": "Anna kommt aus 上海 😀"}),
            ("send_message", {"message": "你好 😀"}),
        ),
        sends("ok"),
    )
    async with a_world(tmp_path, llm) as world:
        assert await world.say("Ich komme aus 上海 \ud800😀") == ["你好 😀"]
        assert "上海 😀" in await (await world.memory()).working_context()
        await world.say("und?")
    assert "Ich komme aus 上海 \ufffd😀" in llm.prompts[1][1].text
    assert "\\u" not in str([call.arguments for m in llm.prompts[1] for call in m.calls])


async def test_a_reaction_is_noted_without_running_the_model(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Hello!"), sends("Glad you liked it."))
    async with a_world(tmp_path, llm) as world:
        await world.say("Hi")
        reaction = ReactionReceived(
            id="r1",
            address=world.address("Anna"),
            sender=Sender(user="Anna", name="Anna"),
            at=world.clock.now(),
            message="m1",
            emoji="👍",
        )
        assert await world.happens(reaction) == []
        assert await world.say("Well?") == ["Glad you liked it."]
    assert "Anna reacted with 👍" in llm.prompts[1][-3].text


async def test_a_person_who_starts_is_greeted(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("Welcome!"))
    async with a_world(tmp_path, llm) as world:
        started = PersonStarted(
            id="s1",
            address=world.address("Anna"),
            sender=Sender(user="Anna", name="Anna"),
            at=world.clock.now(),
        )
        assert await world.happens(started) == ["Welcome!"]


async def test_the_same_event_twice_is_answered_once(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(sends("Hello!"))) as world:
        event = world.message("Hi", known_as="same")
        assert await world.happens(event) == ["Hello!"]
        assert await world.happens(event) == []


async def test_messages_of_one_person_are_answered_in_order(tmp_path: Path) -> None:
    def echo(messages: Sequence[Message]) -> Reply:
        return sends(f"answer to {messages[-2].text.rpartition(' ')[2]}")

    async with a_world(tmp_path, ScriptedLLM(echo)) as world:
        for number in range(20):
            await world.companion.handle(world.message(f"{number}"))
        await world.companion.quiet()
        assert [text for _, text in world.delivered] == [f"answer to {n}" for n in range(20)]


async def test_usage_is_counted_by_person_and_model(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("a"), sends("b"), sends("c"))
    async with a_world(tmp_path, llm) as world:
        await world.say("1", "Anna")
        await world.say("2", "Anna")
        await world.say("3", "Ben")
        rows = await world.rows(
            "SELECT person_id, day, model, requests, prompt_tokens FROM usage ORDER BY person_id"
        )
    assert rows == [
        (1, "2025-05-05", "scripted", 2, 200),
        (2, "2025-05-05", "scripted", 1, 100),
    ]


async def test_two_people_never_share_anything(tmp_path: Path) -> None:
    llm = ScriptedLLM(
        calls(
            ("working_context_append", {"text": "Her secret is a canary."}),
            ("archival_storage_insert", {"text": "The canary is yellow."}),
            ("send_message", {"message": "Safe with me."}),
        ),
        calls(
            ("conversation_search", {"query": "canary", "request_heartbeat": True}),
            ("archival_storage_search", {"query": "canary yellow", "request_heartbeat": True}),
        ),
        sends("I know of none."),
    )
    async with a_world(tmp_path, llm) as world:
        await world.say("My secret is a canary", "Anna")
        assert await world.say("What is Anna's secret bird?", "Ben") == ["I know of none."]
    for prompt in llm.prompts[1:]:
        assert "canary" not in json.dumps([m.text for m in prompt]).replace('"query"', "")


async def test_a_day_passes_and_the_status_says_so(tmp_path: Path) -> None:
    llm = ScriptedLLM(sends("a"), sends("b"))
    async with a_world(tmp_path, llm) as world:
        await world.say("1")
        world.clock.advance(timedelta(days=1))
        await world.say("2")
    assert "Tue 6 May 2025" in llm.prompts[1][-1].text
    assert llm.prompts[0][0] == llm.prompts[1][0]
