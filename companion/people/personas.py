"""Who the companion can be: texts in `personas/` of the home, and those that come with it."""

import logging
import re
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import BaseModel, ValidationError

from companion import shipped
from companion.error_text import why
from companion.errors import OperatorError, SettingsError
from companion.people.cards import Card, Lore
from companion.settings import AgentSettings

logger = logging.getLogger(__name__)

CHAR, USER = re.compile(r"\{\{char\}\}|<BOT>", re.I), re.compile(r"\{\{user\}\}|<USER>", re.I)
SOMEBODY = "the person you talk with"


@dataclass(frozen=True, slots=True, kw_only=True)
class Persona:
    """Somebody whom the companion can be. `file` names it among the others."""

    file: str
    name: str
    text: str
    greetings: tuple[str, ...] = ()
    lore: tuple[Lore, ...] = ()

    def greeting(self, person: str) -> str:
        """The first words to somebody of this name; empty for none."""
        return USER.sub(lambda _: person, self.greetings[0]) if self.greetings else ""


class _More(BaseModel):
    """What lies beside the text of a character that came as a card."""

    name: str = ""
    greetings: tuple[str, ...] = ()
    lore: tuple[Lore, ...] = ()


class Personas:
    """The personas of one home."""

    def __init__(self, home: Path, agent: AgentSettings) -> None:
        self._folder = home / "personas"
        self._agent = agent

    @property
    def names(self) -> list[str]:
        """What they are called, the one of the settings first."""
        own = {file.stem for file in self._folder.glob("*.md")}
        others = (own | set(shipped.personas())) - {self._agent.persona}
        return [self._agent.persona, *sorted(others)]

    def get(self, name: str | None) -> Persona:
        """The persona called `name`, in whatever case; None for the one of the settings.

        Raises:
            SettingsError: there is none, or it cannot be read.
        """
        wanted = self._agent.persona if name is None else name
        file = next((one for one in self.names if one.casefold() == wanted.casefold()), wanted)
        text = shipped.persona_text(file, self._folder)
        more = self._more(file)
        called = more.name or self._agent.name
        text = _named(text, called)
        return Persona(
            file=file,
            name=called,
            text=f"You are {called}.\n{text}",
            greetings=tuple(CHAR.sub(lambda _: called, one) for one in more.greetings),
            lore=tuple(replace(one, text=_named(one.text, called)) for one in more.lore),
        )

    def chosen(self, name: str | None) -> Persona:
        """The persona that somebody chose; the one of the settings when that is gone."""
        try:
            return self.get(name)
        except SettingsError as error:
            logger.warning("a persona that was chosen is not there: %s", error)
            return Persona(file=self._agent.persona, name=self._agent.name, text="")

    def add(self, card: Card) -> str:
        """Keep a card's character, and give what it is called here.

        Raises:
            OperatorError: there is one of that name, or it cannot be written.
        """
        file = re.sub(r"[^\w-]+", "-", card.name.casefold()).strip("-") or "character"
        more = _More(name=card.name, greetings=card.greetings, lore=card.lore)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with (self._folder / f"{file}.md").open("x", encoding="utf-8") as text:
                text.write(card.text + "\n")
            more_file = self._folder / f"{file}.json"
            more_file.write_text(more.model_dump_json(indent=1), encoding="utf-8")
        except FileExistsError as error:
            raise OperatorError(
                f"There is a persona {file} already: rename or remove {error.filename} first."
            ) from error
        except OSError as error:
            raise OperatorError(f"The persona cannot be kept: {why(error)}.") from error
        return file

    def _more(self, file: str) -> _More:
        """What a card brought besides its text."""
        path = self._folder / f"{file}.json"
        if not path.is_file():
            return _More()
        try:
            return _More.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise SettingsError(f"{path} cannot be read. Import the card anew.") from error


def _named(text: str, called: str) -> str:
    """`text` with names for what cards write instead of them."""
    return CHAR.sub(lambda _: called, USER.sub(SOMEBODY, text))
