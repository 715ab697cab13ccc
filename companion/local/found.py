"""Servers with models that somebody has already started on this machine."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx2

PROBE_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A server that is up: what it is, where its OpenAI-compatible side is, what it can load."""

    name: str
    base_url: str
    models: tuple[str, ...]


async def find_servers(
    *, ollama: str = "http://127.0.0.1:11434", llama_cpp: str = "http://127.0.0.1:8080"
) -> list[Found]:
    """The Ollama and llama.cpp servers on this machine that have a model to talk with.

    Takes a second at most, and asks nothing but this machine.
    """
    async with httpx2.AsyncClient(trust_env=False, timeout=PROBE_SECONDS) as client:
        tags, models = await asyncio.gather(
            _json(client, f"{ollama}/api/tags"), _json(client, f"{llama_cpp}/v1/models")
        )
    found = [
        Found(name="Ollama", base_url=f"{ollama}/v1", models=_names(tags, "models", "name")),
        Found(name="llama.cpp", base_url=f"{llama_cpp}/v1", models=_llama_cpp_names(models)),
    ]
    return [server for server in found if server.models]


async def _json(client: httpx2.AsyncClient, url: str) -> Any:
    """What stands at `url`, None where nothing does, or nothing that we know."""
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            response = await client.get(url)
        return response.json() if response.is_success else None
    except (httpx2.HTTPError, TimeoutError, ValueError):
        return None


def _llama_cpp_names(answer: Any) -> tuple[str, ...]:
    """Its models; none for the other programs that like to listen on port 8080."""
    names = _names(answer, "data", "id")
    ours = names and answer["data"][0].get("owned_by") == "llamacpp"
    return names if ours else ()


def _names(answer: Any, key: str, name: str) -> tuple[str, ...]:
    listed = answer.get(key) if isinstance(answer, dict) else None
    entries: Sequence[Any] = listed if isinstance(listed, list) else []
    names = [entry.get(name) for entry in entries if isinstance(entry, dict)]
    return tuple(n for n in names if isinstance(n, str) and "embed" not in n.casefold())
