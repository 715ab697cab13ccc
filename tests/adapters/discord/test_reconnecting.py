"""Connections that break, and gateways that refuse: nothing is lost or doubled."""

from pathlib import Path

import pytest

from adapters.discord.failures import RefusedByDiscordError
from companion.storage import platforms
from tests.support.discord_server.server import DiscordServer, Fault
from tests.support.discord_world import DiscordWorld, echo, on_discord
from tests.support.scripted_llm import ScriptedLLM


async def test_a_resumed_session_brings_what_was_said_meanwhile(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        assert await talk.hears(anna, chat, "before") == ["before"]
        await server.gateway.cut()
        await server.says(anna, chat, "meanwhile")
        assert await server.posted(2) == ["before", "meanwhile"]
        assert len(server.gateway.identified) == 1
        assert len(server.gateway.resumed) == 1


async def test_what_comes_again_is_answered_once(tmp_path: Path, server: DiscordServer) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        assert await talk.hears(anna, chat, "once") == ["once"]
        await server.gateway.replay(2)
        assert await talk.hears(anna, chat, "and more") == ["and more"]


async def test_ready_again_starts_nothing_twice(tmp_path: Path, server: DiscordServer) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        await talk.hears(anna, chat, "before")
        server.gateway.forget_session()
        await server.gateway.cut()
        await server.until(lambda: len(server.gateway.identified) == 2 and server.gateway.connected)
        assert await talk.hears(anna, chat, "after") == ["after"]
    assert server.syncs == 1


async def test_op_7_is_a_reconnect_with_the_same_session(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        await server.gateway.ask_to_reconnect()
        await server.until(lambda: server.gateway.resumed)
        assert await talk.hears(anna, chat, "Hi") == ["Hi"]


@pytest.mark.parametrize("resumable", [True, False])
async def test_op_9_ends_nothing(tmp_path: Path, server: DiscordServer, resumable: bool) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        assert await talk.hears(anna, chat, "before") == ["before"]
        await server.gateway.invalidate(resumable=resumable)
        server.said_unheard(anna, chat, "in between") if not resumable else None
        await server.until(lambda: server.gateway.connections == 2 and server.gateway.connected)
        await server.says(anna, chat, "after")
        expected = ["before", "after"] if resumable else ["before", "in between", "after"]
        assert await server.posted(len(expected)) == expected


async def test_after_a_new_session_the_history_is_read_oldest_first(
    tmp_path: Path, server: DiscordServer
) -> None:
    people = [server.person(f"P{n}") for n in range(30)]
    llm = ScriptedLLM(echo)
    async with on_discord(tmp_path, server, llm, allowed=people) as talk:
        for person in people:
            await talk.hears(person, server.direct(person), f"first of {person.name}")
        server.gateway.forget_session()
        missed = []
        for round_ in range(2):
            for person in people:
                text = f"{round_} of {person.name}"
                missed.append(text)
                server.said_unheard(person, server.direct(person), text)
        await server.gateway.cut()
        texts = (await server.posted(90))[30:]
    assert sorted(texts) == sorted(missed)
    for person in people:
        own = [text for text in texts if text.endswith(f" {person.name}")]
        assert own == [f"0 of {person.name}", f"1 of {person.name}"]


async def test_what_was_said_while_the_companion_was_down_is_answered(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        assert await talk.hears(anna, chat, "before") == ["before"]
    missed = [f"missed {n}" for n in range(120)]
    for text in missed:
        server.said_unheard(anna, chat, text)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]):
        await server.says(anna, chat, "live")
        assert (await server.posted(122))[1:] == [*missed, "live"]


async def test_a_channel_whose_history_fails_waits_and_keeps_no_other_waiting(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna, ben = server.person("Anna"), server.person("Ben")
    hers, his = server.direct(anna), server.direct(ben)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna, ben]) as talk:
        await talk.hears(anna, hers, "a")
        await talk.hears(ben, his, "b")
    server.said_unheard(anna, hers, "missed")
    failing = Fault("GET", f"/channels/{hers.id}/messages", 503, times=3)
    server.faults.append(failing)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna, ben]):
        await server.says(anna, hers, "live")
        await server.says(ben, his, "quick")
        texts = (await server.posted(5))[2:]
    assert [text for text in texts if text != "quick"] == ["missed", "live"]
    assert failing.times == 0


