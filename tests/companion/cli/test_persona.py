"""Whom it can be, from the command line."""

import json
from pathlib import Path

from tests.companion.cli.conftest import Here


async def test_a_card_is_imported_listed_and_shown(here: Here, tmp_path: Path) -> None:
    file, home = tmp_path / "ada.json", tmp_path / "home"
    entries = [{"keys": ["/x+/"], "content": "y"}, {"keys": ["sea"], "content": "wide"}]
    data = {"name": "Ada", "first_mes": "Hi", "character_book": {"entries": entries}}
    file.write_text(json.dumps({"spec": "chara_card_v3", "data": data}))
    ran = await here(home, "persona", "import", str(file))
    assert (ran.code, ran.err) == (0, "")
    assert "Ada is here as ada: 1 greetings, 1 entries of a lorebook" in ran.out
    assert "Left out: 1 entries of the lorebook whose keys are patterns" in ran.out
    assert (await here(home, "persona", "list", "--json")).json == ["default", "ada"]
    shown = (await here(home, "persona", "show", "ada")).out
    assert "You are Ada." in shown
    assert "On sea: wide" in shown
    for wrong, said in (
        ("none", "none cannot be read: No such file or directory.\n"),
        ("ada.json", "already"),
    ):
        ran = await here(home, "persona", "import", str(tmp_path / wrong))
        assert (ran.code, ran.out) == (2, "")
        assert said in ran.err
