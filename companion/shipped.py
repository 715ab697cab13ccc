"""The files of `config/` that come with the program: the settings explained, and personas."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from companion.errors import SettingsError


def settings_template() -> str:
    """`companion.toml` with every setting explained, each commented out."""
    return (_folder() / "companion.toml").read_text(encoding="utf-8")


def persona(name: str, home: Path) -> str:
    """The text of the persona `name`: `personas/NAME.md` of `home`, or the one that we ship.

    Raises:
        SettingsError: there is no such persona.
    """
    if Path(name).name != name:
        raise SettingsError(f"agent.persona is a name, not a path: {name!r}")
    for place in (home / "personas", _folder() / "personas"):
        file = place / f"{name}.md"
        if file.is_file():
            return file.read_text(encoding="utf-8").strip()
    raise SettingsError(
        f"There is no persona {name!r}. Write it to {home / 'personas' / f'{name}.md'}, "
        'or set agent.persona = "default".'
    )


def _folder() -> Traversable:
    """`config` beside the package in a checkout; a wheel holds a copy inside the package."""
    checkout = Path(__file__).parent.parent
    if (checkout / "pyproject.toml").is_file():
        return checkout / "config"
    return files("companion") / "shipped_config"
