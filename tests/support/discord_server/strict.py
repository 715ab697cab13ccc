"""What Discord refuses, in its own words."""

import re
from dataclasses import dataclass
from typing import Any

import discord

Json = dict[str, Any]

_COMMAND_NAME = re.compile(r"^[-_'\w]{1,32}$")
MOST_COMMANDS = 100
CONTEXTS = {0, 1, 2}
LOCALES = {locale.value for locale in discord.Locale}


@dataclass(frozen=True, slots=True)
class RefusalError(Exception):
    """An answer that is an error. `code` is Discord's own, 0 for none."""

    status: int
    code: int
    message: str

    def body(self) -> Json:
        return {"message": self.message, "code": self.code}


def _form(message: str) -> RefusalError:
    return RefusalError(400, 50035, f"Invalid Form Body: {message}")


def check_message(payload: Json, files: int) -> None:
    """Refuse a message that Discord would, and one that could ping somebody.

    Raises:
        RefusalError: it is one.
    """
    content = payload.get("content") or ""
    if len(content) > 2000:
        raise _form("content: Must be 2000 or fewer in length.")
    if not content.strip() and not files and not payload.get("embeds"):
        raise RefusalError(400, 50006, "Cannot send an empty message")
    for embed in payload.get("embeds", ()):
        check_embed(embed)
    mentions = payload.get("allowed_mentions")
    if mentions is None or mentions.get("parse") != [] or mentions.get("replied_user"):
        raise AssertionError(f"a message that may ping somebody: {mentions}")
    if any(mentions.get(kind) for kind in ("users", "roles")):
        raise AssertionError(f"a message that may ping somebody: {mentions}")
    if len(str(payload.get("nonce", ""))) > 25:
        raise _form("nonce: Must be 25 or fewer in length.")
    check_components(payload.get("components", []))


def check_embed(embed: Json) -> None:
    """Refuse an embed that is empty or too long."""
    limits = {"title": 256, "description": 4096}
    if not any(embed.get(key) for key in ("title", "description", "fields", "image")):
        raise _form("embeds: An embed must have content.")
    for key, limit in limits.items():
        if len(embed.get(key) or "") > limit:
            raise _form(f"embeds.{key}: Must be {limit} or fewer in length.")


def check_components(rows: list[Json]) -> None:
    """Refuse buttons that are too many, or whose ids or labels are too long."""
    if len(rows) > 5:
        raise _form("components: Must be 5 or fewer in length.")
    ids = [button.get("custom_id") for row in rows for button in row.get("components", [])]
    if len(ids) != len(set(ids)):
        raise _form("components: Component custom id cannot be duplicated.")
    for row in rows:
        if row.get("type") != 1 or not 1 <= len(row.get("components", [])) <= 5:
            raise _form("components: not a row of 1 to 5 buttons")
        for button in row["components"]:
            if not 1 <= len(button.get("custom_id") or "") <= 100:
                raise _form("components.custom_id: Must be between 1 and 100 in length.")
            if not 1 <= len(button.get("label") or "") <= 80:
                raise _form("components.label: Must be between 1 and 80 in length.")


def check_commands(commands: list[Json]) -> None:
    """Refuse slash commands that Discord would not register."""
    if len(commands) > MOST_COMMANDS:
        raise RefusalError(400, 30032, "Maximum number of application commands reached (100)")
    names = [command.get("name", "") for command in commands]
    if len(names) != len(set(names)):
        raise _form("name: Application command names must be unique")
    for command in commands:
        _check_named(command)
        if set(command.get("contexts") or ()) - CONTEXTS:
            raise _form("contexts: Value must be one of {0, 1, 2}.")
        required = [bool(option.get("required")) for option in command.get("options", ())]
        if required != sorted(required, reverse=True):
            raise _form("options: Required options must be placed before non-required options")
        for option in command.get("options", ()):
            _check_named(option)


def _check_named(what: Json) -> None:
    for locale, words in (what.get("description_localizations") or {}).items():
        if locale not in LOCALES:
            raise _form(f"description_localizations: {locale} is not a locale")
        if not 1 <= len(words) <= 100:
            raise _form("description_localizations: Must be between 1 and 100 in length.")
    name = what.get("name", "")
    if not _COMMAND_NAME.match(name) or name != name.lower():
        raise _form(f"name: {name!r} is invalid")
    if not 1 <= len(what.get("description") or "") <= 100:
        raise _form("description: Must be between 1 and 100 in length.")
