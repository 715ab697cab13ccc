"""The files that come with the program, from a checkout and from a wheel."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from companion.errors import SettingsError
from companion.settings import AgentSettings
from companion.shipped import persona

ROOT = Path(__file__).parents[2]

READ_BOTH = """
from pathlib import Path
import companion
from companion.settings import AgentSettings
from companion.shipped import persona, settings_template
assert Path(companion.__file__).is_relative_to(Path.cwd()), companion.__file__
print(len(settings_template()), len(persona(AgentSettings(), Path("nowhere"))))
"""


def test_the_persona_says_the_name_and_the_text(tmp_path: Path) -> None:
    text = persona(AgentSettings(name="Juno"), tmp_path)
    assert text.startswith("You are Juno.\nWarm, curious")


def test_a_persona_of_the_home_wins(tmp_path: Path) -> None:
    (tmp_path / "personas").mkdir()
    (tmp_path / "personas" / "default.md").write_text("Stern.\n")
    assert persona(AgentSettings(name="Juno"), tmp_path) == "You are Juno.\nStern."


@pytest.mark.parametrize("name", ["missing", "../secret", "a/b"])
def test_a_persona_that_is_not_there_is_named_with_what_to_do(tmp_path: Path, name: str) -> None:
    with pytest.raises(SettingsError, match=r"agent\.persona"):
        persona(AgentSettings(persona=name), tmp_path)


def test_a_persona_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "personas").mkdir()
    (tmp_path / "personas" / "default.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingsError, match="cannot be read"):
        persona(AgentSettings(), tmp_path)


def test_a_wheel_holds_them_and_nothing_that_is_not_ours(tmp_path: Path) -> None:
    """Built as `pip install` builds it, and read without the checkout."""
    build = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--quiet"]
    subprocess.run([*build, "--wheel-dir", str(tmp_path), str(ROOT)], check=True)
    (wheel,) = tmp_path.glob("companion-*.whl")
    unpacked = tmp_path / "unpacked"
    with zipfile.ZipFile(wheel) as file:
        file.extractall(unpacked)
        assert {name.partition("/")[0] for name in file.namelist()} == {
            "companion",
            "adapters",
            f"{'-'.join(wheel.name.split('-')[:2])}.dist-info",
        }

    read = subprocess.run(
        [sys.executable, "-c", READ_BOTH],
        cwd=unpacked,
        env={"PYTHONPATH": str(unpacked)},
        capture_output=True,
        text=True,
        check=True,
    )

    template, text = (int(number) for number in read.stdout.split())
    assert template == len((ROOT / "config" / "companion.toml").read_text(encoding="utf-8"))
    assert text > len((ROOT / "config" / "personas" / "default.md").read_text(encoding="utf-8"))
