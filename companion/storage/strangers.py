"""Accounts that asked to be let in, and wrong codes of who may let them in. Nobody's memory."""

from dataclasses import dataclass
from datetime import datetime

from companion.storage.database import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Stranger:
    """An account that may not talk to the companion: ids and name as its platform gives them."""

    platform: str
    user: str
    chat: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a stranger asked for. `codes` were made for them today; no `code`: none is open."""

    stranger: Stranger
    code: str | None
    made_at: datetime | None
    codes: int
    told_at: datetime
    denied: bool


_COLUMNS = "platform, user, chat, name, code, made_at, codes, told_at, denied"
_Row = tuple[str, str, str, str, str | None, str | None, int, str, int]


def _request(row: _Row) -> Request:
    return Request(
        stranger=Stranger(platform=row[0], user=row[1], chat=row[2], name=row[3]),
        code=row[4],
        made_at=datetime.fromisoformat(row[5]) if row[5] else None,
        codes=row[6],
        told_at=datetime.fromisoformat(row[7]),
        denied=bool(row[8]),
    )


def of(tx: Tx, platform: str, user: str) -> Request | None:
    """What this account asked for, or None."""
    row = tx.execute(
        f"SELECT {_COLUMNS} FROM stranger WHERE platform = :platform AND user = :user",
        {"platform": platform, "user": user},
    ).fetchone()
    return _request(row) if row else None


def by_code(tx: Tx, code: str) -> Request | None:
    """Who was given this code, or None."""
    row = tx.execute(f"SELECT {_COLUMNS} FROM stranger WHERE code = :code", {"code": code})
    found = row.fetchone()
    return _request(found) if found else None


def made_since(tx: Tx, since: datetime) -> list[Request]:
    """The requests whose code was made after this moment, oldest first."""
    rows = tx.execute(
        f"SELECT {_COLUMNS} FROM stranger WHERE made_at > :since ORDER BY made_at",
        {"since": since.isoformat()},
    )
    return [_request(row) for row in rows]


def codes_made(tx: Tx) -> int:
    """How many codes were made for all who are kept here."""
    return int(tx.execute("SELECT COALESCE(SUM(codes), 0) FROM stranger").fetchone()[0])


def told_since(tx: Tx, since: datetime) -> int:
    """How many were told after this moment that there is no code for them."""
    row = tx.execute(
        "SELECT COUNT(*) FROM stranger WHERE told_at > :since AND code IS NULL AND NOT denied",
        {"since": since.isoformat()},
    ).fetchone()
    return int(row[0])


def tell(tx: Tx, stranger: Stranger, now: datetime, *, new_code: str | None = None) -> None:
    """They are told something now: with `new_code` that one, else what they had before."""
    tx.execute(
        "INSERT INTO stranger (platform, user, chat, name, code, made_at, codes, told_at)"
        " VALUES (:platform, :user, :chat, :name, :code, :made, :made IS NOT NULL, :now)"
        " ON CONFLICT (platform, user) DO UPDATE SET chat = :chat, name = :name, told_at = :now,"
        " code = COALESCE(:code, code), made_at = COALESCE(:made, made_at),"
        " codes = codes + (:made IS NOT NULL)",
        {
            "platform": stranger.platform,
            "user": stranger.user,
            "chat": stranger.chat,
            "name": stranger.name,
            "code": new_code,
            "made": now.isoformat() if new_code else None,
            "now": now.isoformat(),
        },
    )


def deny(tx: Tx, platform: str, user: str, now: datetime) -> None:
    """Never answer this account again; of a request that is open nothing but the id is kept."""
    tx.execute(
        "INSERT INTO stranger (platform, user, chat, name, told_at, denied)"
        " VALUES (:platform, :user, '', '', :now, 1) ON CONFLICT (platform, user) DO UPDATE SET"
        " chat = '', name = '', code = NULL, made_at = NULL, denied = 1",
        {"platform": platform, "user": user, "now": now.isoformat()},
    )


def forget(tx: Tx, platform: str, user: str) -> None:
    """This account is no stranger any more."""
    tx.execute(
        "DELETE FROM stranger WHERE platform = :platform AND user = :user",
        {"platform": platform, "user": user},
    )


def forget_before(tx: Tx, before: datetime) -> None:
    """Forget who was last told something before this moment; who was denied stays so."""
    tx.execute(
        "DELETE FROM stranger WHERE told_at <= :before AND NOT denied",
        {"before": before.isoformat()},
    )


@dataclass(frozen=True, slots=True)
class WrongCodes:
    """How many wrong codes were typed, the first of them at `since`."""

    tries: int
    since: datetime


def wrong_codes(tx: Tx) -> WrongCodes | None:
    """The wrong codes that were typed since the last right one."""
    row = tx.execute("SELECT tries, since FROM wrong_code").fetchone()
    return WrongCodes(row[0], datetime.fromisoformat(row[1])) if row else None


def set_wrong_codes(tx: Tx, wrong: WrongCodes | None) -> None:
    """Keep count of wrong codes; None after a right one."""
    tx.execute("DELETE FROM wrong_code")
    if wrong is not None:
        tx.execute(
            "INSERT INTO wrong_code (id, tries, since) VALUES (1, :tries, :since)",
            {"tries": wrong.tries, "since": wrong.since.isoformat()},
        )
