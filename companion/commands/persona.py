"""Who the companion is to a person: seeing and choosing."""

from companion.commands.declare import Asked, Command, Write
from companion.context import working_context
from companion.errors import SettingsError
from companion.people.personas import Persona
from companion.storage import passages, people
from companion.storage.database import Tx
from companion.text import neutral_name


async def _persona(asked: Asked) -> str | Write:
    person = await asked.db.read(lambda tx: people.get(tx, asked.person))
    if not asked.words:
        return _listed(asked, person.persona)
    if asked.words.casefold() not in {name.casefold() for name in asked.personas.names}:
        return f"I know no “{asked.words}”.\n\n{_listed(asked, person.persona)}"
    try:
        chosen = asked.personas.get(asked.words)
    except SettingsError as error:
        return f"That one can't be used: {error}"
    return lambda tx: _choose(tx, asked, chosen, neutral_name(person.name))


def _listed(asked: Asked, chosen: str | None) -> str:
    try:
        now = asked.personas.get(chosen)
    except SettingsError:
        now = None
    names = "\n".join(f"- {name}" for name in asked.personas.names)
    who = f"I am {now.name} now ({now.file}). " if now else ""
    return f"{who}I can be:\n{names}\n\nTo choose: /persona and one of these."


def _choose(tx: Tx, asked: Asked, chosen: Persona, person: str) -> str:
    """Be somebody else from now on; what is known of the person stays."""
    before = asked.memory.working_context_in(tx).text
    room = max(asked.memory.limit(before) - len(working_context.with_persona(before, "")), 0)
    shown, rest = _cut(chosen.text, room)
    text = working_context.with_persona(before, shown)
    if text != before:
        asked.memory.set_in(tx, text, cause="persona", event=asked.item.id)
    for paragraph in rest:
        if not passages.same(tx, asked.person, paragraph):
            asked.memory.insert_in(
                tx, paragraph, source=f"persona {chosen.file}", event=asked.item.id
            )
    people.set_persona(tx, asked.person, chosen.file)
    return chosen.greeting(person) or f"I am {chosen.name} now."


def _cut(text: str, room: int) -> tuple[str, list[str]]:
    """As many paragraphs as have room in the working context, and the others, to be kept as notes.

    Half of the room is left for what is learnt of the person.
    """
    shown = ""
    rest: list[str] = []
    for paragraph in text.split("\n\n"):
        if not rest and len(shown) + len(paragraph) + 2 <= room // 2:
            shown = f"{shown}\n\n{paragraph}" if shown else paragraph
        else:
            rest.append(paragraph)
    if not shown:
        shown, rest = text[: room // 2], [text]
    if rest:
        shown += "\n(More about you is in archival storage.)"
    return shown, rest


PERSONA_COMMANDS = (
    Command("persona", "see who I can be, and choose", _persona, "NAME", only="private"),
)
