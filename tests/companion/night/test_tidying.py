"""What is taken of what a model proposes at night, and what is not."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from companion.night.tidying import Edits, LineEdit, Material, NoteEdit, Tidied, tidied
from companion.storage.passages import Passage

MONDAY = datetime(2025, 5, 5, tzinfo=UTC)
HEAD = "## Persona\nYou are Mira.\n\n## Person\n"
LINES = (
    "Anna has a cat, Minka.",
    "Has a cat called Minka",
    "Interview at Acme next Thursday.",
    "Plays the cello.",
)


def note(number: int, text: str) -> Passage:
    return Passage(id=number, text=text, source="model", created_at=MONDAY)


NOTES = (
    note(1, "Ruth teaches her the cello."),
    note(2, "Cello lessons with Ruth on Mondays."),
)


def material(*lines: str) -> Material:
    context = HEAD + "".join(f"{line}\n" for line in lines or LINES)
    return Material(context, NOTES)


def after(*edits: LineEdit | NoteEdit, limit: int = 4000, lines: tuple[str, ...] = ()) -> Tidied:
    proposed = Edits(
        lines=[edit for edit in edits if isinstance(edit, LineEdit)],
        notes=[edit for edit in edits if isinstance(edit, NoteEdit)],
    )
    return tidied(material(*lines), proposed, limit=limit)


def test_doubles_become_one_line_and_vague_days_get_their_date() -> None:
    result = after(
        LineEdit(line=2, text=""), LineEdit(line=3, text="Interview at Acme on 2025-05-15.")
    )
    assert result.context == (
        f"{HEAD}Anna has a cat, Minka.\nInterview at Acme on 2025-05-15.\nPlays the cello.\n"
    )


def test_what_leaves_the_lines_is_kept_as_a_note_unless_another_says_it() -> None:
    result = after(LineEdit(line=2, text=""), LineEdit(line=3, text=""))
    assert result.added == ("Interview at Acme next Thursday.",)


def test_notes_of_one_matter_become_one() -> None:
    result = after(NoteEdit(notes=[1, 2], text="Ruth teaches her the cello, lessons on Mondays."))
    assert result.gone == NOTES
    assert result.added == ("Ruth teaches her the cello, lessons on Mondays.",)
    assert result.context == material().context


def test_nothing_new_is_taken() -> None:
    result = after(
        LineEdit(line=4, text="Plays the cello beautifully in an orchestra."),
        LineEdit(line=1, text="Anna has a cat, Minka, aged 73."),
        NoteEdit(notes=[1, 2], text="Ruth is a famous violinist."),
    )
    assert not result.changes(material())


def test_notes_are_never_just_thrown_away() -> None:
    assert not after(NoteEdit(notes=[1, 2], text="")).changes(material())


def test_numbers_that_are_not_there_change_nothing() -> None:
    result = after(
        LineEdit(line=0, text=""),
        LineEdit(line=9, text=""),
        NoteEdit(notes=[], text="Ruth"),
        NoteEdit(notes=[3], text="Ruth"),
    )
    assert not result.changes(material())


def test_a_model_that_empties_everything_is_not_followed() -> None:
    lines = tuple(f"Likes {what}." for what in ("tea", "jazz", "Rome", "cats", "rain", "bread"))
    edits = [LineEdit(line=number, text="") for number in range(1, 7)]
    assert not after(*edits, lines=lines).changes(material(*lines))


def test_a_context_that_would_be_too_long_stays_as_it_is() -> None:
    long = " ".join(LINES)
    assert not after(LineEdit(line=1, text=long), limit=10).changes(material())


@given(
    st.lists(st.builds(LineEdit, line=st.integers(-1, 6), text=st.text(max_size=60))),
    st.lists(
        st.builds(
            NoteEdit, notes=st.lists(st.integers(-1, 4), max_size=3), text=st.text(max_size=60)
        )
    ),
)
def test_whatever_is_proposed_the_persona_stays_and_no_line_is_lost(
    lines: list[LineEdit], notes: list[NoteEdit]
) -> None:
    result = after(*lines, *notes)
    assert result.context.startswith(HEAD)
    kept = [*result.context.splitlines(), *result.added]
    emptied = {edit.line for edit in lines if not edit.text.strip()}
    changed = {edit.line for edit in lines if edit.text.strip()}
    for number, line in enumerate(LINES, 1):
        if number in emptied and number not in changed and number > 2:  # the first two are doubles
            assert line in kept
