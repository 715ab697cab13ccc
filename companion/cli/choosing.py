"""Asking which model should answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from companion.cli.asking import ask

if TYPE_CHECKING:
    from companion.local.found import Found

Model = dict[str, str | int]
"""The keys of [[models]] that are set. None at all: the model that runs on this machine."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Something to choose. Without `model` it takes more questions."""

    text: str
    model: Model | None


def ask_for_a_model(found: Sequence[Found], environ: Mapping[str, str]) -> Model:
    """What they choose from what was found on this machine, OpenAI, another place, or none."""
    choices = choices_among(found, environ)
    print("\nWhich model should it think with?")
    for number, choice in enumerate(choices, 1):
        print(f"  {number}  {choice.text}")
    while True:
        answer = ask("Number", "1")
        if answer.isdecimal() and 1 <= int(answer) <= len(choices):
            model = choices[int(answer) - 1].model
            return _ask_for_an_endpoint() if model is None else model


def choices_among(found: Sequence[Found], environ: Mapping[str, str]) -> list[Choice]:
    """What there is to choose, the likeliest first."""
    choices = [
        Choice(f"{name}, by {server.name} on this machine", model_of(server, name))
        for server in found
        for name in server.models
    ]
    if base_url := environ.get("OPENAI_BASE_URL", "").strip():
        choices.append(Choice(f"the one at {base_url} (OPENAI_BASE_URL)", {"base_url": base_url}))
    key = "its key is set" if environ.get("OPENAI_API_KEY", "").strip() else "it needs a key"
    choices += [
        Choice(f"one of OpenAI's ({key})", {"name": "auto"}),
        Choice("one at another OpenAI-compatible address", None),
        Choice("the small one that runs inside companion, to try it with", {}),
    ]
    return choices


def model_of(server: Found, name: str) -> Model:
    """The settings for one model of a server on this machine."""
    return {"name": name, "base_url": server.base_url}


def _ask_for_an_endpoint() -> Model:
    model: Model = {}
    while not (address := ask("Its address, such as https://models.example.com/v1")):
        continue
    model["base_url"] = address
    model["name"] = ask("What it calls the model", "auto")
    model["api_key_env"] = ask("The environment variable that holds its key", "OPENAI_API_KEY")
    return model
