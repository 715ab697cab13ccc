"""What a home is opened with, and what is closed again when that fails."""

from pathlib import Path

import pytest

from companion.clock import SystemClock
from companion.errors import HomeInUseError, SettingsError
from companion.home import Home
from companion.opening import open_storage
from companion.settings import EmbedderSettings, Settings

UNNAMED = Settings(embedder=EmbedderSettings(kind="openai"))


async def test_in_a_home_that_is_in_use_nothing_is_built(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.make()
    with home.lock(SystemClock()), pytest.raises(HomeInUseError):
        async with open_storage(tmp_path, settings=UNNAMED, environ={}):
            pass


async def test_settings_that_nothing_can_be_built_from_leave_the_home_free(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"embedder\.model"):
        async with open_storage(tmp_path, settings=UNNAMED, environ={}):
            pass
    async with open_storage(
        tmp_path, settings=Settings(embedder=EmbedderSettings(kind="none")), environ={}
    ) as storage:
        assert storage.vectorizer is None
