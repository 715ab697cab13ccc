"""Where log lines go, and which conversation each belongs to."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion import logs

logger = logging.getLogger("companion.something")


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Take our handlers away again."""
    root = logging.getLogger()
    level = root.level
    yield
    logs.set_up("WARNING")
    root.setLevel(level)


def test_a_line_has_the_conversation_that_it_belongs_to(tmp_path: Path) -> None:
    logs.set_up("INFO", file=tmp_path / "logs" / "companion.log")
    logger.info("nobody's")
    token = logs.conversation.set("12")
    logger.info("of %d", 12)
    logs.conversation.reset(token)
    first, second = (tmp_path / "logs" / "companion.log").read_text().splitlines()
    assert first.endswith("INFO companion.something [-] nobody's")
    assert second.endswith("INFO companion.something [12] of 12")


def test_half_a_character_is_written_as_a_stand_in(tmp_path: Path) -> None:
    logs.set_up("INFO", file=tmp_path / "log")
    # to our handler alone: what the test runner captures it can't hand on
    ours = logging.getLogger().handlers[-1]
    ours.handle(logger.makeRecord("x", logging.INFO, "x", 1, "of a\ud800b", (), None))
    assert (tmp_path / "log").read_text(encoding="utf-8").endswith("of a\ufffdb\n")


def test_what_discord_py_says_at_each_login_is_for_debugging(tmp_path: Path) -> None:
    for level, lines in (("INFO", 1), ("DEBUG", 2)):
        logs.set_up(level, file=tmp_path / level)
        logging.getLogger("discord.client").info("logging in using static token")
        logging.getLogger("discord.client").warning("a shard is slow")
        assert len((tmp_path / level).read_text().splitlines()) == lines


def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    logs.set_up("INFO", file=tmp_path / "logs" / "companion.log")
    logger.info("hello")
    assert (tmp_path / "logs" / "companion.log").stat().st_mode & 0o077 == 0
    assert (tmp_path / "logs").stat().st_mode & 0o077 == 0


def test_the_terminal_gets_less_than_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs.set_up("INFO", file=tmp_path / "companion.log", terminal="ERROR")
    logger.info("quiet")
    logger.error("loud")
    assert "loud" in capsys.readouterr().err
    assert "quiet" in (tmp_path / "companion.log").read_text()
    assert "quiet" not in capsys.readouterr().err


def test_tracebacks_are_for_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs.set_up("INFO", file=tmp_path / "companion.log", terminal="INFO")
    try:
        _ = 1 / 0
    except ZeroDivisionError:
        logger.exception("it failed")
    shown = capsys.readouterr().err
    assert "it failed" in shown
    assert "ZeroDivisionError" not in shown
    assert "ZeroDivisionError" in (tmp_path / "companion.log").read_text()


@pytest.mark.parametrize("level", ["INFO", "WARNING", "ERROR", "CRITICAL"])
def test_what_an_error_quotes_is_written_when_debugging_only(tmp_path: Path, level: str) -> None:
    for name, words in (("discord.client", "ignored"), ("asyncio", "lost\n<her canary>")):
        try:
            int("her canary")
        except ValueError:
            logs.set_up(level, file=tmp_path / level)
            logging.getLogger(name).critical(words, exc_info=True)
            logs.set_up("DEBUG", file=tmp_path / "DEBUG")
            logging.getLogger(name).critical(words, exc_info=True)
    assert "canary" not in (tmp_path / level).read_text()
    assert (tmp_path / level).read_text().count("ValueError") == 2
    assert (tmp_path / "DEBUG").read_text().count("her canary") >= 2


def test_setting_up_again_replaces_what_was_set_up(tmp_path: Path) -> None:
    logs.set_up("INFO", file=tmp_path / "first.log")
    logs.set_up("INFO", file=tmp_path / "second.log")
    logger.info("once")
    assert (tmp_path / "first.log").read_text() == ""
    assert (tmp_path / "second.log").read_text().count("once") == 1


def test_libraries_that_log_whole_requests_do_so_only_when_debugging(tmp_path: Path) -> None:
    file = tmp_path / "companion.log"
    logs.set_up("INFO", file=file)
    logging.getLogger("openai._base_client").info("a request")
    assert "a request" not in file.read_text()
    logs.set_up("DEBUG", file=file)
    logging.getLogger("openai._base_client").debug("a request")
    assert "a request" in file.read_text()
