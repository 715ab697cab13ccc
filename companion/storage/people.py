"""Who talks with the companion, by which account, and where."""

from dataclasses import dataclass
from datetime import datetime

from companion.events import Address, Sender
from companion.storage.database import Tx

ELSEWHERE = "elsewhere"
"""The platform of chats that an import tells of and that are not ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """The root of all that is remembered. A group chat is one of kind 'group'.

    `timezone` is an IANA name, None while unknown. `persona` is whom they chose, None for nobody.
    """

    id: int
    kind: str
    name: str
    timezone: str | None
    persona: str | None = None


@dataclass(frozen=True, slots=True)
class Account:
    """An account of a person's: the platform's own user id, and the name that it shows."""

    platform: str
    user: str
    name: str


@dataclass(frozen=True, slots=True)
class Place:
    """A conversation: its row, and whose memory it belongs to."""

    id: int
    person: int
    address: Address


def place(tx: Tx, address: Address, sender: Sender, now: datetime) -> Place:
    """The conversation at `address`, made with its person when it is new.

    A private chat belongs to the sender's person, any other to a person of its own. One that was
    private and no longer is, or the other way round, changes hands: what was said in private is
    never read where others listen.
    """
    row = tx.execute(
        "SELECT id, person_id, private FROM conversation"
        " WHERE platform = :platform AND chat = :chat AND thread = :thread",
        {"platform": address.platform, "chat": address.chat, "thread": address.thread or ""},
    ).fetchone()
    if row is not None and bool(row[2]) == address.private:
        return Place(row[0], row[1], address)
    person = _person_of(tx, address, sender, now)
    if row is not None:
        _hand_over(tx, row[0], row[1], to=person, private=address.private)
        return Place(row[0], person, address)
    conversation = tx.execute(
        "INSERT INTO conversation (person_id, platform, chat, thread, private, created_at)"
        " VALUES (:person, :platform, :chat, :thread, :private, :now) RETURNING id",
        {
            "person": person,
            "platform": address.platform,
            "chat": address.chat,
            "thread": address.thread or "",
            "private": address.private,
            "now": now.isoformat(),
        },
    ).fetchone()[0]
    return Place(conversation, person, address)


def _hand_over(tx: Tx, conversation: int, person: int, *, to: int, private: bool) -> None:
    tx.execute(
        "UPDATE conversation SET person_id = :to, private = :private"
        " WHERE id = :conversation AND person_id = :person",
        {"to": to, "private": private, "conversation": conversation, "person": person},
    )


def private_place(tx: Tx, platform: str, user: str) -> Place | None:
    """The private chat, on the same platform, of whoever uses this account; None: none yet."""
    row = tx.execute(
        "SELECT conversation.id, conversation.person_id, conversation.chat, conversation.thread"
        " FROM account JOIN conversation ON conversation.person_id = account.person_id"
        " AND conversation.platform = account.platform AND conversation.private = 1"
        " WHERE account.platform = :platform AND account.user = :user"
        " ORDER BY conversation.id DESC LIMIT 1",
        {"platform": platform, "user": user},
    ).fetchone()
    if row is None:
        return None
    address = Address(platform=platform, chat=row[2], thread=row[3] or None)
    return Place(row[0], row[1], address)


def at(tx: Tx, address: Address) -> Place | None:
    """The conversation at `address`, if there is one, with whom it belongs to now."""
    row = tx.execute(
        "SELECT id, person_id FROM conversation"
        " WHERE platform = :platform AND chat = :chat AND thread = :thread",
        {"platform": address.platform, "chat": address.chat, "thread": address.thread or ""},
    ).fetchone()
    return Place(row[0], row[1], address) if row else None


def came(tx: Tx, person: int, conversation: int, message: str) -> None:
    """The platform's id of the last message that came in this conversation of the person's."""
    tx.execute(
        "UPDATE conversation SET last_message = :message"
        " WHERE id = :conversation AND person_id = :person",
        {"conversation": conversation, "person": person, "message": message},
    )


def last_messages(tx: Tx, platform: str) -> dict[str, str]:
    """The last message of each private chat, of everybody: both as the platform calls them."""
    rows = tx.execute(
        "SELECT chat, last_message FROM conversation"
        " WHERE platform = :platform AND private = 1 AND last_message IS NOT NULL",
        {"platform": platform},
    )
    return dict(rows.fetchall())


def move(tx: Tx, platform: str, chat: str, to: str) -> None:
    """The chat has another id from now on. What was said under both stays where it is."""
    tx.execute(
        "UPDATE OR IGNORE conversation SET chat = :to WHERE platform = :platform AND chat = :chat",
        {"platform": platform, "chat": chat, "to": to},
    )


def set_unreachable(tx: Tx, person: int, conversation: int, since: datetime | None) -> None:
    """Nothing gets through to this conversation of the person's since then; None: it does."""
    tx.execute(
        "UPDATE conversation SET unreachable_at = :since"
        " WHERE id = :conversation AND person_id = :person AND unreachable_at IS NOT :since",
        {
            "conversation": conversation,
            "person": person,
            "since": since.isoformat() if since else None,
        },
    )


