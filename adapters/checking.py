"""What checks of the platforms share: asking a server, and saying what is wrong with one."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx2

from companion.findings import Finding


async def ask(address: str, headers: Mapping[str, str] | None = None) -> tuple[int, dict[str, Any]]:
    """The HTTP status and the JSON object there; an empty one for anything else."""
    async with httpx2.AsyncClient(timeout=None) as client:
        answer = await client.get(address, headers=headers)
    try:
        body = answer.json()
    except (ValueError, RecursionError):
        body = None
    return answer.status_code, body if isinstance(body, dict) else {}


def not_set_up(about: str, variable: str, how: str) -> Finding:
    """That `variable` is not set, and `how` to come by what belongs there."""
    text = f"not set up: {variable} is not set"
    return Finding(about=about, state="ok", text=text, advice=f"To be there, set it: {how}.")


@dataclass(frozen=True, slots=True)
class Where:
    """A platform's server: its name, its address, and the setting that has it by default."""

    name: str
    address: str
    setting: str
    default: str

    @property
    def _host(self) -> str:
        return f"{self.name} at {urlsplit(self.address).netloc}"

    def silent(self, error: Exception) -> str:
        """That it gave no answer."""
        if isinstance(error, TimeoutError):
            return f"{self._host} does not answer"
        return f"{self._host} can't be reached"

    @property
    def to_check(self) -> str:
        """What to do about an answer that is missing or strange."""
        if self.address == self.default:
            return "Check this machine's network, and try again in some minutes."
        return f"Check that the server runs, and {self.setting} = {json.dumps(self.address)}."

    def strange(self, status: int) -> str:
        """That it gave an answer which the platform would not give."""
        return f"{self._host} answers HTTP {status}, and not as {self.name} does"
