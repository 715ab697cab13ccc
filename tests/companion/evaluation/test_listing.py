"""Search results taken apart again."""

from companion.evaluation.listing import NOTHING, read_listing
from companion.functions.memory import BESIDES


def test_a_page_of_notes_is_taken_apart() -> None:
    listing = read_listing(
        "Page 1 of 3, 25 in all:\n"
        "[kept Mon 3 Mar 2025 12:00 UTC, from a.txt] One note\nof two lines.\n"
        "[kept Tue 4 Mar 2025 12:00 UTC, from model] [not a head] Another.\n"
        "For more ask for page 2, with request_heartbeat."
    )
    assert listing.items == ("One note\nof two lines.", "[not a head] Another.")
    assert listing.heads[1] == "kept Tue 4 Mar 2025 12:00 UTC, from model"
    assert (listing.page, listing.total, listing.has_more) == (1, 25, True)


def test_the_last_page_of_a_chat_has_no_more() -> None:
    listing = read_listing(
        "Page 2 of 2, 6 in all:\n[Mon 3 Mar 2025 12:00 UTC, 3 days ago] Robin: I bake: bread."
    )
    assert listing.items == ("I bake: bread.",)
    assert not listing.has_more


def test_what_was_said_comes_with_what_stands_around_it() -> None:
    listing = read_listing(
        "Page 1 of 1, 2 in all:\n"
        "[Mon 3 Mar 2025 12:00 UTC, 3 days ago]\n"
        "  Mira: What do you do?\n"
        "> Robin: I bake.\n"
        "[Tue 4 Mar 2025 12:00 UTC, 2 days ago]\n"
        "> Robin: Bread."
    )
    assert listing.items == ("What do you do?\nI bake.", "Bread.")
    assert listing.heads[0] == "Mon 3 Mar 2025 12:00 UTC, 3 days ago"


def test_what_is_near_besides_is_an_item_like_others() -> None:
    listing = read_listing(
        "Page 1 of 1, 1 in all:\n"
        "[Mon 3 Mar 2025 12:00 UTC, 3 days ago]\n"
        "> Robin: Bread.\n"
        f"{BESIDES}\n"
        "[Tue 4 Mar 2025 12:00 UTC, 2 days ago] Mira: Rolls."
    )
    assert listing.items == ("Bread.", "Rolls.")


def test_what_is_no_page_holds_nothing() -> None:
    for text in ("Nothing found. Try other words, or a wider range of days.", "Error: no", ""):
        assert read_listing(text) == NOTHING
    assert read_listing("Page 1 of 1, 1 in all:\n[… 90 characters are not shown …]").items == ()
