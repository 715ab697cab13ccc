"""The lock files fit pyproject.toml, so that what `make` installs is what we say we need."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
NEEDED = [*PROJECT["project"]["dependencies"], *PROJECT["dependency-groups"]["build"]]
LOCAL = [*NEEDED, *PROJECT["project"]["optional-dependencies"]["local"]]
LOCKS = {
    "base.txt": NEEDED,
    "local.txt": LOCAL,
    "dev.txt": [*LOCAL, *PROJECT["dependency-groups"]["dev"]],
}


def text_of(name: str) -> str:
    return (ROOT / "requirements" / name).read_text(encoding="utf-8")


def locked(name: str) -> dict[str, list[str]]:
    """The versions of each package in the lock file `name`; some Pythons need another one."""
    versions: dict[str, list[str]] = {}
    for package, version in re.findall(r"^([\w.-]+)==(\S+)", text_of(name), re.MULTILINE):
        versions.setdefault(canonicalize_name(package), []).append(version)
    return versions


@pytest.mark.parametrize(("name", "needed"), LOCKS.items())
def test_everything_that_is_needed_is_locked_in_a_version_that_fits(
    name: str, needed: list[str]
) -> None:
    versions = locked(name)
    for line in needed:
        requirement = Requirement(line)
        found = versions.get(canonicalize_name(requirement.name), [])
        assert found, f"{line} is not in {name}: run make lock"
        for version in found:
            assert requirement.specifier.contains(version), f"{line} is {version}: run make lock"


def test_the_lock_files_agree() -> None:
    dev = locked("dev.txt")
    for name in ("base.txt", "local.txt", "embedder.txt"):
        for package, versions in locked(name).items():
            assert versions == dev[package], f"{package} in {name}: run make lock"


@pytest.mark.parametrize("name", [*LOCKS, "embedder.txt"])
def test_every_package_has_hashes_and_none_has_an_address(name: str) -> None:
    text = text_of(name)
    assert "://" not in text
    for block in re.split(r"^(?=\w)", text, flags=re.MULTILINE)[1:]:
        assert "--hash=sha256:" in block, block
