"""What the doctor finds of Telegram and Discord."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from aiohttp import web
from aiohttp.test_utils import RawTestServer

from companion.cli.checks import examine
from companion.cli.platform_checks import check_platforms
from companion.events import Sender
from companion.findings import Finding
from companion.home import Home
from companion.settings import parse
from companion.storage import access, people
from companion.storage.database import Database, Tx
from tests.companion.cli.conftest import Here
from tests.support.bot_api import TOKEN as TELEGRAM_TOKEN
from tests.support.bot_api import BotApi, HangsError
from tests.support.discord_server.gateway import MESSAGE_CONTENT
from tests.support.discord_server.server import TOKEN as DISCORD_TOKEN
from tests.support.discord_server.server import DiscordServer

NOON = datetime(2025, 5, 5, 12, 0, tzinfo=UTC)
NO_EMBEDDER = '[embedder]\nkind = "none"\n'
NOWHERE = "http://127.0.0.1:9"


@pytest.fixture
async def api() -> AsyncIterator[BotApi]:
    async with BotApi() as api:
        yield api


@pytest.fixture
async def discord() -> AsyncIterator[DiscordServer]:
    async with DiscordServer() as server:
        yield server


async def telegram_at(home: Path, base_url: str, more: str = "", **environ: str) -> Finding:
    """What is found of Telegram, whose server is at `base_url`."""
    environ = {"TELEGRAM_BOT_TOKEN": TELEGRAM_TOKEN, **environ}
    return await found(home, "telegram", f'[telegram]\nbase_url = "{base_url}"\n{more}', environ)


async def discord_at(home: Path, api_base: str, more: str = "", **environ: str) -> Finding:
    """What is found of Discord, whose server is at `api_base`."""
    environ = {"DISCORD_BOT_TOKEN": DISCORD_TOKEN, **environ}
    return await found(home, "discord", f'[discord]\napi_base = "{api_base}"\n{more}', environ)


async def found(home: Path, about: str, toml: str, environ: dict[str, str]) -> Finding:
    """The finding about one platform; it shows no token."""
    (home / "companion.toml").write_text(NO_EMBEDDER + toml, encoding="utf-8")
    environ["COMPANION_HOME"] = str(home)
    findings = [one async for one in examine(Home(home), environ) if one.about == about]
    (finding,) = findings
    assert not any(
        value in finding.text + finding.advice
        for name, value in environ.items()
        if name.endswith("_TOKEN")
    )
    return finding


async def test_a_platform_that_is_not_set_up_is_no_failure_and_says_how(
    here: Here, tmp_path: Path
) -> None:
    out = (await here(tmp_path, "doctor")).out
    assert "ok    telegram  not set up: TELEGRAM_BOT_TOKEN is not set\n" in out
    assert "@BotFather on Telegram gives one (/newbot)." in out
    assert "ok    discord   not set up: DISCORD_BOT_TOKEN is not set\n" in out
    assert "discord.com/developers/applications shows one" in out


async def test_the_bots_are_called_by_their_names(
    tmp_path: Path, api: BotApi, discord: DiscordServer
) -> None:
    telegram = await telegram_at(tmp_path, api.base_url)
    assert (telegram.state, telegram.text) == ("ok", "@mira_test_bot")
    there = await discord_at(tmp_path, discord.api_base)
    assert (there.state, there.text) == ("ok", discord.me.user()["username"])


async def test_where_nobody_is_let_in_it_says_how(
    tmp_path: Path, api: BotApi, discord: DiscordServer
) -> None:
    for finding in (
        await telegram_at(tmp_path, api.base_url),
        await discord_at(tmp_path, discord.api_base),
    ):
        assert finding.advice.startswith("Nobody is let in there yet: start `companion run`")


async def test_where_the_settings_or_the_operator_let_somebody_in_it_says_nothing(
    tmp_path: Path, api: BotApi, discord: DiscordServer
) -> None:
    assert not (await telegram_at(tmp_path, api.base_url, "allowed = [7]")).advice

    def let_in(tx: Tx) -> None:
        person = people.with_account(tx, "discord", Sender(user="8", name="Anna"), NOON)
        access.admit(tx, person, "discord", "8", NOON)

    database = await Database.open(Home(tmp_path).database)
    await database.write(let_in)
    await database.close()
    assert not (await discord_at(tmp_path, discord.api_base)).advice
    assert (await telegram_at(tmp_path, api.base_url)).advice


async def test_a_token_that_is_refused_is_named(
    tmp_path: Path, api: BotApi, discord: DiscordServer
) -> None:
    api.wrong_token = True
    telegram = await telegram_at(tmp_path, api.base_url)
    assert (telegram.state, "refuses TELEGRAM_BOT_TOKEN" in telegram.text) == ("fail", True)
    discord.token_valid = False
    there = await discord_at(tmp_path, discord.api_base)
    assert (there.state, "refuses DISCORD_BOT_TOKEN" in there.text) == ("fail", True)


@pytest.mark.parametrize("token", ["mira_test_bot", "123456:short", "Bot " + DISCORD_TOKEN])
async def test_a_token_of_a_wrong_form_is_found_without_asking_anybody(
    tmp_path: Path, api: BotApi, discord: DiscordServer, token: str
) -> None:
    telegram = await telegram_at(tmp_path, api.base_url, TELEGRAM_BOT_TOKEN=token)
    assert (telegram.state, telegram.text) == (
        "fail",
        "TELEGRAM_BOT_TOKEN holds no token of a bot",
    )
    there = await discord_at(tmp_path, discord.api_base, DISCORD_BOT_TOKEN=token)
    assert (there.state, there.text) == ("fail", "DISCORD_BOT_TOKEN holds no token of a bot")
    assert (api.calls, discord.requests) == ([], [])


async def test_a_server_that_cannot_be_reached_is_named_with_its_setting(tmp_path: Path) -> None:
    telegram = await telegram_at(tmp_path, f"{NOWHERE}/bot")
    assert telegram.text == "Telegram at 127.0.0.1:9 can't be reached"
    assert telegram.advice.endswith(f'telegram.base_url = "{NOWHERE}/bot".')
    there = await discord_at(tmp_path, f"{NOWHERE}/api")
    assert there.text == "Discord at 127.0.0.1:9 can't be reached"
    assert there.advice.endswith(f'discord.api_base = "{NOWHERE}/api".')


async def test_a_server_that_does_not_answer_is_not_waited_for_long(
    tmp_path: Path, api: BotApi
) -> None:
    api.faults["getme"].append(HangsError())
    settings = parse(f'[telegram]\nbase_url = "{api.base_url}"', "companion.toml")
    environ = {"TELEGRAM_BOT_TOKEN": TELEGRAM_TOKEN}
    checks = check_platforms(settings, Home(tmp_path), environ, patience=timedelta(seconds=0.2))
    telegram = await anext(checks)
    assert telegram.state == "fail"
    assert telegram.text == f"Telegram at {urlsplit(api.base).netloc} does not answer"


@pytest.mark.parametrize(
    ("status", "body"),
    [(200, "<html>Welcome</html>"), (404, "nothing here"), (502, "{}"), (200, "[" * 100_000)],
)
async def test_a_server_that_is_another_one_is_named(
    tmp_path: Path, status: int, body: str
) -> None:
    async def answer(_: web.BaseRequest) -> web.Response:
        return web.Response(status=status, text=body, content_type="text/html")

    async with RawTestServer(answer) as server:
        for finding in (
            await telegram_at(tmp_path, str(server.make_url("/bot"))),
            await discord_at(tmp_path, str(server.make_url("/api"))),
        ):
            assert finding.state == "fail"
            assert f"answers HTTP {status}, and not as" in finding.text
            assert str(server.port) in finding.advice


@pytest.mark.parametrize("setting", ["read_all = true", "channels = [5]"])
async def test_an_intent_that_the_settings_need_and_discord_lacks_is_named(
    tmp_path: Path, discord: DiscordServer, setting: str
) -> None:
    without = await discord_at(tmp_path, discord.api_base, setting)
    assert (without.state, "Message Content Intent" in without.text) == ("fail", True)
    discord.gateway.intents_granted |= MESSAGE_CONTENT
    assert (await discord_at(tmp_path, discord.api_base, setting)).state == "ok"


async def test_a_web_hook_without_its_secret_is_named(tmp_path: Path, api: BotApi) -> None:
    hook = 'webhook_url = "https://bot.example.com/hook"'
    without = await telegram_at(tmp_path, api.base_url, hook)
    assert (without.state, "TELEGRAM_WEBHOOK_SECRET" in without.text) == ("fail", True)
    with_one = await telegram_at(tmp_path, api.base_url, hook, TELEGRAM_WEBHOOK_SECRET="s3cret")
    assert with_one.state == "ok"
