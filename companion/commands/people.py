"""What the owner decides about others, from their own private chat."""

from companion.commands.declare import Asked, Command, Write
from companion.events import Sender
from companion.people import operating
from companion.people.pairing import Approved
from companion.storage.database import Tx
from companion.storage.people import place
from companion.text import neutral_name


async def _approve(asked: Asked) -> str | Write:
    if not asked.words:
        return "Tell me which code: /approve and the 8 signs that they were given."

    def work(tx: Tx) -> str:
        approved = asked.access.pairing.approve(tx, asked.words)
        if isinstance(approved, str):
            return approved
        _say_hello(tx, asked, approved)
        return f"{neutral_name(approved.person.name)} ({_account(approved)}) may talk with me now."

    return work


def _say_hello(tx: Tx, asked: Asked, approved: Approved) -> None:
    if approved.chat is None:
        return
    sender = Sender(user=approved.user, name=approved.person.name)
    there = place(tx, approved.chat, sender, asked.clock.now())
    asked.tell(asked.access.hello_in(tx, there))


async def _deny(asked: Asked) -> str | Write:
    if not asked.words:
        return "Tell me whom: /deny and their code, or their account as in telegram:123456789."

    def work(tx: Tx) -> str:
        denied = asked.access.pairing.deny(tx, asked.words)
        if isinstance(denied, str):
            return denied
        return f"{denied.platform}:{denied.user} gets no answer from me any more."

    return work


async def _people(asked: Asked) -> str:
    def query(tx: Tx) -> list[str]:
        lines = [_line(known) for known in operating.everybody(tx) if known.accounts]
        for request in operating.asking(tx, asked.access.pairing):
            who = request.stranger
            name = neutral_name(who.name)
            lines.append(f"- {name} ({who.platform}:{who.user}) waits for /approve and their code")
        return lines

    return "\n".join(await asked.db.read(query))


def _line(known: operating.Known) -> str:
    accounts = ", ".join(
        f"{one.account.platform}:{one.account.user}{' (shut out)' if one.revoked else ''}"
        for one in known.accounts
    )
    return f"- {neutral_name(known.person.name)}: {accounts}{', the owner' if known.owns else ''}"


def _account(approved: Approved) -> str:
    return f"{approved.platform}:{approved.user}"


PEOPLE_COMMANDS = (
    Command("people", "who talks with me, and who would like to", _people, only="owner"),
    Command("approve", "let somebody in", _approve, "CODE", only="owner"),
    Command("deny", "turn somebody down for good", _deny, "CODE", only="owner"),
)
