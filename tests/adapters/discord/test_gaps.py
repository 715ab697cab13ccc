"""Gaps of the gateway with many messages in them: nothing is lost, doubled or out of order.

COMPANION_GAP_MESSAGES sets how many there are.
"""

import asyncio
import os
from pathlib import Path

import pytest

from tests.adapters.discord.test_direct_messages import WaitingLLM
from tests.support.discord_server.payloads import Member
from tests.support.discord_server.server import DiscordServer
from tests.support.discord_world import echo, on_discord
from tests.support.scripted_llm import ScriptedLLM

MESSAGES = int(os.environ.get("COMPANION_GAP_MESSAGES", "60"))
PEOPLE = 20


@pytest.mark.timeout(600)
@pytest.mark.parametrize("resumable", [True, False])
async def test_after_a_gap_everybody_is_answered_once_and_in_order(
    tmp_path: Path, server: DiscordServer, resumable: bool
) -> None:
    people = [server.person(f"P{n}") for n in range(PEOPLE)]
    llm = ScriptedLLM(echo)
    async with on_discord(tmp_path, server, llm, allowed=people, window=2_000_000) as talk:
        for person in people:
            await talk.hears(person, server.direct(person), "before")
        if not resumable:
            server.gateway.forget_session()
        await server.gateway.cut()
        for number in range(MESSAGES):
            person = people[number % PEOPLE]
            if resumable:
                await server.says(person, server.direct(person), f"number {number}")
            else:
                server.said_unheard(person, server.direct(person), f"number {number}")
        async with asyncio.timeout(500):
            while len(server.posts) < PEOPLE + MESSAGES:
                await server.posted(len(server.posts) + 1)
        await talk.world.companion.quiet()
    assert len(server.gateway.resumed) == resumable
    for number, person in enumerate(people):
        expected = [f"number {n}" for n in range(number, MESSAGES, PEOPLE)]
        assert heard(server, person) == ["before", *expected]


async def test_while_one_turn_waits_others_are_answered(
    tmp_path: Path, server: DiscordServer
) -> None:
    anna, ben = server.person("Anna"), server.person("Ben")
    llm = WaitingLLM(only="slow")
    async with on_discord(tmp_path, server, llm, allowed=[anna, ben]) as talk:
        await server.says(anna, server.direct(anna), "slow")
        for number in range(10):
            assert await talk.hears(ben, server.direct(ben), f"{number}") == [f"{number}"]
        llm.may_answer.set()
        await server.posted(11)


def heard(server: DiscordServer, person: Member) -> list[str]:
    """What came to `person`, in order."""
    channel = server.direct(person).id
    return [post.content for post in server.posts if post.channel == channel]