async def test_a_closed_channel_is_left_out(tmp_path: Path, server: DiscordServer) -> None:
    anna, ben = server.person("Anna"), server.person("Ben")
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna, ben]) as talk:
        await talk.hears(anna, server.direct(anna), "a")
    server.faults.append(
        Fault("GET", f"/channels/{server.direct(anna).id}/messages", 403, {"code": 50001})
    )
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna, ben]) as talk:
        assert await talk.hears(ben, server.direct(ben), "b") == ["b"]


async def test_a_gateway_that_refuses_the_first_connection_is_tried_again(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    server.gateway.refusing = True
    async with on_discord(
        tmp_path, server, ScriptedLLM(echo), allowed=[anna], connected=False
    ) as talk:
        await talk.pauses.begun()
        assert "lets nobody in" in str(await trouble(talk))
        server.gateway.refusing = False
        await server.connected()
        assert await talk.hears(anna, chat, "Hi") == ["Hi"]
        assert await trouble(talk) is None


async def test_an_api_that_is_down_at_the_start_is_tried_again(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    server.faults.append(Fault("GET", "/users/@me", 503, times=2))
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        assert await talk.hears(anna, server.direct(anna), "Hi") == ["Hi"]
        assert talk.pauses.seconds[:2] == [1, 2]


async def test_unknown_events_and_fields_of_nothing_are_ignored(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        assert await talk.hears(anna, chat, "before") == ["before"]
        await server.gateway.dispatch("SOMETHING_NEW", {"what": None})
        assert await talk.hears(anna, chat, "between") == ["between"]
        await server.gateway.dispatch("MESSAGE_CREATE", {"id": None, "channel_id": None})
        assert await talk.hears(anna, chat, "after") == ["after"]
        assert len(server.gateway.identified) == 1


async def test_a_message_that_cannot_be_read_hides_no_others(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        assert await talk.hears(anna, chat, "before") == ["before"]
    broken = server.said_unheard(anna, chat, "broken")
    broken["type"] = broken["author"] = None
    server.said_unheard(anna, chat, "whole")
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        assert await server.posted(2) == ["before", "whole"]
        (row,) = await talk.world.rows("SELECT external_id FROM dead_letter")
        assert row == (broken["id"],)


async def test_a_wrong_token_ends_it_with_what_to_click(
    tmp_path: Path, server: DiscordServer
) -> None:
    async with on_discord(tmp_path, server, ScriptedLLM(), token="wrong", connected=False) as talk:
        with pytest.raises(RefusedByDiscordError, match="Reset Token"):
            await talk.running


async def test_a_token_that_is_taken_back_while_it_runs_ends_it(
    tmp_path: Path, server: DiscordServer
) -> None:
    async with on_discord(tmp_path, server, ScriptedLLM()) as talk:
        await server.gateway.cut(code=4004)
        with pytest.raises(RefusedByDiscordError, match="Reset Token"):
            await talk.running


async def test_a_missing_intent_ends_it_with_what_to_click(
    tmp_path: Path, server: DiscordServer
) -> None:
    async with on_discord(tmp_path, server, ScriptedLLM(), read_all=True, connected=False) as talk:
        with pytest.raises(RefusedByDiscordError, match="Message Content Intent"):
            await talk.running


async def trouble(talk: DiscordWorld) -> str | None:
    """What `companion status` says is wrong."""
    (health,) = await talk.world.db.read(platforms.all_of_them)
    return health.trouble
