"""Help, usage, privacy."""

from collections.abc import Sequence

from companion.commands.declare import Asked, Command, help_text
from companion.storage import access, usage

PRIVACY = """\
What I keep of you: every message of ours, what I noted about you, your plans and settings, and \
what it cost. All of it is in one database on my operator's machine, and they can read it.

Who else sees it: to answer, I send our latest messages, and of older ones and my notes what fits, \
to the model that my operator chose; it may run on that machine too, or belong to another \
company. What you tell me in private is not in what I know in groups, and nobody else's in what I \
know here.

What you can do: /memory shows what I noted, and what you had said then. /forget lets something \
go, everywhere. /export gives you everything as a file. /erase erases everything. What you delete \
in the chat, where I am told of it, I forget as well. Backups that my operator made keep the old \
state; when one comes back, what was erased is erased again."""


def about_commands(others: Sequence[Command]) -> tuple[Command, ...]:
    """These commands; /help lists `others` too, or tells of the one that is named."""

    async def show_help(asked: Asked) -> str:
        owns = await asked.db.read(lambda tx: access.is_owner(tx, asked.person))
        known = [c for c in (*others, *own) if owns or c.only != "owner"]
        named = [c for c in known if c.name == asked.words.removeprefix("/").casefold()]
        if named:
            return help_text(named)
        return f"You can just talk to me. I also know:\n{help_text(known)}"

    own = (
        Command("usage", "what our talk has cost", _usage),
        Command("privacy", "what is stored", _privacy),
        Command("help", "this list", show_help),
    )
    return own


async def _usage(asked: Asked) -> str:
    rows, today = await asked.db.read(
        lambda tx: (usage.of(tx, asked.person), asked.allowance.today(tx, asked.person))
    )
    if not rows:
        return "Nothing yet."
    lines = []
    limit = asked.allowance.limits.tokens_a_day
    if limit is not None:
        lines.append(f"Today {today.own.tokens:,} of {limit:,} tokens that you may have in a day.")
    for row in rows[:14]:
        cost = f", ${row.usage.cost:.4f}" if row.usage.cost else ""
        lines.append(
            f"{row.day} {row.model}: {row.requests} requests, {row.usage.prompt_tokens:,} tokens"
            f" read ({row.usage.cached_tokens:,} of them cached),"
            f" {row.usage.completion_tokens:,} written{cost}"
        )
    return "\n".join(lines)


async def _privacy(_asked: Asked) -> str:
    return PRIVACY
