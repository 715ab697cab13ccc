"""What arrives at Discord, and what happens when it doesn't."""

from pathlib import Path

import pytest

from companion.errors import DeliveryDelayedError
from companion.events import Address, OutgoingMessage
from companion.storage import people
from tests.support.discord_server.payloads import Channel
from tests.support.discord_server.server import DiscordServer, Fault
from tests.support.discord_world import DiscordWorld, echo, on_discord
from tests.support.scripted_llm import ScriptedLLM, sends


@pytest.mark.parametrize("text", ["@everyone", "@here you", "<@&77> and <@88>", "<@!99>"])
async def test_a_mention_is_shown_and_pings_nobody(
    tmp_path: Path, server: DiscordServer, text: str
) -> None:
    anna = server.person("Anna")
    async with on_discord(tmp_path, server, ScriptedLLM(sends(text)), allowed=[anna]) as talk:
        assert await talk.hears(anna, server.direct(anna), "Hi") == [text]
    assert server.posts[0].payload["allowed_mentions"]["parse"] == []


async def test_a_long_answer_comes_in_pieces_in_order(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    lines = [f"{number}. a line with some words in it" for number in range(150)]
    answer = sends("\n".join(lines))
    async with on_discord(tmp_path, server, ScriptedLLM(answer), allowed=[anna]):
        await server.says(anna, server.direct(anna), "Hi")
        pieces = await server.posted(3)
    assert "\n".join(pieces).split("\n") == lines


async def test_a_long_block_of_code_comes_as_a_file(tmp_path: Path, server: DiscordServer) -> None:
    anna = server.person("Anna")
    code = "print('hello')\n" * 400
    answer = sends(f"Here:\n```python\n{code}```")
    async with on_discord(tmp_path, server, ScriptedLLM(answer), allowed=[anna]):
        await server.says(anna, server.direct(anna), "Hi")
        await server.posted(2)
    assert server.posts[0].content == "Here:"
    ((name, content),) = server.posts[1].files
    assert name == "code.py"
    assert content.decode() == code.removesuffix("\n")


async def test_an_answer_of_nothing_visible_ends_in_something_else(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    llm = ScriptedLLM(sends("```\n```"), sends("Hello"))
    async with on_discord(tmp_path, server, llm, allowed=[anna]) as talk:
        await server.says(anna, server.direct(anna), "Hi")
        await server.says(anna, server.direct(anna), "Hi again")
        assert await server.posted(1) == ["Hello"]
        await talk.world.companion.quiet()
        states = await talk.world.rows("SELECT state FROM outbox ORDER BY id")
    assert states == [("refused",), ("sent",)]


@pytest.mark.parametrize("after_effect", [False, True])
async def test_a_connection_cut_while_posting_doubles_nothing(
    tmp_path: Path, server: DiscordServer, after_effect: bool
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    server.faults.append(posting(chat, None, after_effect=after_effect, times=2))
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        assert await talk.hears(anna, chat, "Hi") == ["Hi"]
        assert await talk.hears(anna, chat, "More") == ["More"]
    assert server.faults[0].times == 0


async def test_a_kill_between_posting_and_noting_it_doubles_nothing(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        assert await talk.hears(anna, chat, "Hi") == ["Hi"]
        await talk.world.companion.quiet()
        await talk.world.db.write(lambda tx: tx.execute("UPDATE outbox SET state = 'sending'"))
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        assert await talk.hears(anna, chat, "More") == ["More"]
        await talk.world.companion.quiet()
        assert await talk.world.rows("SELECT DISTINCT state FROM outbox") == [("sent",)]


@pytest.mark.parametrize("status", [503, 520])
async def test_a_server_error_is_waited_out(
    tmp_path: Path, server: DiscordServer, status: int
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    server.faults.append(posting(chat, status, times=2))
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        assert await talk.hears(anna, chat, "Hi") == ["Hi"]


@pytest.mark.parametrize("everywhere", [False, True])
async def test_a_rate_limit_is_waited_out(
    tmp_path: Path, server: DiscordServer, everywhere: bool
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    limit = posting(chat, 429, times=2)
    limit.body = {"message": "slow down", "retry_after": 0.01, "global": everywhere}
    limit.headers = {"Via": "1.1 google"}
    server.faults.append(limit)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        assert await talk.hears(anna, chat, "Hi") == ["Hi"]


async def test_a_limit_by_cloudflare_is_waited_out(tmp_path: Path, server: DiscordServer) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    limit = posting(chat, 429)
    limit.headers = {"Retry-After": "0.01"}
    server.faults.append(limit)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        assert await talk.hears(anna, chat, "Hi") == ["Hi"]


async def test_closed_direct_messages_are_told_to_the_owner_once_and_not_tried_again(
    tmp_path: Path, server: DiscordServer
) -> None:
    olga, anna = server.person("Olga"), server.person("Anna")
    chat = server.direct(anna)
    closed = posting(chat, 403, times=9)
    closed.body = {"code": 50007, "message": "Cannot send messages to this user"}
    server.faults.append(closed)
    llm = ScriptedLLM(lambda messages: sends("a", request_heartbeat=False))
    async with on_discord(tmp_path, server, llm, allowed=[olga, anna]) as talk:
        await server.says(anna, chat, "Hi")
        (told,) = await server.posted(1)
        await talk.world.companion.quiet()
        assert server.posts[0].channel == server.direct(olga).id
        assert closed.times == 8
        assert await unreachable(talk)
        closed.times = 0
        assert await talk.hears(anna, chat, "I opened them") == ["a"]
        assert not await unreachable(talk)
    assert "Anna" in told
    assert str(anna.id) in told


@pytest.mark.parametrize(("status", "code"), [(404, 10003), (403, 50001), (403, 50013)])
async def test_a_message_that_can_never_arrive_is_given_up(
    tmp_path: Path, server: DiscordServer, status: int, code: int
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    fault = posting(chat, status)
    fault.body = {"code": code, "message": ""}
    server.faults.append(fault)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        await server.says(anna, chat, "Hi")
        await server.until(lambda: fault.times == 0)
        await talk.world.companion.quiet()
        assert await talk.hears(anna, chat, "More") == ["More"]
        await talk.world.companion.quiet()
        states = await talk.world.rows("SELECT state FROM outbox ORDER BY id")
    assert states == [("refused",), ("sent",)]


async def test_before_it_is_connected_a_message_waits(
    tmp_path: Path, server: DiscordServer
) -> None:
    server.faults.append(Fault("GET", "/users/@me", 503, times=100_000))
    async with on_discord(tmp_path, server, ScriptedLLM(), connected=False) as talk:
        with pytest.raises(DeliveryDelayedError):
            await talk.discord.send(
                OutgoingMessage(id=1, address=Address(platform="discord", chat="5"), text="Hi")
            )


def posting(
    channel: Channel, status: int | None, *, times: int = 1, after_effect: bool = False
) -> Fault:
    """What goes wrong with posting to `channel`."""
    path = f"/channels/{channel.id}/messages"
    return Fault("POST", path, status, times=times, after_effect=after_effect)


async def unreachable(talk: DiscordWorld) -> bool:
    """Whether Anna, who is the second person or the only one, is out of reach."""
    return await talk.world.db.read(lambda tx: people.is_unreachable(tx, 1, 1))
