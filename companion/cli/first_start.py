"""The first conversation on a machine where nothing is configured yet."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from companion.cli.asking import agreed, can_ask
from companion.errors import OperatorError

if TYPE_CHECKING:
    from companion.home import Home
    from companion.settings import Settings

WHAT_TO_DO = """\
No model is configured. Do one of these:
  companion chat --yes         fetch a small model ({size:.1f} GB, once) that runs on this machine
  companion init               choose a model: Ollama, OpenAI, or any OpenAI-compatible endpoint
  set OPENAI_API_KEY, and OPENAI_BASE_URL if the endpoint is not OpenAI's"""


async def settings_to_talk_with(home: Home, environ: Mapping[str, str], *, yes: bool) -> Settings:
    """The settings, with a model that can answer: a configured one, or one that is here.

    With none, a person is asked what to do; where nobody sits, `yes` stands for them.

    Raises:
        OperatorError: there is no model and nobody said to fetch one.
    """
    from companion.local.weights import CATALOGUE, Weights
    from companion.settings import load, settings_path

    settings = load(settings_path(environ), environ)
    name = settings.local.model
    if settings.models or name not in CATALOGUE or Weights(home.path).path(name).is_file():
        return settings
    found = await _offered_server(home, environ)
    if found is not None:
        return found
    model = CATALOGUE[name]
    size = (model.size or 0) / 1e9
    if not yes:
        if not can_ask():
            raise OperatorError(WHAT_TO_DO.format(size=size))
        print(
            f"Nothing is configured yet, so companion will run a small model on this machine: "
            f"{model.about}.\nIt has to be fetched once ({size:.1f} GB). For daily use a larger "
            "one is better: `companion init`."
        )
        if not agreed("Fetch it now?"):
            raise OperatorError(WHAT_TO_DO.format(size=size))
    home.make()
    await asyncio.to_thread(Weights(home.path).pull, model, Progress())
    return settings
