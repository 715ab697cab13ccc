"""A Discord on loopback for every test here."""

from collections.abc import AsyncIterator

import pytest

from tests.support.discord_server.server import DiscordServer


@pytest.fixture
async def server() -> AsyncIterator[DiscordServer]:
    async with DiscordServer() as server:
        yield server
