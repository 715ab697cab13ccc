"""How strangers get in: a code for each, which the operator or the owner approves."""

import random
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from companion.clock import Clock
from companion.events import Address, Sender
from companion.people.codes import LOCKED, VALID, WRONG_TRIES, new_code, shown, typed_code
from companion.storage import access, people, strangers
from companion.storage.database import Tx
from companion.storage.people import Person
from companion.storage.strangers import Request, Stranger, WrongCodes

DAY = timedelta(days=1)
MOST_OPEN = 5
"""Codes of one installation that are open at the same time."""
MOST_A_DAY = 20
MOST_OF_ONE_A_DAY = 3
TOLD_EVERY = timedelta(minutes=10)
"""How often one stranger is told anything."""
MOST_TOLD_TO_WAIT = 10
"""How many strangers an hour are told that there is no code for them."""

YOUR_CODE = (
    "Hello! I only talk with people whom my operator has let in. If you know them, give them this"
    " code, which is good for an hour: {code}"
)
NO_CODE = (
    "Hello! I only talk with people whom my operator has let in, and many ask for that at the"
    " moment. Please try again later."
)
UNKNOWN_CODE = (
    "Nobody was given that code, or it was used already. A code has 8 letters and digits; ask"
    " them to read it to you again."
)
OLD_CODE = "That code is older than an hour. Ask them to write again: they get a new one."
TOO_MANY_WRONG = (
    "Five wrong codes were typed within an hour. No code is taken until that hour is over; an"
    " account's number still is, as in telegram:123456789."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a stranger is told. `is_new` when they just got a code, and the owner may hear of it."""

    text: str
    is_new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Approved:
    """Who was let in, by which account. `owns` when they are the first, and so the owner."""

    person: Person
    platform: str
    user: str
    chat: Address | None
    owns: bool


class Pairing:
    """Gives out codes and takes them back. Everything happens in a transaction of the caller's.

    Who is approved on one of the `trusted` platforms, where all are heard, does not become the
    owner by it.
    """

    def __init__(
        self, clock: Clock, rng: random.Random, *, trusted: Collection[str] = frozenset()
    ) -> None:
        self._clock = clock
        self._trusted = trusted
        self.rng = rng

    def ask(self, tx: Tx, stranger: Stranger) -> Reply | None:
        """What to tell somebody who wants in; None for silence, so that nobody is flooded."""
        now = self._clock.now()
        strangers.forget_before(tx, now - DAY)
        known = strangers.of(tx, stranger.platform, stranger.user)
        if known is not None and (known.denied or now - known.told_at < TOLD_EVERY):
            return None
        if known is not None and known.code and not _is_old(known, now):
            strangers.tell(tx, stranger, now)
            return Reply(text=YOUR_CODE.format(code=shown(known.code)), is_new=False)
        if known is not None and known.codes >= MOST_OF_ONE_A_DAY:
            return None
        if len(self.open(tx)) >= MOST_OPEN or strangers.codes_made(tx) >= MOST_A_DAY:
            return self._have_them_wait(tx, stranger, now)
        code = new_code(self.rng)
        strangers.tell(tx, stranger, now, new_code=code)
        return Reply(text=YOUR_CODE.format(code=shown(code)), is_new=True)

    def open(self, tx: Tx) -> list[Request]:
        """The requests that can be approved, oldest first."""
        return strangers.made_since(tx, self._clock.now() - VALID)

    def approve(self, tx: Tx, who: str) -> Approved | str:
        """Let in whom `who` names: a code, or an account such as "telegram:123456789".

        A sentence that says why not, where nobody is let in.
        """
        account = account_named(who)
        if account is None:
            found = self._by_code(tx, who)
            return found if isinstance(found, str) else self._admit(tx, found)
        known = strangers.of(tx, *account)
        asks = known is not None and not known.denied
        return self._admit(tx, known.stranger if asks and known else nameless(*account))

    def deny(self, tx: Tx, who: str) -> Stranger | str:
        """Turn down whom `who` names, as in `approve`: they get no answer any more."""
        account = account_named(who)
        if account is None:
            found = self._by_code(tx, who)
            if isinstance(found, str):
                return found
        elif people.by_account(tx, *account) is not None:
            return f"{who} talks with it already. To end that: companion people revoke {who}"
        else:
            known = strangers.of(tx, *account)
            found = known.stranger if known else nameless(*account)
        strangers.deny(tx, found.platform, found.user, self._clock.now())
        return found

    def _have_them_wait(self, tx: Tx, stranger: Stranger, now: datetime) -> Reply | None:
        if strangers.told_since(tx, now - VALID) >= MOST_TOLD_TO_WAIT:
            return None
        strangers.tell(tx, stranger, now)
        return Reply(text=NO_CODE, is_new=False)

    def _by_code(self, tx: Tx, text: str) -> Stranger | str:
        now = self._clock.now()
        wrong = strangers.wrong_codes(tx)
        if wrong is None or now - wrong.since >= LOCKED:
            wrong = WrongCodes(0, now)
        if wrong.tries >= WRONG_TRIES:
            return TOO_MANY_WRONG
        code = typed_code(text)
        found = strangers.by_code(tx, code) if code else None
        if found is None:
            strangers.set_wrong_codes(tx, WrongCodes(wrong.tries + 1, wrong.since))
            return UNKNOWN_CODE
        if _is_old(found, now):
            return OLD_CODE
        strangers.set_wrong_codes(tx, None)
        return found.stranger

    def _admit(self, tx: Tx, stranger: Stranger) -> Approved:
        now, platform, user = self._clock.now(), stranger.platform, stranger.user
        sender = Sender(user=user, name=stranger.name)
        chat = Address(platform=platform, chat=stranger.chat) if stranger.chat else None
        if chat is not None:
            person = people.place(tx, chat, sender, now).person
        else:
            person = people.with_account(tx, platform, sender, now)
        access.admit(tx, person, platform, user, now)
        strangers.forget(tx, platform, user)
        owns = platform not in self._trusted and access.owner(tx) is None
        if owns:
            access.set_owner(tx, person, True)
        return Approved(
            person=people.get(tx, person), platform=platform, user=user, chat=chat, owns=owns
        )


def account_named(text: str) -> tuple[str, str] | None:
    """Platform and user id in a text such as "telegram:123456789"; None if it is none."""
    platform, colon, user = text.strip().partition(":")
    return (platform.strip().casefold(), user.strip()) if colon and user.strip() else None


def nameless(platform: str, user: str) -> Stranger:
    """An account of which nothing but its number is known."""
    return Stranger(platform=platform, user=user, chat="", name=user)


def _is_old(request: Request, now: datetime) -> bool:
    return request.made_at is None or now - request.made_at >= VALID
