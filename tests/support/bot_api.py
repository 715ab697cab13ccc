"""A Bot API server on loopback that refuses what Telegram refuses, in its words."""

import asyncio
import json
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.support.telegram_rules import (
    REACTIONS,
    Json,
    Refusal,
    RefusedError,
    check_commands,
    check_text,
    keyboard_of,
)

TOKEN = "123456:AAtest-TOKEN_of-no-bot-at-all_0123456789"
BOT: Json = {"id": 123456, "is_bot": True, "first_name": "Mira", "username": "mira_test_bot"}
NOW = 1_746_446_400  # 5 May 2025, 12:00 UTC


class FaultError(Exception):
    """The server misbehaves for one request."""


class HangsUpError(FaultError):
    """The connection is cut before anything is done."""


class HangsUpAfterError(FaultError):
    """The request is carried out, and the connection cut before the answer."""


class HangsError(FaultError):
    """Nothing is done, and no answer comes."""


@dataclass(frozen=True)
class AnswersError(FaultError):
    """The answer is `body`, whatever was asked; nothing is done."""

    body: str
    status: int = 200


def too_many(retry_after: float) -> Refusal:
    return Refusal(
        429, f"Too Many Requests: retry after {retry_after}", {"retry_after": retry_after}
    )


BLOCKED = Refusal(403, "Forbidden: bot was blocked by the user")
CONFLICT = Refusal(
    409,
    "Conflict: terminated by other getUpdates request; make sure that only one bot instance is"
    " running",
)
CANT_PARSE = Refusal(400, "Bad Request: can't parse entities: Unsupported start tag at byte 5")
NOT_MODIFIED = Refusal(
    400,
    "Bad Request: message is not modified: specified new message content and reply markup are"
    " exactly the same as a current content and reply markup of the message",
)


