"""Servers: mentions, replies, channels that need none, and threads."""

from pathlib import Path

import pytest

from tests.support.discord_server.gateway import MESSAGE_CONTENT
from tests.support.discord_server.payloads import message
from tests.support.discord_server.server import DiscordServer
from tests.support.discord_world import echo, on_discord
from tests.support.scripted_llm import ScriptedLLM, sends


async def test_who_mentions_the_bot_is_answered_with_a_reply(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    channel = server.channel()
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]):
        said = await server.says(anna, channel, f"<@{server.me.id}> hi", mentions=[server.me])
        assert await server.posted(1) == ["hi"]
    post = server.posts[0]
    assert post.channel == channel.id
    assert str(post.payload["message_reference"]["message_id"]) == said["id"]


async def test_a_mention_in_a_sentence_is_a_name_and_no_digits(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna, ben = server.person("Anna"), server.person("Ben", nick="Benny")
    channel = server.channel("plans")
    llm = ScriptedLLM(echo)
    text = (
        f"Could <@{server.me.id}> ask <@!{ben.id}> in <#{channel.id}> about <:tea:123> and <@999>?"
    )
    async with on_discord(tmp_path, server, llm, allowed=[anna]):
        await server.says(anna, channel, text, mentions=[server.me, ben])
        assert await server.posted(1) == [
            "Could @Mira ask @Benny in #plans about :tea: and @somebody?"
        ]


async def test_talk_among_others_is_left_alone(tmp_path: Path, server: DiscordServer) -> None:
    anna, ben = server.person("Anna"), server.person("Ben")
    channel = server.channel()
    llm = ScriptedLLM(echo)
    async with on_discord(tmp_path, server, llm, allowed=[anna, ben]) as talk:
        await server.says(anna, channel, f"<@{ben.id}> lunch?", mentions=[ben])
        await server.says(ben, channel, "@everyone lunch!", mention_everyone=True)
        assert await talk.hears(anna, server.direct(anna), "Hi") == ["Hi"]
        assert len(llm.prompts) == 1


async def test_a_reply_to_the_bot_needs_no_mention_where_its_text_may_be_read(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    channel = server.channel()
    server.gateway.intents_granted |= MESSAGE_CONTENT
    async with on_discord(
        tmp_path, server, ScriptedLLM(sends("Hi!"), sends("Fine.")), allowed=[anna], read_all=True
    ):
        await server.says(anna, channel, f"<@{server.me.id}> hi", mentions=[server.me])
        await server.posted(1)
        answer = server.history[channel.id][-1]
        await server.says(anna, channel, "and you?", replies_to=answer)
        assert await server.posted(2) == ["Hi!", "Fine."]


async def test_text_that_discord_hides_is_told_to_the_owner_once_and_not_answered(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    channel = server.channel()
    llm = ScriptedLLM(echo)
    async with on_discord(tmp_path, server, llm, allowed=[anna]) as talk:
        answer = message(server.me, channel, "hi")
        for _ in range(2):
            await server.says(anna, channel, "and you?", replies_to=answer)
        (told,) = await server.posted(1)
        assert await talk.hears(anna, server.direct(anna), "Hi") == ["Hi"]
        assert len(llm.prompts) == 1
    assert "Message Content Intent" in told
    assert server.posts[0].channel == server.direct(anna).id


async def test_in_a_chosen_channel_no_mention_is_needed(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna, eve = server.person("Anna"), server.person("Eve")
    channel, other = server.channel("companion"), server.channel("other")
    server.gateway.intents_granted |= MESSAGE_CONTENT
    async with on_discord(
        tmp_path, server, ScriptedLLM(echo), allowed=[anna], channels=[channel]
    ) as talk:
        await server.says(anna, other, "not here")
        assert await talk.hears(anna, channel, "here") == ["here"]
        await server.says(eve, channel, "me too")
        assert await talk.hears(anna, channel, "still here") == ["still here"]


async def test_in_a_thread_of_its_own_no_mention_is_needed(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    channel = server.channel()
    its_own, hers = server.thread(channel, server.me), server.thread(channel, anna)
    server.gateway.intents_granted |= MESSAGE_CONTENT
    async with on_discord(
        tmp_path, server, ScriptedLLM(echo), allowed=[anna], read_all=True
    ) as talk:
        await server.says(anna, hers, "not meant for you")
        assert await talk.hears(anna, its_own, "meant for you") == ["meant for you"]
        assert server.posts[0].channel == its_own.id
        await server.says(anna, hers, f"<@{server.me.id}> now", mentions=[server.me])
        assert await server.posted(2) == ["meant for you", "now"]


@pytest.mark.parametrize("private", [False, True])
async def test_a_thread_shares_its_channels_memory_unless_it_is_private(
    tmp_path: Path, server: DiscordServer, private: bool
) -> None:
    anna = server.person("Anna")
    channel = server.channel()
    thread = server.thread(channel, anna, private=private)
    llm = ScriptedLLM(echo)
    async with on_discord(tmp_path, server, llm, allowed=[anna]):
        mention = f"<@{server.me.id}>"
        await server.says(anna, channel, f"{mention} my number is 4711", mentions=[server.me])
        await server.posted(1)
        await server.says(anna, thread, f"{mention} hi", mentions=[server.me])
        await server.posted(2)
    assert ("4711" in str(llm.prompts[-1])) is not private


async def test_direct_messages_and_servers_know_nothing_of_each_other(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    channel = server.channel()
    llm = ScriptedLLM(echo)
    async with on_discord(tmp_path, server, llm, allowed=[anna]) as talk:
        await talk.hears(anna, server.direct(anna), "My PIN is 4711")
        await server.says(anna, channel, f"<@{server.me.id}> hi", mentions=[server.me])
        await server.posted(2)
        assert "4711" not in str(llm.prompts[-1])
        await talk.hears(anna, server.direct(anna), "Back again")
        assert "hi" not in [entry.text.rpartition(": ")[2] for entry in llm.prompts[-1]]


async def test_calling_it_by_its_mention_alone_is_answered(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    channel = server.channel()
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]):
        await server.says(anna, channel, f"<@{server.me.id}>", mentions=[server.me])
        assert await server.posted(1) == ["@Mira"]
