"""The files of `config/` that come with the program: the settings explained, and personas."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from companion.error_text import why
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
    if Path(f"{agent.persona}.md").name != f"{agent.persona}.md":
        raise SettingsError(f"agent.persona is a name, not a path: {agent.persona}")
    return f"You are {agent.name}.\n{persona_text(agent.persona, home / 'personas')}"


def persona_text(name: str, folder: Path) -> str:
    """`NAME.md` of `folder`, or the one that we ship.

    Raises:
        SettingsError: there is none, or it cannot be read.
    """
    for place in (folder, _folder() / "personas"):
        file = place / f"{name}.md"
        if file.is_file():
            return _text(file)
    raise SettingsError(
        f"There is no persona {name}: write it to {folder / name}.md, or set agent.persona to"
        ' "default".'
    )


def personas() -> list[str]:
    """The names of the personas that we ship."""
    files = (_folder() / "personas").iterdir()
    return sorted(file.name.removesuffix(".md") for file in files if file.name.endswith(".md"))


def _text(file: Traversable) -> str:
    try:
        return file.read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"The persona {file} cannot be read: {why(error)}.") from error


def _folder() -> Traversable:
    """`config` beside the package in a checkout; a wheel holds a copy inside the package."""
    checkout = Path(__file__).parent.parent
    if (checkout / "pyproject.toml").is_file():
        return checkout / "config"
    return files("companion") / "shipped_config"
