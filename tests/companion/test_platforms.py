"""What an adapter tells the companion besides events."""

from pathlib import Path

import pytest

from companion.events import Sender
from companion.llm.protocol import Reply
from tests.support.scripted_llm import ScriptedLLM, sends
from tests.support.world import a_world


def listens(_messages: object) -> Reply:
    return sends("Hm.")


async def test_what_a_platform_gives_can_be_kept_whatever_characters_are_in_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    odd = "a\ud800b"
    async with a_world(tmp_path, ScriptedLLM(listens)) as world:
        platforms = world.companion.platforms
        await platforms.unreadable("test", odd, user=odd, body=odd, error=odd)
        assert not await platforms.admits("telegram", odd)
        assert await platforms.turned_away("telegram", Sender(user=odd, name=odd), odd)
        assert await platforms.event("test", odd) is None
        await platforms.troubled("test", odd)
        await platforms.moved("test", odd, odd)
        assert await world.rows("SELECT error FROM dead_letter") == [("a\ufffdb",)]
    assert "can't be read" in caplog.text
