"""Edits, deletions, reactions, and files."""

from pathlib import Path

import pytest

from tests.adapters.discord.test_direct_messages import WaitingLLM
from tests.support.discord_server.server import DiscordServer
from tests.support.discord_world import DiscordWorld, echo, on_discord
from tests.support.scripted_llm import ScriptedLLM, calls, says


async def test_a_link_preview_is_no_edit(tmp_path: Path, server: DiscordServer) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        said = await server.says(anna, chat, "See https://example.com")
        await server.posted(1)
        await server.shows_preview(said)
        assert await talk.hears(anna, chat, "Hi") == ["Hi"]
        kinds = await talk.world.rows("SELECT DISTINCT kind FROM inbox")
    assert kinds == [("MessageReceived",)]


async def test_a_link_preview_after_an_edit_is_no_second_edit(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        said = await server.says(anna, chat, "See exmple.com")
        await server.posted(1)
        await server.edits(said, "See https://example.com")
        await server.shows_preview(said)
        await talk.hears(anna, chat, "Hi")
        edits = await talk.world.rows("SELECT id FROM inbox WHERE kind = 'MessageEdited'")
    assert len(edits) == 1


async def test_an_edit_of_an_answered_message_is_seen_by_the_next_turn(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    llm = ScriptedLLM(echo)
    async with on_discord(tmp_path, server, llm, allowed=[anna]) as talk:
        said = await server.says(anna, chat, "At three")
        await server.posted(1)
        await server.edits(said, "At four")
        assert await talk.hears(anna, chat, "Fine?") == ["Fine?"]
    assert "changed an earlier message to) At four" in str(llm.prompts[-1])


async def test_an_edit_after_a_restart_is_seen_though_no_cache_knows_the_message(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]):
        said = await server.says(anna, chat, "At three")
        await server.posted(1)
    llm = ScriptedLLM(echo)
    async with on_discord(tmp_path, server, llm, allowed=[anna]) as talk:
        await server.edits(said, "At four")
        await talk.hears(anna, chat, "Fine?")
    assert "At four" in str(llm.prompts[-1])


async def test_a_message_that_is_deleted_while_it_waits_is_never_answered(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    llm = WaitingLLM(only="first")
    async with on_discord(tmp_path, server, llm, allowed=[anna]) as talk:
        await server.says(anna, chat, "first")
        secret = await server.says(anna, chat, "my PIN is 4711")
        await server.deletes(secret)
        await server.says(anna, chat, "last")
        llm.may_answer.set()
        assert await server.posted(2) == ["first", "last"]
        await talk.world.companion.quiet()
        assert await talk.world.rows("SELECT said FROM message WHERE said LIKE '%4711%'") == []


async def test_a_message_that_is_deleted_while_its_answer_is_thought_of_is_not_answered(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    llm = WaitingLLM(only="my PIN is 4711")
    async with on_discord(tmp_path, server, llm, allowed=[anna]) as talk:
        secret = await server.says(anna, chat, "my PIN is 4711")
        await server.until(lambda: server.typing)
        await server.deletes(secret)
        await talk.taken_in(2)
        llm.may_answer.set()
        assert await talk.hears(anna, chat, "last") == ["last"]
        await talk.world.companion.quiet()
        assert await everywhere(talk, "4711") == 0


async def test_what_was_said_in_a_message_that_is_deleted_later_is_gone_and_memory_looked_at_again(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    llm = ScriptedLLM(
        calls(
            ("working_context_append", {"text": "Has a secret."}),
            ("send_message", {"message": "Noted."}),
        ),
        calls(
            ("working_context_append", {"text": "Is discreet."}),
            ("stay_silent", {}),
        ),
        echo,
    )
    async with on_discord(tmp_path, server, llm, allowed=[anna]) as talk:
        secret = await server.says(anna, chat, "my PIN is 4711")
        await server.posted(1)
        await server.deletes(secret)
        assert await talk.hears(anna, chat, "last") == ["last"]
        await talk.world.companion.quiet()
        assert await everywhere(talk, "4711") == 0
        memory = await talk.world.companion.memory_of("discord", str(anna.id))
        assert memory is not None
        assert "Is discreet." in await memory.working_context()
        assert await everywhere(talk, "Has a secret") == 0
    assert "deleted an earlier message" in str(llm.prompts[1])
    assert "4711" not in str(llm.prompts[1])


async def test_a_deletion_of_what_the_companion_never_saw_means_nothing(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]) as talk:
        await server.deletes(server.said_unheard(anna, chat, "before we met"))
        assert await talk.hears(anna, chat, "Hi") == ["Hi"]
        assert await talk.world.rows("SELECT kind FROM inbox") == [("MessageReceived",)]


async def test_reactions_are_seen_by_the_next_turn(tmp_path: Path, server: DiscordServer) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    llm = ScriptedLLM(echo)
    async with on_discord(tmp_path, server, llm, allowed=[anna]) as talk:
        await talk.hears(anna, chat, "Hi")
        answer = server.history[chat.id][-1]
        await server.reacts(anna, answer, "❤️")
        await server.gateway.replay(1)
        await server.reacts(anna, answer, "❤️", removed=True)
        await server.reacts(anna, answer, "🎉")
        await talk.hears(anna, chat, "More")
        reactions = await talk.world.rows("SELECT id FROM inbox WHERE kind = 'ReactionReceived'")
    assert len(reactions) == 3
    prompt = str(llm.prompts[-1])
    assert "(Anna reacted with ❤️" in prompt
    assert "(Anna took back ❤️" in prompt
    assert "(Anna reacted with 🎉" in prompt


async def test_reactions_of_others_and_to_others_mean_nothing(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna, ben, eve = server.person("Anna"), server.person("Ben"), server.person("Eve")
    channel = server.channel()
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna, ben]) as talk:
        await server.says(anna, channel, f"<@{server.me.id}> hi", mentions=[server.me])
        await server.posted(1)
        asked, answer = server.history[channel.id]
        await server.reacts(ben, asked, "👍")
        await server.reacts(eve, answer, "👎")
        await server.reacts(ben, answer, "🎉")
        await talk.hears(anna, server.direct(anna), "Hi")
        await talk.world.companion.quiet()
        rows = await talk.world.rows("SELECT body FROM inbox WHERE kind = 'ReactionReceived'")
    assert len(rows) == 1
    assert "🎉" in str(rows)


async def test_a_text_file_is_read(tmp_path: Path, server: DiscordServer) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    llm = ScriptedLLM(says("Nice."))
    note = server.attachment("message.txt", "Dear Mira, é".encode(), "text/plain; charset=utf-8")
    async with on_discord(tmp_path, server, llm, allowed=[anna]):
        await server.says(anna, chat, "Read this", attachments=[note])
        assert await server.posted(1) == ["Nice."]
    assert "Read this\n\n(message.txt:)\nDear Mira, é" in llm.prompts[0][-2].text


async def test_of_a_large_text_file_the_beginning_is_read_and_the_rest_is_said_to_be_cut(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    large = server.attachment("log.txt", b"line of a log\n" * 430_000, "text/plain")
    assert large["size"] > 6_000_000
    async with on_discord(tmp_path, server, ScriptedLLM(says("Long.")), allowed=[anna]) as talk:
        await server.says(anna, chat, "", attachments=[large])
        assert await server.posted(1) == ["Long."]
        ((body,),) = await talk.world.rows("SELECT body FROM inbox")
    assert "the first 60,000 of 6,020,000 characters; the rest was not read" in str(body)
    assert len(str(body)) < 70_000


async def test_a_file_that_cannot_be_fetched_is_still_a_file(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    llm = ScriptedLLM(says("Send it again?"))
    note = server.attachment("notes.txt", b"text", "text/plain")
    server.files.clear()
    async with on_discord(tmp_path, server, llm, allowed=[anna]):
        await server.says(anna, chat, "", attachments=[note])
        await server.posted(1)
    assert "notes.txt could not be fetched" in llm.prompts[0][-2].text


async def test_several_files_of_one_message_are_one_event_and_none_is_lost(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    llm = ScriptedLLM(says("Lovely."))
    files = [server.attachment(f"{n}.png", b"png", "image/png") for n in range(3)]
    async with on_discord(tmp_path, server, llm, allowed=[anna]) as talk:
        await server.says(anna, chat, "Look", attachments=files)
        assert await server.posted(1) == ["Lovely."]
        names = await talk.world.rows("SELECT body ->> '$.name' FROM inbox ORDER BY id")
    assert names == [("0.png",), ("1.png",), ("2.png",)]
    (told,) = [one.text for one in llm.prompts[0] if "sent 3 files" in one.text]
    assert all(f"“{n}.png”" in told for n in range(3))
    assert told.endswith(" and wrote: Look")


@pytest.mark.parametrize("words", ["A sticker", "Wave"])
async def test_a_sticker_is_told_in_words(
    tmp_path: Path, server: DiscordServer, words: str
) -> None:
    anna = server.person("Anna")
    chat = server.direct(anna)
    sticker = {"id": "5", "name": words, "format_type": 1}
    async with on_discord(tmp_path, server, ScriptedLLM(echo), allowed=[anna]):
        await server.says(anna, chat, "", sticker_items=[sticker])
        assert await server.posted(1) == [f"(sticker: {words})"]


async def everywhere(talk: DiscordWorld, text: str) -> int:
    """In how many rows `text` still stands."""
    tables = ("inbox", "message", "passage")
    rows = [await talk.world.rows(f"SELECT * FROM {table}") for table in tables]
    return sum(text in str(row) for table in rows for row in table)
