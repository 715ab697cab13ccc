"""Talking in the terminal, with a real process, a real database and a scripted model."""

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol

import pytest

from companion.home import Home
from companion.turns.worker import LATER
from tests.companion.cli.at_a_terminal import Terminal, terminal
from tests.companion.cli.commands import Ran, command, environment
from tests.companion.cli.conftest import Here
from tests.support.model_refusals import Asked
from tests.support.model_server import Completion, Hang, ModelServer, Raw, calls
from tests.support.tiny_gguf import write_tiny_model

CTRL_C, CTRL_D = "\x03", "\x04"


SAID = re.compile(r", terminal\] (?:\w+: |\()(.*)$", re.MULTILINE)


def echo(asked: Asked) -> Completion:
    """Says again what was said last."""
    said = SAID.findall("\n".join(str(message["content"]) for message in asked["messages"]))
    return calls(send_message={"message": f"You said {said[-1]}"})


class Chat(Protocol):
    def __call__(
        self, server: ModelServer, home: Path, *arguments: str, entered: str = ""
    ) -> Awaitable[Ran]: ...


class Thinking:
    """Never answers. `began` is set when it is asked for the first time."""

    def __init__(self) -> None:
        self.began = asyncio.Event()

    def __call__(self, _: Asked) -> Hang:
        self.began.set()
        return Hang()


@pytest.fixture
def chat(here: Here) -> Chat:
    """`companion chat`, answered by a server."""

    async def run(server: ModelServer, home: Path, *arguments: str, entered: str = "") -> Ran:
        environ = {"OPENAI_BASE_URL": server.base_url}
        return await here(home, "chat", *arguments, environ=environ, entered=entered)

    return run


async def at_a_screen(
    server: ModelServer, home: Path, story: Callable[[Terminal], None], *arguments: str
) -> None:
    """`companion chat` at a terminal, where `story` happens."""

    def run() -> None:
        environ = {"OPENAI_BASE_URL": server.base_url}
        with terminal(home, "chat", *arguments, environ=environ) as at:
            story(at)

    await asyncio.to_thread(run)


async def test_one_message_is_answered_and_that_is_all_that_is_printed(
    chat: Chat, tmp_path: Path
) -> None:
    async with ModelServer(echo) as server:
        ran = await chat(server, tmp_path, "-m", "two\nlines of 上海")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("You said")


async def test_an_answer_is_shown_while_the_model_still_thinks(tmp_path: Path) -> None:
    thinking = Thinking()
    answers = iter([lambda _: calls(send_message={"message": "Wait", "request_heartbeat": True})])
    async with ModelServer(lambda asked: next(answers, thinking)(asked)) as server:
        talk = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "companion", "chat", "-m", "hello"),
            env=environment(tmp_path, {"OPENAI_BASE_URL": server.base_url}),
            stdout=subprocess.PIPE,
        )
        assert talk.stdout is not None
        try:
            assert await talk.stdout.readline() == b"Wait\n"
            await thinking.began.wait()
        finally:
            talk.kill()
            await talk.wait()


async def test_one_message_for_a_script_is_answered_as_json(chat: Chat, tmp_path: Path) -> None:
    async with ModelServer(echo) as server:
        ran = await chat(server, tmp_path, "-m", "hello", "--json")
    assert ran.json == {"answers": ["You said hello"]}


async def test_one_message_that_no_model_answers_fails_and_names_the_cause(
    here: Here, tmp_path: Path
) -> None:
    environ = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    ran = await here(tmp_path, "chat", "-m", "hello", environ=environ)
    assert (ran.code, ran.out) == (1, f"{LATER}\n")
    assert "No answer yet. What you said is kept and will be answered.\n" in ran.err
    assert "at http://127.0.0.1:9/v1: " in ran.err
    assert ran.err.endswith("`companion doctor` shows what to do.\n")


async def test_a_script_talks_line_by_line(chat: Chat, tmp_path: Path) -> None:
    async with ModelServer(echo) as server:
        ran = await chat(server, tmp_path, entered="one\n\ntwo\n/quit\nthree\n")
    assert (ran.code, ran.out) == (0, "You said one\nYou said two\n")


