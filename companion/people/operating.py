"""What the operator and the owner do about people: see them, let them in, shut them out."""

from collections.abc import Collection
from dataclasses import dataclass

from companion.clock import Clock
from companion.people.pairing import Pairing, account_named
from companion.storage import access, people
from companion.storage.database import Tx
from companion.storage.people import Account, Person
from companion.storage.strangers import Request

AT_THE_MACHINE = (
    "{account} can't be shut out: whoever writes there sits at this machine, where all can be read"
    " anyway. `companion memory erase` deletes what is remembered of them."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownAccount:
    """An account of somebody's, and whether it was shut out."""

    account: Account
    revoked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A person or group that the companion knows, and who they are to it."""

    person: Person
    accounts: tuple[KnownAccount, ...]
    owns: bool


def everybody(tx: Tx) -> list[Known]:
    """All people and groups, oldest first."""
    return [_known(tx, person) for person in people.everybody(tx)]


def asking(tx: Tx, pairing: Pairing) -> list[Request]:
    """Who waits to be let in."""
    return pairing.open(tx)


def revoke(tx: Tx, who: str, clock: Clock, *, trusted: Collection[str] = ()) -> list[Account] | str:
    """Shut out whom `who` names: a person, with all accounts, or one account such as
    "telegram:123456789". Gives the accounts, or a sentence that says why there are none.

    Accounts of the `trusted` platforms stay: whoever writes there holds the machine already.
    """
    found = _named(tx, who)
    if isinstance(found, str):
        return found
    person, named = found
    accounts = [account for account in named if account.platform not in trusted]
    if named and not accounts:
        return AT_THE_MACHINE.format(account=f"{named[0].platform}:{named[0].user}")
    for account in accounts:
        access.revoke(tx, person.id, account.platform, account.user, clock.now())
        access.drop_what_waits(tx, person.id, account.platform)
    left = [one for one in _known(tx, person).accounts if one.account.platform not in trusted]
    if all(one.revoked for one in left):
        access.set_owner(tx, person.id, False)
    return accounts


def _named(tx: Tx, who: str) -> tuple[Person, list[Account]] | str:
    account = account_named(who)
    if account is not None:
        person = people.by_account(tx, *account)
        if person is None:
            return f"Nobody talks with it as {who}. `companion people list` shows who does."
        theirs = people.accounts(tx, person.id)
        return person, [one for one in theirs if (one.platform, one.user) == account]
    wanted = " ".join(who.split()).casefold()
    found = [
        person
        for person in people.everybody(tx)
        if person.kind == "person" and person.name.casefold() == wanted
    ]
    if not found:
        return (
            f"Nobody called {who} talks with it. `companion people list` shows who; an account is"
            " named as in telegram:123456789."
        )
    if len(found) > 1:
        named = ", ".join(
            f"{account.platform}:{account.user}"
            for person in found
            for account in people.accounts(tx, person.id)
        )
        return f"{len(found)} people are called {who}. Name one of their accounts: {named}"
    return found[0], people.accounts(tx, found[0].id)


def _known(tx: Tx, person: Person) -> Known:
    accounts = []
    for account in people.accounts(tx, person.id):
        standing = access.standing(tx, account.platform, account.user)
        accounts.append(KnownAccount(account=account, revoked=bool(standing and standing.revoked)))
    return Known(person=person, accounts=tuple(accounts), owns=access.is_owner(tx, person.id))
