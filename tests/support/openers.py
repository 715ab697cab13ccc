"""People whom the companion may write to first, and time that passes for them."""

from datetime import datetime

from companion.llm.protocol import Reply
from companion.storage import schedule
from tests.support.scripted_llm import ScriptedLLM, calls, sends
from tests.support.world import World

INTERVIEW = "I have an interview at Acme on Thursday."


def writes(text: str, about: int = 1) -> Reply:
    """The model writes first."""
    return calls(("send_opener", {"text": text, "about": about}))


def silent(reason: str = "nothing to say") -> Reply:
    """The model chooses silence."""
    return calls(("stay_silent", {"reason": reason}))


async def agreed(
    world: World, llm: ScriptedLLM, text: str = INTERVIEW, *, name: str = "Anna", wish: str = "on"
) -> None:
    """`name` lives in Berlin, wants openers and tells of a plan."""
    llm.will(sends("Exciting!"))
    await world.say("/timezone Berlin", name)
    await world.say(f"/openers {wish}", name)
    await world.say(text, name)


async def wait(world: World, until: datetime) -> list[str]:
    """Let time pass, with all that is due meanwhile, and give what is delivered."""
    before = len(world.delivered)
    while world.clock.now() < until:
        following = await world.firing.fire_due()
        await world.companion.quiet()
        world.clock.advance(min(following or until, until) - world.clock.now())
    await world.pass_time()
    return [text for _, text in world.delivered[before:]]


async def reasons(world: World, name: str = "Anna") -> list[str]:
    """What became of what was due for this person, in order, each once."""
    person = await world.person(name)
    past = await world.db.read(lambda tx: schedule.history(tx, person))
    return list(dict.fromkeys(one.reason or one.outcome for one in past))
