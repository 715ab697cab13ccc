"""Requests to Telegram whose answers are quoted nowhere, whatever stands in them."""

from typing import Any

from telegram.error import TelegramError
from telegram.request import HTTPXRequest

from adapters.telegram.updates import read


class Request(HTTPXRequest):
    """As python-telegram-bot's, which logs and quotes all of an answer that it can't read."""

    async def do_request(self, *args: Any, **options: Any) -> tuple[int, bytes]:
        """The status and the body of an answer; a page of a proxy's only says its status."""
        code, body = await super().do_request(*args, **options)
        return code, body if 200 <= code <= 299 or _object(body) is not None else b"{}"

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        """What `payload` means.

        Raises:
            TelegramError: it is no answer of Telegram's.
        """
        answer = _object(payload)
        if answer is None:
            raise TelegramError("its answer can't be read")
        return answer


def _object(body: bytes) -> dict[str, Any] | None:
    try:
        answer = read(body)
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None