class BotApi:
    """A server for one bot. `sent` are the messages that arrived, in order."""

    def __init__(self, port: int = 0) -> None:
        self._port = port
        self.sent: list[Json] = []
        self.actions: list[Json] = []
        self.reactions: list[tuple[str, ...]] = []
        self.calls: list[tuple[str, Json]] = []
        self.commands: dict[str, list[Json]] = {}
        self.unanswered: set[str] = set()
        self.answered: list[str] = []
        self.webhook: Json = {"url": ""}
        self.faults: dict[str, deque[Refusal | FaultError]] = defaultdict(deque)
        self.confirmed = 0
        self.garbled: dict[int, object] = {}
        self.wrong_token = False
        self.base = ""
        self._updates: deque[Json] = deque()
        self._number = 1000
        self._message = 0
        self._queries = 0
        self._polls = 0
        self._closing = False
        self._changed = asyncio.Condition()
        self._runner = web.ServerRunner(web.Server(self._handle), shutdown_timeout=0.2)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.stop()

    async def start(self) -> None:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port).start()
        host, port = self._runner.addresses[0][:2]
        self.base = f"http://{host}:{port}"

    async def stop(self) -> None:
        self._closing = True
        await self.change()
        await self._runner.cleanup()

    @property
    def base_url(self) -> str:
        return f"{self.base}/bot"

    @property
    def base_file_url(self) -> str:
        return f"{self.base}/file/bot"

    @property
    def texts(self) -> list[str]:
        """What arrived."""
        return [message["text"] for message in self.sent]

    @property
    def waiting(self) -> list[int]:
        """The updates that nobody confirmed."""
        return [update["update_id"] for update in self._updates]

    # What people do

    async def give(self, *updates: Json) -> None:
        """Have `updates` wait to be asked for; each without a number gets the next one."""
        for update in updates:
            self._number = update.get("update_id", self._number + 1)
            self._updates.append({"update_id": self._number, **update})
        await self.change()

    async def give_garbled(self, *updates: object) -> None:
        """Have what is no update wait, each under the next number, which only we know."""
        for update in updates:
            self.garbled[self._number + 1] = update
            await self.give({})

    async def write(self, text: str, **more: Any) -> Json:
        """A person writes in their private chat; see `message` for what else can be said."""
        sent = self.message(text, **more)
        await self.give({"message": sent})
        return sent

    async def press(self, sent: Json, label: str, *, user: int = 7) -> None:
        """A person presses the button that says `label` below a message of `sent`."""
        (data,) = [
            button["callback_data"]
            for row in sent["keyboard"]
            for button in row
            if button["text"] == label
        ]
        await self.press_data(sent, data, user=user)

    async def press_data(self, sent: Json, data: str, *, user: int = 7) -> None:
        """A client says that a button with this data was pressed."""
        self._queries += 1
        query = {
            "id": f"query{self._queries}",
            "from": person(user),
            "chat_instance": "1",
            "message": {name: sent[name] for name in ("message_id", "date", "from", "chat")},
            "data": data,
        }
        self.unanswered.add(f"query{self._queries}")
        await self.give({"callback_query": query})

    def message(self, text: str | None = None, *, user: int = 7, **more: Any) -> Json:
        """A message, in private unless `chat` is given."""
        self._message += 1
        message: Json = {
            "message_id": self._message,
            "date": NOW + self._message * 60,
            "from": person(user),
            "chat": {"id": user, "type": "private", "first_name": f"User{user}"},
            **more,
        }
        if text is not None:
            message["text"] = text
            if text.startswith("/") and "entities" not in more:
                message["entities"] = [
                    {"type": "bot_command", "offset": 0, "length": len(text.split()[0])}
                ]
        return message

    # Waiting for what the bot does

    async def until(self, true: Callable[[], bool], *, seconds: float = 60) -> None:
        """Return when `true` holds; it is asked whenever something happens here."""
        # not `wait_for`, which may swallow that somebody is cancelled (before Python 3.12)
        async with asyncio.timeout(seconds), self._changed:
            await self._changed.wait_for(true)

    async def until_sent(self, number: int) -> list[str]:
        """The texts that arrived, once there are so many."""
        await self.until(lambda: len(self.sent) >= number)
        return self.texts

    async def change(self) -> None:
        """Let all who wait look again."""
        async with self._changed:
            self._changed.notify_all()

    def called(self, method: str) -> list[Json]:
        """What `method` was called with."""
        return [given for name, given in self.calls if name == method]

    # The server

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        token, _, method = request.path.removeprefix("/bot").partition("/")
        given: Json = dict(request.query)
        try:
            given.update(await request.post())
        except ConnectionResetError:  # a bot that was killed
            return web.Response()
        self.calls.append((method, given))
        await self.change()
        try:
            result = await self._answer(token, method.casefold(), given)
        except RefusedError as error:
            return _refuse(error.refusal)
        except AnswersError as fault:
            return web.json_response(text=fault.body, status=fault.status)
        except FaultError:
            if request.transport is not None:
                request.transport.close()
            return web.Response()
        finally:
            await self.change()
        return web.json_response({"ok": True, "result": result})

    async def _answer(self, token: str, method: str, given: Json) -> Any:
        if token != TOKEN or self.wrong_token:
            raise RefusedError(401, "Unauthorized")
        fault = self.faults[method].popleft() if self.faults[method] else None
        if isinstance(fault, Refusal):
            raise RefusedError(fault.code, fault.description, **fault.parameters)
        if isinstance(fault, HangsError):
            async with self._changed:
                await self._changed.wait_for(lambda: self._closing)
            raise fault
        if isinstance(fault, HangsUpError | AnswersError):
            raise fault
        run = getattr(self, f"_do_{method}", None)
        if run is None:
            raise RefusedError(404, "Not Found")
        result = await run(given)
        if isinstance(fault, HangsUpAfterError):
            raise fault
        return result

    async def _do_getme(self, _given: Json) -> Json:
        return BOT

    async def _do_getupdates(self, given: Json) -> list[object]:
        if self.webhook["url"]:
            raise RefusedError(
                409,
                "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook"
                " to delete the webhook first",
            )
        self._polls += 1
        mine = self._polls
        if "offset" in given:
            self.confirmed = max(self.confirmed, int(given["offset"]) - 1)
            while self._updates and self._updates[0]["update_id"] <= self.confirmed:
                self._updates.popleft()
        await self.change()
        async with self._changed:
            try:
                async with asyncio.timeout(float(given.get("timeout", 0))):
                    await self._changed.wait_for(
                        lambda: bool(self._updates) or self._closing or self._polls != mine
                    )
            except TimeoutError:
                pass
        if self._polls != mine:
            raise RefusedError(CONFLICT.code, CONFLICT.description)
        waiting = list(self._updates)[:100]
        return [self.garbled.get(one["update_id"], one) for one in waiting]

    async def _do_sendmessage(self, given: Json) -> Json:
        chat = given.get("chat_id", "")
        text = str(given.get("text", ""))
        entities = json.loads(given.get("entities", "[]"))
        if given.get("message_thread_id") == "1":
            raise RefusedError(400, "Bad Request: message thread not found")
        check_text(text, entities)
        self._message += 1
        message = {
            "message_id": self._message,
            "date": NOW,
            "from": BOT,
            "chat": {"id": int(chat), "type": "private" if int(chat) > 0 else "supergroup"},
            "text": text.strip(),
            "entities": entities,
            "reply_parameters": json.loads(given.get("reply_parameters", "null")),
            "thread": given.get("message_thread_id"),
            "preview": json.loads(given.get("link_preview_options", "null")),
            "keyboard": keyboard_of(given),
        }
        self.sent.append(message)
        return {name: message[name] for name in ("message_id", "date", "from", "chat", "text")}

    async def _do_senddocument(self, given: Json) -> Json:
        """A file comes under the name that the request gives it, often another than its own."""
        (file,) = [value for value in given.values() if isinstance(value, web.FileField)]
        self._message += 1
        chat = int(given["chat_id"])
        message = {
            "message_id": self._message,
            "date": NOW,
            "from": BOT,
            "chat": {"id": chat, "type": "private" if chat > 0 else "supergroup"},
            "caption": given["caption"],
        }
        file_read = {"file": (file.filename, file.file.read()), "text": given["caption"]}
        self.sent.append(message | file_read)
        return message

    async def _do_answercallbackquery(self, given: Json) -> bool:
        if given["callback_query_id"] not in self.unanswered:
            raise RefusedError(
                400,
                "Bad Request: query is too old and response timeout expired or query ID is invalid",
            )
        self.unanswered.remove(given["callback_query_id"])
        self.answered.append(given.get("text", ""))
        return True

    async def _do_editmessagereplymarkup(self, given: Json) -> Json:
        for message in self.sent:
            if str(message["message_id"]) == given["message_id"]:
                if message["keyboard"] == keyboard_of(given):
                    raise RefusedError(NOT_MODIFIED.code, NOT_MODIFIED.description)
                message["keyboard"] = keyboard_of(given)
                return {name: message[name] for name in ("message_id", "date", "from", "chat")}
        raise RefusedError(400, "Bad Request: message to edit not found")

    async def _do_setmessagereaction(self, given: Json) -> bool:
        asked = [one["emoji"] for one in json.loads(given.get("reaction", "[]"))]
        if len(asked) > 1 or not set(asked) <= REACTIONS:
            raise RefusedError(400, "Bad Request: REACTION_INVALID")
        self.reactions.append((given["chat_id"], given["message_id"], *asked))
        await self.change()
        return True

    async def _do_sendchataction(self, given: Json) -> bool:
        self.actions.append(given)
        return True

    async def _do_setmycommands(self, given: Json) -> bool:
        commands = json.loads(given["commands"])
        check_commands(commands)
        self.commands[given.get("language_code", "")] = commands
        return True

    async def _do_getmycommands(self, given: Json) -> list[Json]:
        return self.commands.get(given.get("language_code", ""), [])

    async def _do_setwebhook(self, given: Json) -> bool:
        self.webhook = given
        return True

    async def _do_deletewebhook(self, _given: Json) -> bool:
        self.webhook = {"url": ""}
        return True

    async def _do_getwebhookinfo(self, _given: Json) -> Json:
        return {
            "url": self.webhook["url"],
            "has_custom_certificate": False,
            "pending_update_count": len(self._updates),
        }


def person(user: int) -> Json:
    return {"id": user, "is_bot": False, "first_name": f"User{user}"}


def group(chat: int = -1001, **more: Any) -> Json:
    return {"id": chat, "type": "supergroup", "title": "The garden", **more}


def _refuse(refusal: Refusal) -> web.Response:
    body: Json = {"ok": False, "error_code": refusal.code, "description": refusal.description}
    if refusal.parameters:
        body["parameters"] = refusal.parameters
    return web.json_response(body, status=refusal.code)
