"""Being written to first: whether, how often, and why."""

from datetime import tzinfo
from typing import cast, get_args

from companion.commands.declare import Answer, Asked, Command, Question, Write
from companion.event_text import local_time
from companion.events import Choice
from companion.openers.arranging import set_wish
from companion.openers.judge import sentence_of
from companion.storage import openers, people, remarks
from companion.storage.database import Tx
from companion.storage.openers import Opener, Wish

_SET = {
    "on": "I'll write to you first now and then.",
    "often": "I'll write to you first, more often.",
    "rarely": "I'll write to you first, but rarely.",
    "off": "I won't write to you first any more. Reminders and check-ins stay.",
}
_STANDS = {
    "on": "I write to you first now and then.",
    "often": "I write to you first, rather often.",
    "rarely": "I write to you first, but rarely.",
    "off": "I don't write to you first.",
}
_ZONE = " For that I need to know what time it is where you are: /timezone Europe/Lisbon"
_CHOICES = tuple(
    Choice(label=label, words=f"/openers {wish}")
    for label, wish in (
        ("Now and then", "on"),
        ("Often", "often"),
        ("Rarely", "rarely"),
        ("Never", "off"),
    )
)
_ORIGINS = {
    "message": "you said on {at}",
    "passage": "I noted on {at}",
    "context": "I noted on {at}",
    "summary": "I summed up on {at}",
}


async def _openers(asked: Asked) -> Answer | Write:
    if not asked.item.address.private:
        return "In groups I never write first. Ask me in a private chat."
    wish = asked.words.casefold()
    if not wish:
        return await asked.db.read(lambda tx: _stands(tx, asked))
    if wish not in get_args(Wish):
        return f"I don't know “{asked.words}”. Write /openers on, off, often or rarely."

    def work(tx: Tx) -> str:
        set_wish(tx, asked.item, cast(Wish, wish), asked.clock.now())
        return _SET[wish] + _missing_zone(tx, asked, wish)

    return work


def _stands(tx: Tx, asked: Asked) -> Question:
    wish = openers.wished(tx, asked.person).wish or "off"
    text = _STANDS[wish] + _missing_zone(tx, asked, wish)
    return Question(f"{text}\nTo change it: /openers on, off, often or rarely.", _CHOICES)


def _missing_zone(tx: Tx, asked: Asked, wish: str) -> str:
    known = people.get(tx, asked.person).timezone is not None
    return "" if known or wish == "off" else _ZONE


async def _why(asked: Asked) -> str:
    return await asked.db.read(lambda tx: _reason(tx, asked))


def _reason(tx: Tx, asked: Asked) -> str:
    latest = openers.latest(tx, asked.person, 1)
    if not latest:
        return "I haven't written to you first so far."
    one = latest[0]
    wrote = f"I wrote “{one.text}” on {local_time(one.written_at, asked.zone)}"
    return f"{wrote} because of {_origin(tx, asked.person, one, asked.zone)}"


def _origin(tx: Tx, person: int, one: Opener, zone: tzinfo) -> str:
    remark = remarks.find(tx, person, one.about.source) if one.about else None
    text = sentence_of(remark, one.about.sentence) if one.about else ""
    if remark is None or not text:
        return "something that I have forgotten since."
    said = _ORIGINS[remark.source.kind].format(at=local_time(remark.said_at, zone))
    if remark.by == "companion":
        said = said.replace("you said", "I said")
    return f"what {said}: “{text}”"


OPENER_COMMANDS = (
    Command("openers", "whether I may write to you first", _openers, "on|off|often|rarely"),
    Command("why", "why I last wrote to you first", _why),
)