async def test_a_reader_who_goes_away_ends_a_script_quietly(tmp_path: Path) -> None:
    async with ModelServer(echo) as server:
        reader, writer = os.pipe()
        os.close(reader)
        talk = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "companion", "chat"),
            env=environment(tmp_path, {"OPENAI_BASE_URL": server.base_url}),
            stdin=subprocess.PIPE,
            stdout=writer,
            stderr=subprocess.PIPE,
        )
        os.close(writer)
        _, err = await talk.communicate(b"one\ntwo\nthree\n")
    assert (talk.returncode, err) == (1, b"")
    assert "Broken" not in Home(tmp_path).log.read_text(encoding="utf-8")


async def test_several_people_on_one_home_have_memories_of_their_own(
    chat: Chat, tmp_path: Path
) -> None:
    async with ModelServer(echo) as server:
        for name, said in (("Anna", "I am Anna"), ("Ben", "I am Ben"), ("ANNA", "me again")):
            await chat(server, tmp_path, "--as", name, "-m", said)
        last = str(server.requests[-1])
    assert "I am Anna" in last
    assert "I am Ben" not in last
    people = command(tmp_path, "people", "list").out
    assert people == "1  Anna  (terminal:anna)\n2  Ben  (terminal:ben)\n"


async def test_it_knows_everything_again_after_a_restart(chat: Chat, tmp_path: Path) -> None:
    async with ModelServer(echo) as server:
        await chat(server, tmp_path, "-m", "the code word is hazelnut")
        await chat(server, tmp_path, "-m", "hello again")
        assert "hazelnut" in str(server.requests[-1])


async def test_chat_commands_work_in_the_terminal(chat: Chat, tmp_path: Path) -> None:
    async with ModelServer(echo) as server:
        ran = await chat(server, tmp_path, entered="/remember I play the cello\n/memory\n/help\n")
    assert "Saved." in ran.out
    assert "I play the cello" in ran.out
    assert "/forget" in ran.out


async def test_at_a_screen_it_greets_answers_and_says_goodbye(tmp_path: Path) -> None:
    def story(at: Terminal) -> None:
        at.reads("This is Mira.")
        at.reads("Mira  You said")
        at.types("hello\r")
        at.reads("Mira  You said hello")
        at.types("/quit\r")
        assert at.ends() == 0

    async with ModelServer(echo) as server:
        await at_a_screen(server, tmp_path, story)


async def test_ctrl_c_twice_loses_nothing_and_the_answer_comes_at_the_next_start(
    tmp_path: Path,
) -> None:
    def leaves(at: Terminal) -> None:
        at.reads("This is Mira.")
        at.types("remember me\r")
        at.reads("is thinking")
        at.types(CTRL_C)
        at.reads("Ctrl-C again leaves")
        at.types(CTRL_C)
        at.reads("Mira is still thinking. The answer comes when you are back.")
        assert at.ends() == 0

    def comes_back(at: Terminal) -> None:
        at.reads("Mira  You said remember me")
        at.types(CTRL_D)
        assert at.ends() == 0

    async with ModelServer(Thinking()) as server:
        await at_a_screen(server, tmp_path, leaves)
    async with ModelServer(echo) as server:
        await at_a_screen(server, tmp_path, comes_back)


async def test_the_model_on_this_machine_is_said_to_be_loaded_and_two_ctrl_c_leave(
    tmp_path: Path,
) -> None:
    def story() -> None:
        with terminal(tmp_path, "chat") as at:
            at.reads("Mira thinks with a small model on this machine, which is being loaded")
            at.reads("You may already write.")
            at.reads("is thinking")  # the prompt is there
            at.types(CTRL_C)
            at.reads("Ctrl-C again leaves")
            at.types(CTRL_C)
            assert at.ends() == 0

    (tmp_path / "models").mkdir()
    write_tiny_model(tmp_path / "models" / "qwen2.5-coder-1.5b.gguf")
    await asyncio.to_thread(story)


async def test_who_quits_while_it_thinks_may_leave_at_once_with_ctrl_c(tmp_path: Path) -> None:
    def leaves(at: Terminal) -> None:
        at.reads("is thinking")
        at.types("/quit\r")
        at.reads("Ctrl-C leaves at once; the answer comes when you are back.")
        at.types(CTRL_C)
        assert at.ends() == 130

    async with ModelServer(Thinking()) as server:
        await at_a_screen(server, tmp_path, leaves)


