"""Whether the person wants to be written to first."""

from typing import Annotated, Literal

from pydantic import Field

from companion.errors import ToolError
from companion.functions.declare import Outcome, Turn, Write, function
from companion.functions.sources import require_own
from companion.openers.arranging import set_wish
from companion.storage.database import Tx


@function
async def set_openers(
    turn: Turn,
    wish: Annotated[Literal["on", "off", "often", "rarely"], Field(description="What they want.")],
) -> Write:
    """Set whether you write to the person first now and then, of your own accord. Only when they
    asked for it, agreed, or want it to stop. Reminders and check-ins stay as they are."""
    if not turn.item.address.private:
        raise ToolError("That is only for private chats: in groups you never write first.")
    await require_own(turn, wish)

    def write(tx: Tx) -> Outcome:
        set_wish(tx, turn.item, wish, turn.now())
        return Outcome(text=f"Writing first is {wish} now.")

    return write
