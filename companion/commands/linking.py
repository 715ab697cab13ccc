"""Being one person on several apps: /link and /unlink."""

from companion.commands.declare import Asked, Command, Question, Write
from companion.event_text import local_time
from companion.events import Choice
from companion.people import notices
from companion.people.codes import LOCKED, VALID, WRONG_TRIES, new_code, shown, typed_code
from companion.people.linking import Parted, Preview, Side
from companion.storage import access, links, people
from companion.storage.database import Tx
from companion.storage.inbox import InboxItem
from companion.storage.joining import Moved
from companion.storage.links import Link, WrongCodes
from companion.storage.outbox import OutboxItem
from companion.storage.people import Account, Place

YES, NO = "yes", "no"
SHOWN_CONTRADICTIONS = 10

MADE = (
    "This links two accounts of yours, so that I know you in both. On the other app, write to me"
    " within an hour:\n\n/link {code}\n\nGive it to nobody else: whoever links with it shares"
    " everything that I know of you."
)
UNKNOWN = "I made no such code, or it was used already. /link on your other app makes a new one."
OLD = "That code is older than an hour. /link on your other app makes a new one."
SAME = "That code is from this very account. Write it to me on your other app."
SAME_APP = (
    "You have an account on {platform} on both sides, and I can link one of each app. Go on with"
    " the one that you like better: /export in the other gives you everything of it, and my"
    " operator can give that to this one."
)
LOCKED_OUT = "Those were five wrong codes. Please wait for an hour before you try again."
NOTHING = "There is nothing to agree to. /link makes a code."
NOT_YET = "They have not agreed yet, on {platform}. That comes first."
TURNED_DOWN = "That was turned down on the other side. Nothing is linked."
CANCELLED = "Nothing is linked."
ASK_FIRST = (
    "With that code you would be one with {others}: I would know both as one person, and each"
    " would see everything of the other. From here that takes along {messages} messages,"
    " {notes} notes and {lines} lines of what I keep in mind.\n\nIf both are yours: /link yes. I"
    " then ask in the other chat, and nothing is linked before you agree there too. If not:"
    " /link no"
)
AGREED = "Good. Now agree on {platform}: I have just asked there. Until then nothing is linked."
ASK_SECOND = (
    "{others} wants to be linked with you here, by the code that I gave you. Both would be one"
    " person to me, and each would see everything of the other:\n\n- from here {mine}\n- from there"
    " {theirs}{contradictions}\n\nIf both are yours: /link yes. If not: /link no"
)
JOINED = (
    "You are one person to me now: {messages} messages and {notes} notes came along, and what I"
    " keep in mind of both is one. Answers go to where you write, the rest to where you wrote"
    " last. /unlink takes it apart again."
)


async def _link(asked: Asked) -> str | Question | Write:
    word = asked.words.casefold()
    if not asked.words:
        return lambda tx: _make(tx, asked)
    if word == NO:
        return lambda tx: _cancel(tx, asked)
    if word != YES:
        return lambda tx: _type(tx, asked)
    link = await asked.db.read(lambda tx: links.of(tx, asked.person))
    if link is None or link.other is None or _is_old(link, asked):
        return lambda tx: _agree_first(tx, asked)
    if not link.other_agreed:
        other = link.other
        platform = await asked.db.read(lambda tx: _platform(tx, other))
        return NOT_YET.format(platform=platform)
    return await _join(asked, link.other)


async def _join(asked: Asked, other: int) -> str:
    place = await asked.db.read(lambda tx: access.last_private_place(tx, other))

    def tell(tx: Tx, moved: Moved) -> tuple[OutboxItem, InboxItem | None]:
        text = JOINED.format(messages=moved.messages, notes=moved.passages)
        there = people.at(tx, place.address) if place is not None else None
        return asked.answer_in(tx, text), _notice(tx, asked, there, text) if there else None

    answer, notice = await asked.linking.join(other, asked.person, tell)
    asked.answered.append(answer)
    asked.tell(notice)
    return ""


def _make(tx: Tx, asked: Asked) -> str:
    code = new_code(asked.access.pairing.rng)
    links.make(tx, asked.person, code, asked.clock.now())
    return MADE.format(code=shown(code))


def _cancel(tx: Tx, asked: Asked) -> str:
    began = links.of(tx, asked.person)
    typed = links.typed_by(tx, asked.person)
    links.cancel(tx, asked.person)
    for other in (began.other if began else None, typed.person if typed else None):
        if other is not None:
            _tell(tx, asked, other, TURNED_DOWN)
    return CANCELLED