async def test_a_model_that_fails_is_told_in_words_with_its_cause_and_logged_in_the_file_alone(
    tmp_path: Path,
) -> None:
    def story(at: Terminal) -> None:
        at.reads("No answer yet. ")
        at.reads("it refused the key; check the variable")
        at.reads("It is tried again in 1 minute, or when you write. `companion doctor`")
        at.types("are you there?\r")
        at.reads("No answer yet.", times=2)
        at.types("/quit\r")
        assert at.ends() == 0
        assert "ERROR" not in at.screen
        assert "event 1" not in at.screen

    async with ModelServer(lambda _: Raw(body=b"{}", status=401)) as server:
        await at_a_screen(server, tmp_path, story)
    assert "ERROR companion.turns.worker" in Home(tmp_path).log.read_text(encoding="utf-8")


async def test_a_script_is_told_the_cause_too(chat: Chat, tmp_path: Path) -> None:
    async with ModelServer(lambda _: Raw(body=b"<html>", content_type="text/html")) as server:
        ran = await chat(server, tmp_path, entered="one\n")
    assert ran.out == f"{LATER}\n"
    (line,) = ran.err.splitlines()
    assert line.startswith("No answer yet. ")
    assert "its answer is not in OpenAI's format; check base_url." in line
    assert line.endswith("`companion doctor` shows what to do.")


async def test_the_cause_is_told_each_time_that_one_message_gets_no_answer(
    chat: Chat, tmp_path: Path
) -> None:
    async with ModelServer(lambda _: Raw(body=b"<html>", content_type="text/html")) as server:
        for _ in range(3):
            ran = await chat(server, tmp_path, "-m", "hello")
            assert ran.code == 1
            assert "its answer is not in OpenAI's format; check base_url." in ran.err


async def test_after_a_kill_the_answer_comes_at_the_next_start(chat: Chat, tmp_path: Path) -> None:
    thinking = Thinking()
    async with ModelServer(thinking) as server:
        environ = environment(tmp_path, {"OPENAI_BASE_URL": server.base_url})
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "companion", "chat", "-m", "remember me", env=environ
        )
        await asyncio.wait_for(thinking.began.wait(), 30)
        process.kill()
        await process.wait()
    async with ModelServer(echo) as server:
        ran = await chat(server, tmp_path, entered="and me\n")
    assert ran.out == "You said remember me\nYou said and me\n"


async def test_what_waits_for_one_person_is_not_shown_to_another(
    chat: Chat, tmp_path: Path
) -> None:
    thinking = Thinking()
    async with ModelServer(thinking) as server:
        environ = environment(tmp_path, {"OPENAI_BASE_URL": server.base_url})
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "companion", "chat", "--as", "Anna", "-m", "my secret"),
            env=environ,
        )
        await asyncio.wait_for(thinking.began.wait(), 30)
        process.kill()
        await process.wait()
    async with ModelServer(echo) as server:
        ben = await chat(server, tmp_path, "--as", "Ben", "-m", "hello")
        anna = await chat(server, tmp_path, "--as", "Anna", "-m", "hello")
    assert ben.out == "You said hello\n"
    assert anna.out == "You said my secret\nYou said hello\n"


async def test_sigterm_ends_it_in_order_within_20_seconds(tmp_path: Path) -> None:
    thinking = Thinking()
    async with ModelServer(thinking) as server:
        environ = environment(tmp_path, {"OPENAI_BASE_URL": server.base_url})
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "companion", "chat", "-m", "hello", env=environ
        )
        await asyncio.wait_for(thinking.began.wait(), 30)
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), 20) == 0


async def test_run_says_that_no_platform_is_there_and_stops_at_sigterm(
    chat: Chat, tmp_path: Path
) -> None:
    async with ModelServer(echo) as server:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "companion", "run"),
            env=environment(tmp_path, {"OPENAI_BASE_URL": server.base_url}),
            stderr=subprocess.PIPE,
        )
        assert process.stderr is not None
        first = await asyncio.wait_for(process.stderr.readline(), 30)
        assert b"No chat platform is configured" in first
        status = await asyncio.to_thread(command, tmp_path, "status")
        assert f"process {process.pid}" in status.out
        second = await chat(server, tmp_path, "-m", "hello")
        assert second.code == 2
        assert f"is in use by another companion (process {process.pid}" in second.err
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), 20) == 0


def test_what_cannot_be_said_is_named(tmp_path: Path) -> None:
    for arguments, said in (
        (("-m", " "), "-m needs something to say.\n"),
        (("--json",), "--json goes with -m.\n"),
        (("--as", "x" * 61), "--as takes a name of 1 to 60 letters"),
        (("--as", ""), "--as takes a name of 1 to 60 letters"),
    ):
        ran = command(tmp_path, "chat", *arguments)
        assert ran.code == 2
        assert ran.err.startswith(said)
