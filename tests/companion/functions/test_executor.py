"""What real models send as arguments."""

from pathlib import Path

import pytest

from companion.context.limits import Limits
from companion.llm.build import build_counter
from companion.llm.protocol import Call, Reply
from companion.settings import MemorySettings
from tests.support.scripted_llm import ScriptedLLM, sends
from tests.support.world import a_world


def raw(name: str, arguments: str) -> Reply:
    """A call whose arguments are exactly this text."""
    return Reply(text="", calls=(Call("c", name, arguments),), finish="calls", model="scripted")


@pytest.mark.parametrize(
    "arguments",
    [
        '{"query": "cat", "page": 1, "request_heartbeat": true}',
        '{"query": "cat", "page": "1", "request_heartbeat": "true"}',
        '{"query": "cat", "page": null, "since": null, "request_heartbeat": true}',
    ],
)
async def test_numbers_as_text_and_nulls_for_what_is_left_out_are_understood(
    tmp_path: Path, arguments: str
) -> None:
    llm = ScriptedLLM(raw("conversation_search", arguments), sends("Found it."))
    async with a_world(tmp_path, llm) as world:
        assert await world.say("my cat?") == ["Found it."]
    assert llm.prompts[1][-2].text.startswith("Page 1 of 1")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("", "“message” is missing"),
        ("nonsense", "The arguments are not JSON"),
        ("[1, 2]", "must be a JSON object"),
        ('"text"', "must be a JSON object"),
        ('{"message": {"text": "hi"}}', "“message”"),
        ('{"message": null}', "“message” is missing"),
        ('{"message": "  "}', "The message is empty"),
        ('{"message": "hi", "chat": "8"}', "“chat” is not a parameter"),
    ],
)
async def test_arguments_that_make_no_sense_are_explained_and_mended(
    tmp_path: Path, arguments: str, sentence: str
) -> None:
    llm = ScriptedLLM(raw("send_message", arguments), sends("Hello!"))
    async with a_world(tmp_path, llm) as world:
        assert await world.say("hi") == ["Hello!"]
    told = llm.prompts[1][-2].text
    assert told.startswith("Error: ")
    assert sentence in told


def test_the_schemas_are_small_closed_and_in_one_order() -> None:
    from companion.functions.all import FUNCTIONS

    schemas = [function.schema for function in FUNCTIONS]
    assert schemas == [function.schema for function in FUNCTIONS]
    assert [schema.name for schema in schemas] == [
        "send_message",
        "working_context_append",
        "working_context_replace",
        "archival_storage_insert",
        "archival_storage_search",
        "conversation_search",
        "forget",
        "react",
        "schedule_event",
        "list_events",
        "cancel_event",
        "set_timezone",
        "set_quiet",
        "stay_silent",
        "set_openers",
    ]
    for schema in schemas:
        assert schema.description
        assert "title" not in str(schema.parameters)
        assert list(schema.parameters["properties"])[-1] == "request_heartbeat"
        for parameter in schema.parameters["properties"].values():
            assert parameter["type"] in ("string", "integer", "boolean")
            assert parameter["description"]


def test_a_small_window_keeps_room_for_what_is_said() -> None:
    from companion.context.instructions import SYSTEM_INSTRUCTIONS
    from companion.functions.all import FUNCTIONS, ROOM_FOR_ALL, functions_for

    counter = build_counter(())
    for window in (4096, ROOM_FOR_ALL):
        schemas = [function.schema for function in functions_for(window)]
        taken = counter.count(SYSTEM_INSTRUCTIONS) + counter.tools(schemas)
        limits = Limits.of(window, 1024, MemorySettings())
        rest = limits.flush - taken - limits.working_context - limits.summary
        assert rest >= limits.message
    assert functions_for(ROOM_FOR_ALL) == FUNCTIONS