def _type(tx: Tx, asked: Asked) -> str | Question:
    """Take a code in, unless it is none for this person."""
    now = asked.clock.now()
    wrong = links.wrong_codes(tx, asked.person)
    if wrong is None or now - wrong.since >= LOCKED:
        wrong = WrongCodes(0, now)
    if wrong.tries >= WRONG_TRIES:
        return LOCKED_OUT
    code = typed_code(asked.words)
    link = links.by_code(tx, code) if code else None
    if link is None or link.other not in (None, asked.person):
        links.set_wrong_codes(tx, asked.person, WrongCodes(wrong.tries + 1, wrong.since))
        return UNKNOWN
    if _is_old(link, asked):
        return OLD
    if link.person == asked.person:
        return SAME
    twice = _platforms(tx, link.person) & _platforms(tx, asked.person)
    if twice:
        return SAME_APP.format(platform=", ".join(sorted(twice)))
    links.set_wrong_codes(tx, asked.person, None)
    links.type_code(tx, link, asked.person)
    preview = asked.linking.preview(tx, asked.person, link.person)
    text = ASK_FIRST.format(
        others=_names(preview.other),
        messages=preview.one.messages,
        notes=preview.one.notes,
        lines=len(preview.one.lines),
    )
    return _question(text)


def _agree_first(tx: Tx, asked: Asked) -> str:
    link = links.typed_by(tx, asked.person)
    if link is None or _is_old(link, asked):
        return NOTHING
    platform = _platform(tx, link.person)
    if not link.other_agreed:
        links.agree(tx, link)
        preview = asked.linking.preview(tx, link.person, asked.person)
        text = ASK_SECOND.format(
            others=_names(preview.other),
            mine=_counts(preview.one),
            theirs=_counts(preview.other),
            contradictions=_contradictions(preview),
        )
        _tell(tx, asked, link.person, text)
    return AGREED.format(platform=platform)


def _contradictions(preview: Preview) -> str:
    if not preview.contradictions:
        return ""
    pairs = [
        f"- {clash.one.dated}\n  and {clash.other.dated}"
        for clash in preview.contradictions[:SHOWN_CONTRADICTIONS]
    ]
    more = len(preview.contradictions) - len(pairs)
    if more:
        pairs.append(f"- and {more} more")
    return "\n\nThese may contradict each other; I would keep both with their dates:\n" + "\n".join(
        pairs
    )


def _counts(side: Side) -> str:
    return (
        f"{side.messages} messages, {side.notes} notes and {len(side.lines)} lines of what I keep"
        " in mind"
    )


def _names(side: Side) -> str:
    return " and ".join(f"{one.name} on {one.platform}" for one in side.accounts)


def _platforms(tx: Tx, person: int) -> set[str]:
    return {account.platform for account in people.accounts(tx, person)}


def _platform(tx: Tx, person: int) -> str:
    """The app on which the person is asked."""
    place = access.last_private_place(tx, person)
    return place.address.platform if place else "the other app"


def _tell(tx: Tx, asked: Asked, person: int, text: str) -> None:
    place = access.last_private_place(tx, person)
    if place is not None:
        asked.tell(_notice(tx, asked, place, text))


def _notice(tx: Tx, asked: Asked, to: Place, text: str) -> InboxItem | None:
    return notices.put(tx, to, f"link {asked.item.id} {to.id}", text, asked.clock)


def _is_old(link: Link, asked: Asked) -> bool:
    return asked.clock.now() - link.made_at >= VALID


def _question(text: str) -> Question:
    choices = (Choice(label="Link", words="/link yes"), Choice(label="No", words="/link no"))
    return Question(text, choices)


async def _unlink(asked: Asked) -> str | Question:
    accounts = await asked.db.read(lambda tx: people.accounts(tx, asked.person))
    if len(accounts) < 2:
        return "You have only this account with me. /link adds another one."
    word, _, rest = asked.words.casefold().partition(" ")
    sure = word == YES
    named = rest.strip() if sure else asked.words.casefold()
    here = asked.item.address.platform
    leaving = next((one for one in accounts if one.platform == named), None)
    if leaving is None:
        others = "\n".join(f"/unlink {one.platform}" for one in accounts if one.platform != here)
        return f"Which one shall be on its own again?\n{others}"
    if leaving.platform == here:
        return "That is the account that you write with. Say it from another one of yours."
    if not sure:
        return _sure(leaving)
    return await _part(asked, leaving)


def _sure(leaving: Account) -> Question:
    platform = leaving.platform
    text = (
        f"Your account {leaving.name} on {platform} would be a person of its own to me. With it"
        " goes what was said there, the notes that I made of that, and reminders set there. What I"
        " keep in mind stays here; there I would know again what I did when you linked. What it"
        f" cost so far stays here too.\n\nTo do it: /unlink yes {platform}"
    )
    return Question(text, (Choice(label="Unlink", words=f"/unlink yes {platform}"),))


async def _part(asked: Asked, leaving: Account) -> str:
    def tell(tx: Tx, parted: Parted) -> OutboxItem:
        context = "it begins anew there"
        if parted.context_of is not None:
            context = f"there it is as it was on {local_time(parted.context_of, asked.zone)}"
        text = (
            f"{leaving.name} on {leaving.platform} is on its own again: {parted.moved.messages}"
            f" messages and {parted.moved.passages} notes went with it. What I keep in mind stayed"
            f" here, and {context}. If something stands here now that should not: /forget"
        )
        return asked.answer_in(tx, text)

    asked.answered.append(await asked.linking.part(asked.person, leaving, tell))
    return ""


LINK_COMMANDS = (
    Command("link", "be one person to me on two apps", _link, "CODE", only="private"),
    Command("unlink", "take linked accounts apart again", _unlink, "APP", only="private"),
)
