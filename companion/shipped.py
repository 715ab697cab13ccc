"""The files of `config/` that come with the program: the settings explained, and personas."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from companion.errors import SettingsError
from companion.settings import AgentSettings


def settings_template() -> str:
    """`companion.toml` with every setting explained, each commented out."""
    return (_folder() / "companion.toml").read_text(encoding="utf-8")


def persona(agent: AgentSettings, home: Path) -> str:
    """Who the companion is: its name, and `personas/NAME.md` of `home` or the one that we ship.

    Raises:
        SettingsError: there is no such persona.
    """
    file_name = f"{agent.persona}.md"
    if Path(file_name).name != file_name:
        raise SettingsError(f"agent.persona is a name, not a path: {agent.persona}")
    for place in (home / "personas", _folder() / "personas"):
        file = place / file_name
        if file.is_file():
            return f"You are {agent.name}.\n{_text(file)}"
    raise SettingsError(
        f"There is no persona {agent.persona}: write it to {home / 'personas' / file_name}, "
        'or set agent.persona to "default".'
    )


def _text(file: Traversable) -> str:
    try:
        return file.read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"The persona {file} cannot be read: {error}") from error


def _folder() -> Traversable:
    """`config` beside the package in a checkout; a wheel holds a copy inside the package."""
    checkout = Path(__file__).parent.parent
    if (checkout / "pyproject.toml").is_file():
        return checkout / "config"
    return files("companion") / "shipped_config"
