"""The whole program, against a real server that speaks OpenAI's protocol."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from companion.app import open_companion
from companion.events import Address, MessageReceived, OutgoingMessage, Sender
from companion.running import Companion
from companion.settings import EmbedderSettings, Settings
from tests.support.model_refusals import Asked
from tests.support.model_server import Answer, Embeddings, Hang, ModelServer, says
from tests.support.virtual_clock import VirtualClock

ADDRESS = Address(platform="test", chat="7")


def settings(*servers: ModelServer) -> Settings:
    models = [{"base_url": server.base_url, "name": "scripted"} for server in servers]
    return Settings.model_validate({"models": models, "embedder": {"kind": "none"}})


def message(text: str, known_as: str, user: str = "7") -> MessageReceived:
    return MessageReceived(
        id=known_as,
        address=Address(platform="test", chat=user),
        sender=Sender(user=user, name="Anna"),
        at=datetime(2025, 5, 5, 12, tzinfo=UTC),
        text=text,
    )


@asynccontextmanager
async def opened(*where: Any, **how: Any) -> AsyncIterator[Companion]:
    """A companion that hears everybody on these platforms."""
    async with open_companion(*where, **how) as companion:
        companion.people.trust("test")
        companion.people.trust("other")
        yield companion


class Chat:
    """A platform that keeps what it is given."""

    def __init__(self, companion: Companion) -> None:
        self.texts: list[str] = []
        self.typing: list[bool] = []
        companion.deliver("test", self.send)
        companion.typing("test", lambda _address, shown: self.typing.append(shown))

    async def send(self, message: OutgoingMessage) -> None:
        self.texts.append(message.text)


async def test_a_message_is_answered_over_the_wire(tmp_path: Path) -> None:
    async with (
        ModelServer([says("Hello!")]) as server,
        opened(tmp_path, settings=settings(server), environ={}) as companion,
    ):
        chat = Chat(companion)
        assert await companion.handle(message("Hi", "1"))
        await companion.quiet()
        assert chat.texts == ["Hello!"]
        assert chat.typing == [True, False]


async def test_the_second_model_answers_when_the_first_is_gone(tmp_path: Path) -> None:
    async with ModelServer([]) as gone:
        first = settings(gone).models[0]
    async with ModelServer([says("From the second.")]) as server:
        both = settings(server)
        both = both.model_copy(update={"models": (first, *both.models)})
        async with opened(tmp_path, settings=both, environ={}, clock=VirtualClock()) as companion:
            chat = Chat(companion)
            await companion.handle(message("Hi", "1"))
            await companion.quiet()
            assert chat.texts == ["From the second."]


async def test_an_event_that_came_before_a_restart_is_not_taken_again(tmp_path: Path) -> None:
    async with ModelServer([says("Hello!")]) as server:
        async with opened(tmp_path, settings=settings(server), environ={}) as companion:
            await companion.handle(message("Hi", "1"))
        async with opened(tmp_path, settings=settings(server), environ={}) as companion:
            assert not await companion.handle(message("Hi", "1"))


async def test_what_nobody_took_before_the_stop_is_delivered_after_it(tmp_path: Path) -> None:
    async with ModelServer([says("Hello!")]) as server:
        async with opened(tmp_path, settings=settings(server), environ={}) as companion:
            await companion.handle(message("Hi", "1"))
            await companion.quiet()
        async with opened(tmp_path, settings=settings(server), environ={}) as companion:
            chat = Chat(companion)
            await companion.quiet()
            assert chat.texts == ["Hello!"]


async def test_a_stop_in_the_middle_of_a_turn_loses_nothing(tmp_path: Path) -> None:
    script: list[Answer] = [Hang(), says("Here is your answer.")]
    async with ModelServer(script) as server:
        program = asyncio.create_task(_run_until_cancelled(tmp_path, server))
        await _until_asked(server)
        program.cancel()
        await asyncio.wait([program])
        async with opened(tmp_path, settings=settings(server), environ={}) as companion:
            chat = Chat(companion)
            await companion.quiet()
            assert chat.texts == ["Here is your answer."]
        assert len(server.requests) == 2


async def _until_asked(server: ModelServer) -> None:
    while not server.requests:  # noqa: ASYNC110 - it knows no event
        await asyncio.sleep(0.01)


async def _run_until_cancelled(folder: Path, server: ModelServer) -> None:
    async with opened(folder, settings=settings(server), environ={}) as companion:
        await companion.handle(message("Hi", "1"))
        await asyncio.Event().wait()


async def test_an_error_of_who_embeds_it_comes_out_as_it_is(tmp_path: Path) -> None:
    async with ModelServer([]) as server:
        with pytest.raises(KeyError, match="theirs"):
            async with opened(tmp_path, settings=settings(server), environ={}):
                raise KeyError("theirs")


async def test_nul_and_lone_surrogates_do_not_stop_a_chat(tmp_path: Path) -> None:
    async with (
        ModelServer([says("Hm?"), says("Ah.")]) as server,
        opened(tmp_path, settings=settings(server), environ={}) as companion,
    ):
        chat = Chat(companion)
        await companion.handle(message("a\0b \ud800 c", "1"))
        await companion.handle(message("und jetzt 上海 😀", "2"))
        await companion.quiet()
        assert chat.texts == ["Hm?", "Ah."]
    sent = [asked["messages"][-2]["content"] for asked in server.requests]
    assert sent[0].endswith("ab \ufffd c")
    assert sent[1].endswith("und jetzt 上海 😀")


async def test_equal_ids_of_two_platforms_are_two_people(tmp_path: Path) -> None:
    async with (
        ModelServer([says("one"), says("two")]) as server,
        opened(tmp_path, settings=settings(server), environ={}) as companion,
    ):
        other = Address(platform="other", chat="7")
        event = MessageReceived(
            id="1",
            address=other,
            sender=Sender(user="7", name="Anna"),
            at=message("", "1").at,
            text="I am the other",
        )
        await companion.handle(message("I am the one", "1"))
        await companion.quiet()
        await companion.handle(event)
        await companion.quiet()
    assert "I am the one" not in str(server.requests[1]["messages"])


class Noticed:
    """Vectors, and a sign that they were asked for."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    async def send(
        self, request: web.BaseRequest, asked: Asked, until: asyncio.Event
    ) -> web.StreamResponse:
        self.asked.set()
        return await Embeddings().send(request, asked, until)


async def test_what_is_said_gets_its_vector_while_the_companion_runs(tmp_path: Path) -> None:
    first, second = Noticed(), Noticed()
    async with ModelServer([says("Hello!"), says("Indeed.")]) as server:
        server.embedding_answers.extend([first, second])
        embedder = {"kind": "openai", "model": "words", "base_url": server.base_url}
        embedding = settings(server).model_copy(
            update={"embedder": EmbedderSettings.model_validate(embedder)}
        )
        async with opened(tmp_path, settings=embedding, environ={}) as companion:
            await companion.handle(message("Hi", "1"))
            await first.asked.wait()
            await companion.handle(message("Nice weather", "2"))
            await second.asked.wait()
    assert "Nice weather" in str(server.embedded[1]["input"])
