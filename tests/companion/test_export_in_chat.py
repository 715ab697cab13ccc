"""/export: everything of a person's, handed to them alone."""

import io
import zipfile
from pathlib import Path

import pytest

from adapters.terminal.lines import Lines, one_line
from adapters.terminal.translate import address
from companion.events import Document, OutgoingMessage, Sender
from tests.adapters.discord.conftest import server as server
from tests.adapters.telegram.conftest import api as api
from tests.support.bot_api import BotApi
from tests.support.canaries import CANARY, OTHER, living
from tests.support.discord_server.server import DiscordServer
from tests.support.discord_world import on_discord
from tests.support.scripted_llm import ScriptedLLM, sends
from tests.support.telegram_world import on_telegram
from tests.support.virtual_clock import VirtualClock
from tests.support.world import a_world


def unpacked(content: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name).decode() for name in archive.namelist()}


async def test_everything_of_theirs_comes_as_a_file_and_nothing_of_anothers(
    tmp_path: Path,
) -> None:
    async with living(tmp_path) as world:
        await world.say("/export")
        ((chat, document),) = world.documents
        assert (chat, document.name) == ("Anna", "companion-2025-05-05.zip")
        files = unpacked(document.content)
        # the file itself does not stay in the database
        assert await world.rows("SELECT COUNT(document) FROM outbox") == [(0,)]
    assert CANARY in files["memory.md"]
    assert not [name for name, text in files.items() if OTHER in text]


async def test_asked_for_in_a_group_it_comes_in_private(tmp_path: Path) -> None:
    async with living(tmp_path) as world:
        answer = await world.happens(world.message("/export", group="club"))
    assert answer == ["I'll send it to you in our private chat."]
    ((chat, document),) = world.documents
    assert chat == "Anna"
    assert CANARY in unpacked(document.content)["memory.md"]


async def test_who_has_no_private_chat_is_told_to_begin_one(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM()) as world:
        (answer,) = await world.happens(world.message("/export", "Carla", group="club"))
    assert answer == "That is for the two of us: write /export to me in our private chat."


async def test_a_file_that_was_not_sent_before_a_kill_is_sent_after_it(tmp_path: Path) -> None:
    async with a_world(tmp_path, ScriptedLLM(), deliver=False) as world:
        await world.companion.handle(world.message("/export"))
        await world.companion.quiet()
    async with a_world(tmp_path, ScriptedLLM()) as world:
        await world.companion.quiet()
    ((_, document),) = world.documents
    assert "memory.md" in unpacked(document.content)


async def test_on_telegram_it_is_a_document(tmp_path: Path, api: BotApi) -> None:
    async with on_telegram(tmp_path, api, ScriptedLLM(sends("Hi"))):
        await api.write("I like plums")
        await api.until_sent(1)
        await api.write("/export")
        await api.until_sent(2)
    name, content = api.sent[1]["file"]
    assert name.startswith("companion-")
    assert "plums" in unpacked(content)["messages.md"]
    assert api.sent[1]["text"].startswith("Here is everything")


async def test_on_discord_it_is_an_attachment(
    tmp_path: Path,
    server: DiscordServer,
) -> None:
    anna = server.person("Anna")
    async with on_discord(tmp_path, server, ScriptedLLM(sends("Hi")), allowed=[anna]):
        await server.says(anna, server.direct(anna), "I like plums")
        await server.posted(1)
        await server.says(anna, server.direct(anna), "/export")
        await server.posted(2)
    ((name, content),) = server.posts[1].files
    assert name.startswith("companion-")
    assert "plums" in unpacked(content)["messages.md"]
    assert server.posts[1].content.startswith("Here is everything")


async def test_in_a_terminal_it_is_written_to_a_file_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, shown = Sender(user="anna", name="Anna"), list[str]()

    async def quiet() -> None:
        pass

    terminal = Lines(
        one_line(""), person=anna, clock=VirtualClock(), quiet=quiet, show=shown.append
    )
    document = Document("companion.zip", b"zip")
    for number in (1, 2):
        message = OutgoingMessage(id=number, address=address(anna), text="Here.", document=document)
        monkeypatch.chdir(tmp_path)
        await terminal.send(message)
    assert shown == [
        f"Here.\n\nIt is in {tmp_path / 'companion.zip'}",
        f"Here.\n\nIt is in {tmp_path / 'companion-2.zip'}",
    ]
    assert (tmp_path / "companion-2.zip").read_bytes() == b"zip"
    assert (tmp_path / "companion.zip").stat().st_mode & 0o077 == 0
