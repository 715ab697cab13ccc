"""Slash commands: declared from the companion's own, registered when the set has changed."""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import discord
from discord import app_commands
from discord.http import Route

from adapters.discord.failures import TROUBLE, in_words
from companion.commands.in_languages import in_other_languages

logger = logging.getLogger(__name__)

MOST_WORDS = 2000
DESCRIPTION_CHARS = 100
_LOCALES = {
    "de": ("de",),
    "es": ("es-ES", "es-419"),
    "fr": ("fr",),
    "pt": ("pt-BR",),
    "ru": ("ru",),
    "zh": ("zh-CN", "zh-TW"),
}
"""Discord's names for languages."""
_LANGUAGES = {locale: language for language, all_ in _LOCALES.items() for locale in all_}


class Command(Protocol):
    """A command of the companion's, as far as it is shown."""

    @property
    def help(self) -> str:
        """What it does."""

    @property
    def takes(self) -> str:
        """What words it takes; empty for none."""


Asked = Callable[[discord.Interaction[discord.Client], str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slash:
    """A command without its slash, what it does, and what words it takes, if any."""

    name: str
    help: str
    takes: str = ""


def slashes(commands: Mapping[str, Command]) -> tuple[Slash, ...]:
    """`commands` of the companion as slash commands, and the one that opens a chat."""
    return (
        Slash(name="start", help="say hello"),
        *(
            Slash(name=name, help=command.help, takes=command.takes)
            for name, command in commands.items()
        ),
    )


def add_commands(
    tree: app_commands.CommandTree[Any], commands: Iterable[Slash], asked: Asked
) -> None:
    """Declare `commands`, for servers and direct messages; `asked` hears of their use."""
    for slash in commands:
        command: app_commands.Command[Any, Any, Any] = app_commands.Command(
            name=slash.name,
            description=app_commands.locale_str(slash.help[:DESCRIPTION_CHARS], of=slash.name),
            callback=_with_words(slash, asked) if slash.takes else _alone(slash, asked),
            allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=True),
            allowed_installs=app_commands.AppInstallationType(guild=True),
        )
        tree.add_command(command)


def _alone(slash: Slash, asked: Asked) -> Any:
    async def callback(interaction: discord.Interaction[discord.Client]) -> None:
        asked(interaction, f"/{slash.name}")

    return callback


def _with_words(slash: Slash, asked: Asked) -> Any:
    async def callback(
        interaction: discord.Interaction[discord.Client],
        words: app_commands.Range[str, 1, MOST_WORDS] | None = None,
    ) -> None:
        if not isinstance(words, str | None):  # discord.py 2.7.1 looks at its length only
            raise TypeError("the words of a command are no text")
        asked(interaction, f"/{slash.name} {words or ''}".strip())

    return app_commands.describe(words=slash.takes[:DESCRIPTION_CHARS])(callback)


class _InLanguages(app_commands.Translator):
    """Gives discord.py what a command does in other languages."""

    async def translate(
        self,
        string: app_commands.locale_str,
        locale: discord.Locale,
        context: app_commands.TranslationContextTypes,
    ) -> str | None:
        command, language = string.extras.get("of"), _LANGUAGES.get(locale.value)
        if command is None or language is None:
            return None
        words = in_other_languages(command).get(language)
        return words[:DESCRIPTION_CHARS] if words else None


async def synced(tree: app_commands.CommandTree[Any]) -> None:
    """Register the tree's commands, if Discord knows others.

    Without the menu the commands still work when they are written as a message.
    """
    translator = _InLanguages()
    await tree.set_translator(translator)
    ours = [await one.get_translated_payload(tree, translator) for one in tree.get_commands()]
    try:
        if set(map(_essence, await _registered(tree))) != set(map(_essence, ours)):
            await tree.sync()
            logger.info("slash commands are registered anew")
    except TROUBLE as error:
        logger.warning("slash commands could not be registered: %s", in_words(error))


async def _registered(tree: app_commands.CommandTree[Any]) -> Any:
    """What Discord knows. Not `fetch_commands`, which misreads the contexts of a command and leaves
    out other languages (discord.py 2.7.1)."""
    route = Route(
        "GET",
        "/applications/{application_id}/commands",
        application_id=tree.client.application_id,
    )
    return await tree.client.http.request(route, params={"with_localizations": "true"})


def _essence(command: Any) -> tuple[Any, ...]:
    """What of a command matters, the same for ours and for Discord's."""
    options = tuple(
        (option["name"], option["description"], int(option["type"]))
        for option in command.get("options") or ()
    )
    contexts = tuple(sorted(command.get("contexts") or ()))
    installs = tuple(sorted(command.get("integration_types") or ()))
    languages = tuple(sorted((command.get("description_localizations") or {}).items()))
    return command["name"], command["description"], options, contexts, installs, languages
