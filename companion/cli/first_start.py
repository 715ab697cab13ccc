"""The first conversation on a machine where nothing is configured yet."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from companion.cli.arguments import as_called
from companion.cli.asking import agreed, can_ask
from companion.errors import OperatorError

if TYPE_CHECKING:
    from companion.home import Home
    from companion.local.found import Found
    from companion.local.weights import Model as LocalModel
    from companion.settings import Settings

WHAT_TO_DO = """\
No model is configured. Do one of these:
  {command} chat --yes   take {offer}
  {command} init         choose: Ollama, OpenAI, or any OpenAI-compatible endpoint
  or set OPENAI_API_KEY, and OPENAI_BASE_URL if the endpoint is not OpenAI's."""


def settings_to_talk_with(home: Home, environ: Mapping[str, str], *, yes: bool) -> Settings:
    """The settings, with a model that can answer: a configured one, or one that is here.

    Where there is none, a server found on this machine is offered, else a small model to fetch.
    `yes` takes the offer without asking.

    Raises:
        OperatorError: there is no model and nobody took the offer.
    """
    from companion.local.found import find_servers
    from companion.local.weights import CATALOGUE, Weights
    from companion.settings import load, settings_path

    settings = load(settings_path(environ), environ)
    wanted, weights = settings.local.model, Weights(home.path)
    if settings.models or wanted not in CATALOGUE or weights.path(wanted).is_file():
        return settings
    found = asyncio.run(find_servers())
    if found:
        settings = _with_a_server(settings, found, home, environ, yes=yes)
        if settings.models:
            return settings
    _fetch(CATALOGUE[wanted], home, yes=yes)
    return settings


def _with_a_server(
    settings: Settings, found: list[Found], home: Home, environ: Mapping[str, str], *, yes: bool
) -> Settings:
    """`settings` with the model that was taken, kept for the next time; as it is for none."""
    from companion.cli.choosing import ask_for_a_model, model_of
    from companion.cli.settings_file import write_settings
    from companion.settings import ModelSettings, load, settings_path

    server = found[0]
    if yes:
        model = model_of(server, server.models[0])
    elif can_ask():
        print(f"{server.name} runs on this machine.")
        model = ask_for_a_model(found, environ)
    else:
        offer = f"{server.models[0]}, which {server.name} has on this machine"
        raise OperatorError(WHAT_TO_DO.format(command=as_called(), offer=offer))
    if not model:
        return settings
    if settings_path(environ) is None:
        path = home.path / "companion.toml"
        write_settings(path, model=model)
        sys.stderr.write(f"Wrote {path}, so that this is not asked again.\n")
        return load(path, environ)
    return settings.model_copy(update={"models": (ModelSettings.model_validate(model),)})


def _fetch(model: LocalModel, home: Home, *, yes: bool) -> None:
    from companion.cli.fetching import fetched
    from companion.local.weights import Weights

    size = f"{(model.size or 0) / 1e9:.1f} GB"
    if not yes:
        offer = f"a small model that runs on this machine ({size}, once)"
        instead = WHAT_TO_DO.format(command=as_called(), offer=offer)
        if not can_ask():
            raise OperatorError(instead)
        print(
            f"No model is configured, so companion would run a small one on this machine:\n"
            f"{model.about}. It is fetched once, {size}."
        )
        if not agreed("Fetch it now?"):
            raise OperatorError(instead)
    home.make()
    fetched(Weights(home.path), model)
