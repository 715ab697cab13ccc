"""Telegram calls us with each update; it is on disk before we answer 200."""

import asyncio
import hmac
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from aiohttp import web
from telegram import Bot
from telegram.error import InvalidToken, TelegramError

from adapters.backoff import Backoff
from adapters.base import Host
from adapters.telegram.connection import Sleep
from adapters.telegram.failures import TokenRefusedError
from adapters.telegram.to_event import PLATFORM, UPDATES
from adapters.telegram.updates import read
from companion.errors import DatabaseError, SettingsError

logger = logging.getLogger(__name__)

SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - the header's name
LARGEST_BODY = 2**20
WITHOUT = (
    "telegram.webhook_url needs TELEGRAM_WEBHOOK_SECRET in the environment: 1 to 256 letters,"
    " digits, _ and -. Without it anybody could send messages in other people's names."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """Where Telegram calls us (`url`), and where we listen for it."""

    url: str
    secret: str
    host: str
    port: int

    def __post_init__(self) -> None:
        allowed = self.secret.replace("_", "").replace("-", "")
        if not (
            self.secret and len(self.secret) <= 256 and allowed.isalnum() and allowed.isascii()
        ):
            raise SettingsError(WITHOUT)


class WebhookServer:
    """Takes in what Telegram sends to the web hook."""

    def __init__(
        self,
        bot: Bot,
        webhook: Webhook,
        *,
        take: Callable[[object], Awaitable[None]],
        host: Host,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._bot = bot
        self._webhook = webhook
        self._take = take
        self._host = host
        self._sleep = sleep
        self.port = 0
        self.listening = asyncio.Event()

    async def run(self) -> None:
        """Listen until cancelled.

        Raises:
            TokenRefusedError: there is no bot with this token.
        """
        app = web.Application(client_max_size=LARGEST_BODY)
        app.router.add_post(urlsplit(self._webhook.url).path or "/", self._receive)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        try:
            await web.TCPSite(runner, self._webhook.host, self._webhook.port).start()
            self.port = runner.addresses[0][1]
            await self._register()
            self.listening.set()
            await asyncio.Event().wait()
        finally:
            await runner.cleanup()

    async def _register(self) -> None:
        backoff = Backoff()
        while True:
            try:
                await self._bot.set_webhook(
                    self._webhook.url,
                    secret_token=self._webhook.secret,
                    allowed_updates=UPDATES,
                    drop_pending_updates=False,
                )
            except InvalidToken:
                raise TokenRefusedError from None
            except TelegramError as error:
                words = error.message.replace(self._bot.token, "…")
                trouble = f"Telegram does not take the web hook: {words}"
                pause = backoff.next()
                logger.warning("%s; trying again in %.0f s", trouble, pause)
                await self._host.troubled(PLATFORM, trouble)
                await self._sleep(pause)
            else:
                await self._host.heard(PLATFORM)
                return

    async def _receive(self, request: web.Request) -> web.Response:
        secret = request.headers.get(SECRET_HEADER, "")
        if not hmac.compare_digest(secret.encode(), self._webhook.secret.encode()):
            logger.warning("somebody called the web hook without its secret")
            return web.Response(status=403)
        body = await request.read()
        try:
            given = read(body)
        except ValueError:  # cut short on its way, perhaps: it comes again
            logger.warning("the web hook was given something that is not JSON")
            return web.Response(status=400)
        try:
            await self._take(given)
        except DatabaseError as error:
            logger.error("an update can't be stored, and comes again: %s", error)  # noqa: TRY400
            return web.Response(status=503)
        await self._host.heard(PLATFORM)
        return web.Response()
