"""Which accounts were let in or shut out, who owns the companion, and who was told about it."""

from dataclasses import dataclass
from datetime import datetime

from companion.events import Address
from companion.storage import people
from companion.storage.database import Tx
from companion.storage.people import Person, Place


@dataclass(frozen=True, slots=True)
class Standing:
    """Whether somebody let this account in, or shut it out since."""

    admitted: bool
    revoked: bool


def standing(tx: Tx, platform: str, user: str) -> Standing | None:
    """How it stands with an account; None for one that never talked."""
    person = people.by_account(tx, platform, user)
    if person is None:
        return None
    admitted, revoked = tx.execute(
        "SELECT admitted_at, revoked_at FROM account"
        " WHERE platform = :platform AND user = :user AND person_id = :person",
        {"platform": platform, "user": user, "person": person.id},
    ).fetchone()
    return Standing(admitted is not None, revoked is not None)


def admit(tx: Tx, person: int, platform: str, user: str, now: datetime) -> None:
    """Let this account of the person's in, whatever was before."""
    tx.execute(
        "UPDATE account SET admitted_at = :now, revoked_at = NULL"
        " WHERE platform = :platform AND user = :user AND person_id = :person",
        {"platform": platform, "user": user, "person": person, "now": now.isoformat()},
    )


def revoke(tx: Tx, person: int, platform: str, user: str, now: datetime) -> None:
    """Shut this account of the person's out."""
    tx.execute(
        "UPDATE account SET revoked_at = :now"
        " WHERE platform = :platform AND user = :user AND person_id = :person",
        {"platform": platform, "user": user, "person": person, "now": now.isoformat()},
    )


def has_no_way_in(tx: Tx, person: int, platform: str) -> bool:
    """Whether all accounts of the person there were shut out."""
    row = tx.execute(
        "SELECT COUNT(*), COUNT(revoked_at) FROM account"
        " WHERE person_id = :person AND platform = :platform",
        {"person": person, "platform": platform},
    ).fetchone()
    return bool(row[0]) and bool(row[0] == row[1])


def drop_what_waits(tx: Tx, person: int, platform: str) -> None:
    """Neither answer nor deliver anything more to the person on this platform."""
    tx.execute(
        "UPDATE inbox SET state = 'done' WHERE person_id = :person"
        " AND source = :platform AND state IN ('waiting', 'begun')",
        {"person": person, "platform": platform},
    )
    tx.execute(
        "UPDATE outbox SET state = 'refused', error = 'shut out' WHERE person_id = :person"
        " AND state IN ('waiting', 'sending') AND conversation_id IN"
        " (SELECT id FROM conversation WHERE person_id = :person AND platform = :platform)",
        {"person": person, "platform": platform},
    )


def owner(tx: Tx) -> Person | None:
    """Who decides about the others, or None as long as nobody was approved."""
    row = tx.execute("SELECT id FROM person WHERE owner ORDER BY id LIMIT 1").fetchone()
    return people.get(tx, row[0]) if row else None


def is_owner(tx: Tx, person: int) -> bool:
    """Whether this is the owner."""
    row = tx.execute("SELECT owner FROM person WHERE id = :person", {"person": person}).fetchone()
    return row is not None and bool(row[0])


def set_owner(tx: Tx, person: int, owns: bool) -> None:
    """Make the person the owner, or no longer."""
    tx.execute(
        "UPDATE person SET owner = :owns WHERE id = :person", {"owns": owns, "person": person}
    )


def tell_once(tx: Tx, person: int, now: datetime) -> bool:
    """Whether the person has still to be told what is stored of them. Notes it if so."""
    row = tx.execute(
        "UPDATE person SET told_at = :now WHERE id = :person AND told_at IS NULL RETURNING 1",
        {"person": person, "now": now.isoformat()},
    ).fetchone()
    return row is not None


def last_private_place(tx: Tx, person: int) -> Place | None:
    """The private chat in which the person last wrote, of those that can be reached."""
    row = tx.execute(
        "SELECT conversation.id, conversation.platform, conversation.chat, conversation.thread"
        " FROM conversation LEFT JOIN inbox ON inbox.conversation_id = conversation.id"
        " AND inbox.person_id = conversation.person_id AND inbox.message IS NOT NULL"
        " WHERE conversation.person_id = :person AND conversation.private"
        " AND conversation.unreachable_at IS NULL AND EXISTS (SELECT 1 FROM account"
        " WHERE account.person_id = :person AND account.platform = conversation.platform"
        " AND account.revoked_at IS NULL)"
        " GROUP BY conversation.id ORDER BY MAX(inbox.id) DESC NULLS LAST, conversation.id DESC"
        " LIMIT 1",
        {"person": person},
    ).fetchone()
    if row is None:
        return None
    return Place(row[0], person, Address(platform=row[1], chat=row[2], thread=row[3] or None))