def is_unreachable(tx: Tx, person: int, conversation: int) -> bool:
    """Whether nothing gets through to this conversation, so that no timed event should run."""
    row = tx.execute(
        "SELECT unreachable_at FROM conversation WHERE id = :conversation AND person_id = :person",
        {"conversation": conversation, "person": person},
    ).fetchone()
    return row is not None and row[0] is not None


def _person_of(tx: Tx, address: Address, sender: Sender, now: datetime) -> int:
    if not address.private:
        row = tx.execute(
            "SELECT person_id FROM conversation WHERE platform = :platform AND chat = :chat"
            " AND private = 0",
            {"platform": address.platform, "chat": address.chat},
        ).fetchone()
        return int(row[0]) if row else add(tx, "group", address.chat, now)
    return with_account(tx, address.platform, sender, now)


def with_account(tx: Tx, platform: str, sender: Sender, now: datetime) -> int:
    """Who uses this account, made with it when it is new.

    An account that was only known by its number gets the name that it shows now.
    """
    account = {"platform": platform, "user": sender.user}
    row = tx.execute(
        "SELECT person_id FROM account WHERE platform = :platform AND user = :user", account
    ).fetchone()
    if row is not None:
        _name(tx, row[0], platform, sender)
        return int(row[0])
    person = add(tx, "person", sender.name, now)
    tx.execute(
        "INSERT INTO account (platform, user, person_id, name, created_at)"
        " VALUES (:platform, :user, :person, :name, :now)",
        {**account, "person": person, "name": sender.name, "now": now.isoformat()},
    )
    return person


def _name(tx: Tx, person: int, platform: str, sender: Sender) -> None:
    """Call by the name of `sender` what had only its number for one."""
    tx.execute(
        "UPDATE account SET name = :name WHERE platform = :platform AND user = :user"
        " AND person_id = :person AND name = user",
        {"name": sender.name, "platform": platform, "user": sender.user, "person": person},
    )
    tx.execute(
        "UPDATE person SET name = :name WHERE id = :person AND name = :user",
        {"name": sender.name, "user": sender.user, "person": person},
    )


def conversation_of(tx: Tx, person: int, now: datetime, chosen: int | None = None) -> int:
    """The chat `chosen`, else the newest of the person's, else one that stands for others."""
    if chosen is not None:
        return chosen
    row = tx.execute(
        "SELECT MAX(id) FROM conversation WHERE person_id = :person", {"person": person}
    ).fetchone()
    if row[0] is not None:
        return int(row[0])
    row = tx.execute(
        "INSERT INTO conversation (person_id, platform, chat, private, created_at)"
        " VALUES (:person, :platform, :chat, 1, :now) RETURNING id",
        {"person": person, "platform": ELSEWHERE, "chat": str(person), "now": now.isoformat()},
    ).fetchone()
    return int(row[0])


