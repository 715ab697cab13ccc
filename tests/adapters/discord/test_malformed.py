"""Happenings with fields that are missing or of the wrong type: they cost only themselves."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.discord_server import payloads
from tests.support.discord_server.payloads import Channel, Json, Member, snowflake
from tests.support.discord_server.server import DiscordServer, Fault
from tests.support.discord_world import DiscordWorld, echo, on_discord
from tests.support.scripted_llm import ScriptedLLM

SECRET = "the treasure is below the oak"
WRONG_FIELDS: dict[str, object] = {
    "id": "no number",
    "channel_id": SECRET,
    "author": SECRET,
    "content": [SECRET],
    "edited_timestamp": [SECRET],
    "mentions": SECRET,
    "attachments": [{"filename": SECRET}],
    "embeds": 5,
    "flags": SECRET,
    "type": None,
    "guild_id": None,
    "message_reference": SECRET,
}
NEEDED = ("id", "channel_id", "author", "content", "type")
NO_DATA: tuple[object, ...] = (None, 7, SECRET, [], [SECRET], {})


def wrong_messages(author: Member, channel: Channel) -> Iterator[Json]:
    """New messages that are none."""
    for field, value in WRONG_FIELDS.items():
        yield payloads.message(author, channel, SECRET) | {field: value}
    for field in NEEDED:
        message = payloads.message(author, channel, SECRET)
        del message[field]
        yield message
    whole = author.user()
    for wrong in ({"id": "Anna"}, {"id": None}, {"global_name": [SECRET]}):
        yield payloads.message(author, channel, SECRET) | {"author": whole | wrong}
    yield payloads.message(author, channel, SECRET) | {"author": {"id": whole["id"]}}
    yield payloads.message(author, channel, SECRET) | {"id": str(2**80)}


def wrong_interactions(author: Member, channel: Channel, application: int) -> Iterator[Json]:
    """Commands and pressed buttons that are none."""

    def interaction(type_: int, data: object) -> Json:
        whole: Any = data
        on = payloads.message(author, channel, "Press.")
        return payloads.interaction(
            author, channel, application, whole, type=type_, on=on if type_ == 3 else None
        )

    command = {"id": str(snowflake()), "name": "search", "type": 1, "options": []}
    for type_ in (2, 3):
        for data in NO_DATA:
            yield interaction(type_, data)
    for wrong in (
        {"name": None},
        {"name": SECRET},
        {"type": SECRET},
        {"options": 5},
        {"options": [SECRET]},
        {"options": [{"type": 3, "name": "words", "value": [SECRET]}]},
        {"resolved": SECRET},
    ):
        yield interaction(2, command | wrong)
    for field in ("id", "token", "type", "data", "user"):
        missing = interaction(2, command)
        del missing[field]
        yield missing
    nowhere = interaction(2, command)
    del nowhere["channel"], nowhere["channel_id"]
    yield nowhere


async def letters(talk: DiscordWorld) -> list[str]:
    return [str(one) for (one,) in await talk.world.rows("SELECT external_id FROM dead_letter")]


async def kept(talk: DiscordWorld, number: int) -> None:
    """So many have been put aside, each once; whoever was answered since came after them."""
    assert len(await letters(talk)) == number


async def stays(talk: DiscordWorld, anna: Member, chat: Channel, text: str) -> None:
    """The connection that was there before still is, and whoever writes is answered."""
    server = talk.server
    answers = len(server.posts)
    await server.says(anna, chat, text)
    await server.until(lambda: text in [post.content for post in server.posts[answers:]])
    assert server.gateway.connections == len(server.gateway.identified) == 1


async def quotes_nothing(talk: DiscordWorld, caplog: pytest.LogCaptureFixture) -> None:
    assert SECRET not in caplog.text
    assert SECRET not in str(await talk.world.rows("SELECT * FROM dead_letter"))


async def test_new_messages_that_cannot_be_read_are_put_aside_and_the_connection_stays(
    tmp_path: Path, server: DiscordServer, caplog: pytest.LogCaptureFixture
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        await stays(talk, anna, chat, "before")
        wrong = list(wrong_messages(anna, chat))
        for number, message in enumerate(wrong):
            await server.gateway.dispatch("MESSAGE_CREATE", message)
            await stays(talk, anna, chat, f"after {number}")
        await kept(talk, len(wrong))
        await quotes_nothing(talk, caplog)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]):
        await server.says(anna, chat, "later")
        await server.until(lambda: "later" in [post.content for post in server.posts])


async def test_interactions_that_cannot_be_read_are_put_aside_and_the_connection_stays(
    tmp_path: Path, server: DiscordServer, caplog: pytest.LogCaptureFixture
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        await stays(talk, anna, chat, "before")
        wrong = list(wrong_interactions(anna, chat, server.application))
        for number, interaction in enumerate(wrong):
            await server.gateway.dispatch("INTERACTION_CREATE", interaction)
            await stays(talk, anna, chat, f"after {number}")
        await kept(talk, len(wrong))
        await quotes_nothing(talk, caplog)


@pytest.mark.parametrize(
    "kind",
    [
        *("MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "MESSAGE_DELETE_BULK"),
        *("MESSAGE_REACTION_ADD", "MESSAGE_REACTION_REMOVE", "INTERACTION_CREATE"),
        *("GUILD_CREATE", "GUILD_UPDATE", "GUILD_DELETE", "CHANNEL_CREATE", "THREAD_CREATE"),
    ],
)
async def test_data_of_no_kind_is_put_aside_and_the_connection_stays(
    tmp_path: Path, server: DiscordServer, kind: str
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        await stays(talk, anna, chat, "before")
        for number, data in enumerate(NO_DATA):
            await server.gateway.dispatch(kind, data)
            await stays(talk, anna, chat, f"after {number}")
        await kept(talk, len(NO_DATA))
        assert all(one.startswith(kind) for one in await letters(talk))


@pytest.mark.parametrize("spoil", [lambda _: SECRET, lambda page: {"messages": page}])
async def test_a_history_that_is_no_list_is_asked_for_again(
    tmp_path: Path, server: DiscordServer, spoil: Callable[[list[Json]], object]
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        await stays(talk, anna, chat, "before")
    server.said_unheard(anna, chat, "missed")
    page: Any = spoil(server.history[chat.id])
    server.faults.append(Fault("GET", f"/channels/{chat.id}/messages", 200, page))
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]):
        assert await server.posted(2) == ["before", "missed"]


async def test_messages_of_the_history_without_an_id_hide_no_others(
    tmp_path: Path, server: DiscordServer, caplog: pytest.LogCaptureFixture
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        await stays(talk, anna, chat, "before")
    missed = server.said_unheard(anna, chat, "missed")
    broken = payloads.message(anna, chat, SECRET)
    page: Any = [None, SECRET, broken | {"id": None}, missed, broken | {"id": SECRET}]
    server.faults.append(Fault("GET", f"/channels/{chat.id}/messages", 200, page))
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        assert await server.posted(2) == ["before", "missed"]
        await kept(talk, len(page) - 1)
        await quotes_nothing(talk, caplog)