def take_up(
    tx: Tx,
    person: int,
    *,
    zone: str | None,
    warned: bool,
    evicted_through: int,
    context_shown: int | None,
) -> None:
    """Go on where the person stood elsewhere: with this time zone, and their queue and prompt."""
    tx.execute(
        "UPDATE person SET timezone = :zone, warned = :warned, evicted_through = :evicted,"
        " context_shown = :shown WHERE id = :person",
        {
            "zone": zone,
            "warned": warned,
            "evicted": evicted_through,
            "shown": context_shown,
            "person": person,
        },
    )


def add(tx: Tx, kind: str, name: str, now: datetime) -> int:
    """A new person, or a new group."""
    row = tx.execute(
        "INSERT INTO person (kind, name, created_at) VALUES (:kind, :name, :now) RETURNING id",
        {"kind": kind, "name": name, "now": now.isoformat()},
    ).fetchone()
    return int(row[0])


def new(tx: Tx, account: Account, now: datetime, *, like: int) -> int:
    """A new person for an account that was another's, `like` whom they are at home and informed."""
    row = tx.execute(
        "INSERT INTO person (kind, name, created_at, timezone, told_at, evicted_through)"
        " SELECT 'person', :name, :now, timezone, told_at, evicted_through FROM person"
        " WHERE id = :like RETURNING id",
        {"name": account.name, "now": now.isoformat(), "like": like},
    ).fetchone()
    return int(row[0])


def get(tx: Tx, person: int) -> Person:
    """The person with this id.

    Raises:
        LookupError: there is none.
    """
    row = tx.execute(
        "SELECT id, kind, name, timezone, persona FROM person WHERE id = :person",
        {"person": person},
    ).fetchone()
    if row is None:
        raise LookupError(f"no person {person}")
    return Person(id=row[0], kind=row[1], name=row[2], timezone=row[3], persona=row[4])


def everybody(tx: Tx) -> list[Person]:
    """All people and groups, oldest first. For the operator."""
    rows = tx.execute("SELECT id, kind, name, timezone FROM person ORDER BY id")
    return [Person(id=row[0], kind=row[1], name=row[2], timezone=row[3]) for row in rows]


def known_since(tx: Tx, person: int) -> datetime:
    """When the person first came."""
    row = tx.execute(
        "SELECT created_at FROM person WHERE id = :person", {"person": person}
    ).fetchone()
    return datetime.fromisoformat(row[0])


def by_account(tx: Tx, platform: str, user: str) -> Person | None:
    """Who uses this account, or None."""
    row = tx.execute(
        "SELECT person_id FROM account WHERE platform = :platform AND user = :user",
        {"platform": platform, "user": user},
    ).fetchone()
    return get(tx, row[0]) if row else None


def by_chat(tx: Tx, platform: str, chat: str) -> int | None:
    """Whose memory this chat belongs to, or None."""
    row = tx.execute(
        "SELECT person_id FROM conversation WHERE platform = :platform AND chat = :chat",
        {"platform": platform, "chat": chat},
    ).fetchone()
    return int(row[0]) if row else None


def accounts(tx: Tx, person: int) -> list[Account]:
    """The accounts that the person uses, oldest first."""
    rows = tx.execute(
        "SELECT platform, user, name FROM account WHERE person_id = :person"
        " ORDER BY created_at, platform, user",
        {"person": person},
    )
    return [Account(*row) for row in rows]


def conversations(tx: Tx, person: int) -> set[int]:
    """The conversations that are the person's."""
    rows = tx.execute("SELECT id FROM conversation WHERE person_id = :person", {"person": person})
    return {row[0] for row in rows}


def set_persona(tx: Tx, person: int, persona: str) -> None:
    """Remember whom the person wants to talk with."""
    tx.execute(
        "UPDATE person SET persona = :persona WHERE id = :person",
        {"persona": persona, "person": person},
    )


def set_timezone(tx: Tx, person: int, zone: str) -> None:
    """Remember the person's IANA time zone."""
    tx.execute(
        "UPDATE person SET timezone = :zone WHERE id = :person", {"zone": zone, "person": person}
    )
