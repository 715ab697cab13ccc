"""What Telegram's updates mean to the companion."""

from typing import Any

import pytest
from telegram import Bot, MessageEntity, Update

from adapters.telegram.to_event import Admission, Me, Meaning, Moved, Stranger, to_event
from adapters.telegram.to_markdown import to_markdown
from companion.events import (
    Author,
    FileReceived,
    MessageEdited,
    MessageReceived,
    PersonStarted,
    ReactionReceived,
    Sender,
    VoiceReceived,
)
from tests.support.bot_api import BOT, TOKEN, group, person

Json = dict[str, Any]

ME = Me(id=BOT["id"], username=BOT["username"], name="Mira")
ANNA, STRANGER = 7, 13
LISTENING = -1002
ADMITTED = Admission(admitted=True, listens=frozenset({LISTENING}))
NOT_ADMITTED = Admission(listens=frozenset({LISTENING}))
PRIVATE: Json = {"id": ANNA, "type": "private", "first_name": "Anna"}


def update(**what: Any) -> Update:
    return Update.de_json({"update_id": 5, **what}, Bot(TOKEN))


def message(text: str | None = None, *, user: int = ANNA, **more: Any) -> Json:
    given: Json = {"message_id": 3, "date": 1_746_446_400, "chat": PRIVATE, "from": person(user)}
    if text is not None:
        given["text"] = text
    return {**given, **more}


def by_us(**more: Any) -> Json:
    """A message of the bot's own."""
    return {**message(), "from": BOT, **more}


def meaning(text: str | None = None, **more: Any) -> Meaning:
    return to_event(update(message=message(text, **more)), ME, ADMITTED)


def strange(text: str, **more: Any) -> Meaning:
    """What it means when somebody writes `text` who was not let in."""
    return to_event(update(message=message(text, user=STRANGER, **more)), ME, NOT_ADMITTED)


def text_of(**more: Any) -> str:
    event = meaning(**more)
    assert isinstance(event, MessageReceived)
    return event.text


def entity(kind: str, offset: int, length: int, **more: Any) -> Json:
    return {"type": kind, "offset": offset, "length": length, **more}


def test_a_private_message_is_one() -> None:
    event = meaning("Hi")
    assert isinstance(event, MessageReceived)
    assert (event.text, event.message, event.address.chat) == ("Hi", "3", "7")
    assert event.address.private
    assert event.addressed
    assert event.more_may_follow


def test_the_same_message_has_the_same_id_in_every_update() -> None:
    first = to_event(update(message=message("Hi")), ME, ADMITTED)
    again = to_event(Update.de_json({"update_id": 9, "message": message("Hi")}, None), ME, ADMITTED)
    assert isinstance(first, MessageReceived)
    assert isinstance(again, MessageReceived)
    assert first.id == again.id


@pytest.mark.parametrize(
    ("text", "entities", "markdown"),
    [
        ("so bold", [entity("bold", 3, 4)], "so **bold**"),
        ("😀😀 bold", [entity("bold", 5, 4)], "😀😀 **bold**"),
        ("a here b", [entity("text_link", 2, 4, url="https://x.y/")], "a [here](https://x.y/) b"),
        ("run x()", [entity("code", 4, 3)], "run `x()`"),
        ("x = 1", [entity("pre", 0, 5, language="py")], "```py\nx = 1\n```"),
        ("both", [entity("bold", 0, 4), entity("italic", 0, 4)], "**_both_**"),
        ("all it", [entity("bold", 0, 6), entity("italic", 4, 2)], "**all _it_**"),
        ("one two ", [entity("bold", 4, 4)], "one **two** "),
        ("one\ntwo", [entity("blockquote", 0, 7)], "> one\n> two"),
        ("a @mira b", [entity("mention", 2, 5)], "a @mira b"),
        ("ssh", [entity("spoiler", 0, 3)], "||ssh||"),
        ("  ", [entity("bold", 0, 2)], "  "),
    ],
)
def test_formatting_is_given_to_the_model_as_markdown(
    text: str, entities: list[Json], markdown: str
) -> None:
    found = [MessageEntity.de_json(one, None) for one in entities]
    assert to_markdown(text, found) == markdown


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"sticker": {"emoji": "😺"}}, "sticker that shows 😺"),
        ({"location": {"latitude": 38.7, "longitude": -9.1}}, "38.7, -9.1"),
        ({"contact": {"phone_number": "+351 1", "first_name": "Lea"}}, "Lea, +351 1"),
        ({"dice": {"emoji": "🎲", "value": 4}}, "🎲 and gets 4"),
    ],
)
def test_what_is_no_text_becomes_words(given: Json, words: str) -> None:
    if "sticker" in given:
        given["sticker"] |= {
            "file_id": "f",
            "file_unique_id": "u",
            "width": 1,
            "height": 1,
            "type": "regular",
            "is_animated": False,
            "is_video": False,
        }
    assert words in text_of(**given)


def test_a_poll_is_told_with_its_options() -> None:
    poll = {
        "id": "1",
        "question": "When?",
        "options": [{"text": t, "voter_count": 0, "persistent_id": t} for t in ("now", "later")],
        "total_voter_count": 0,
        "is_closed": False,
        "is_anonymous": True,
        "type": "regular",
        "allows_multiple_answers": False,
        "allows_revoting": False,
        "members_only": False,
    }
    assert "“When?” with the options “now”, “later”" in text_of(poll=poll)


def test_a_forward_is_marked_as_somebody_elses_words() -> None:
    origin = {"type": "user", "date": 1, "sender_user": person(99)}
    event = meaning("I did it\nall", forward_origin=origin)
    assert isinstance(event, MessageReceived)
    assert (event.text, event.forwarded) == ("I did it\nall", Author(user="99", name="User99"))
    hidden = {"type": "hidden_user", "date": 1, "sender_user_name": "Eve"}
    photo = [{"file_id": "f", "file_unique_id": "u", "width": 1, "height": 1, "file_size": 9}]
    event = meaning(photo=photo, caption="look", forward_origin=hidden)
    assert isinstance(event, FileReceived)
    assert (event.text, event.forwarded) == ("look", Author(name="Eve"))


def test_a_reply_tells_what_it_replies_to() -> None:
    photo = [{"file_id": "f", "file_unique_id": "u", "width": 1, "height": 1, "file_size": 9}]
    original = by_us(photo=photo, caption="my cat")
    event = meaning("what is it?", reply_to_message=original)
    assert isinstance(event, MessageReceived)
    assert (event.answers, event.answered) == ("you: (photo) my cat", None)


def test_a_quote_is_what_counts_of_a_long_original() -> None:
    event = meaning(
        "that one?",
        reply_to_message=message("a long story", user=99),
        quote={"text": "story", "position": 7},
    )
    assert isinstance(event, MessageReceived)
    assert (event.answers, event.answered) == ("story", Author(user="99", name="User99"))


def test_a_reply_to_a_forward_tells_who_wrote_that() -> None:
    origin = {"type": "user", "date": 1, "sender_user": person(99)}
    event = meaning("this", reply_to_message=message("I did it", user=7, forward_origin=origin))
    assert isinstance(event, MessageReceived)
    assert (event.answers, event.answered) == ("I did it", Author(user="99", name="User99"))


def test_files_voices_and_albums() -> None:
    photo = [{"file_id": "f", "file_unique_id": "u", "width": 1, "height": 1, "file_size": 9}]
    event = meaning(photo=photo, caption="look", media_group_id="1")
    assert isinstance(event, FileReceived)
    assert (event.name, event.media_type, event.size, event.text) == (
        "photo",
        "image/jpeg",
        9,
        "look",
    )
    document = {"file_id": "f", "file_unique_id": "u", "file_name": "a.pdf", "file_size": 12}
    event = meaning(document=document)
    assert isinstance(event, FileReceived)
    assert (event.name, event.media_type) == ("a.pdf", "application/octet-stream")
    event = meaning(voice={"file_id": "f", "file_unique_id": "u", "duration": 12})
    assert isinstance(event, VoiceReceived)
    assert event.seconds == 12


def test_commands() -> None:
    command = [entity("bot_command", 0, 7)]
    event = meaning("/memory", entities=command)
    assert isinstance(event, MessageReceived)
    assert not event.more_may_follow
    started = meaning("/start x", entities=[entity("bot_command", 0, 6)])
    assert isinstance(started, PersonStarted)


def test_strangers_bots_and_channels() -> None:
    sender = Sender(user=str(STRANGER), name=f"User{STRANGER}")
    assert strange("hi") == Stranger(sender=sender, chat=ANNA)
    bot = {**person(ANNA), "is_bot": True}
    assert meaning("hi", **{"from": bot}) is None
    assert to_event(update(channel_post=message("news")), ME, ADMITTED) is None
    assert to_event(update(edited_message=message("hi", user=STRANGER)), ME, NOT_ADMITTED) is None


@pytest.mark.parametrize(
    ("text", "more", "addressed"),
    [
        ("hello all", {}, False),
        ("@mira_test_bot hello", {"entities": [entity("mention", 0, 14)]}, True),
        ("@Mira_Test_Bot hello", {"entities": [entity("mention", 0, 14)]}, True),
        ("@other_bot hello", {"entities": [entity("mention", 0, 10)]}, False),
        ("you there", {"entities": [entity("text_mention", 0, 3, user=BOT)]}, True),
        ("mira, are you there?", {}, True),
        ("the miracle", {}, False),
        ("yes", {"reply_to_message": by_us(text="so?")}, True),
        ("yes", {"reply_to_message": message("so?", user=99)}, False),
        ("/memory", {"entities": [entity("bot_command", 0, 7)]}, True),
        ("/memory@mira_test_bot", {"entities": [entity("bot_command", 0, 21)]}, True),
    ],
)
def test_in_a_group_it_answers_what_is_meant_for_it(text: str, more: Json, addressed: bool) -> None:
    silent = meaning(text, chat=group(), **more)
    assert (silent is not None) == addressed
    event = meaning(text, chat=group(LISTENING), **more)
    assert isinstance(event, MessageReceived)
    assert event.addressed == addressed
    assert not event.address.private


def test_a_command_for_another_bot_is_ignored() -> None:
    command = [entity("bot_command", 0, 17)]
    assert meaning("/memory@other_bot", chat=group(LISTENING), entities=command) is None


def test_others_in_a_group_are_overheard_and_not_answered() -> None:
    assert strange("Mira!", chat=group()) is None
    event = strange("Mira!", chat=group(LISTENING))
    assert isinstance(event, MessageReceived)
    assert not event.addressed
    command = [entity("bot_command", 0, 7)]
    assert strange("/forget", chat=group(LISTENING), entities=command) is None


def test_a_topic_is_a_conversation_of_its_own_and_general_is_the_group() -> None:
    chat = group(is_forum=True)
    created = by_us(forum_topic_created={"name": "Food", "icon_color": 1}, chat=chat)
    event = meaning(
        "Mira?", chat=chat, message_thread_id=17, is_topic_message=True, reply_to_message=created
    )
    assert isinstance(event, MessageReceived)
    assert event.address.thread == "17"
    assert event.answers is None
    general = meaning("Mira?", chat=chat)
    assert isinstance(general, MessageReceived)
    assert general.address.thread is None
    in_reply = meaning("Mira?", chat=group(), message_thread_id=17)
    assert isinstance(in_reply, MessageReceived)
    assert in_reply.address.thread is None


def test_what_is_said_in_a_topic_is_not_for_us_because_we_made_the_topic() -> None:
    chat = group(is_forum=True)
    created = by_us(forum_topic_created={"name": "Food", "icon_color": 1}, chat=chat)
    topic: Json = {"message_thread_id": 17, "is_topic_message": True}
    assert meaning("hello", chat=chat, reply_to_message=created, **topic) is None


def test_a_group_that_becomes_a_supergroup_has_moved() -> None:
    old, new = {"id": -5, "type": "group", "title": "g"}, group(-1005)
    assert meaning(chat=old, migrate_to_chat_id=-1005) == Moved(chat=-5, to=-1005)
    assert meaning(chat=new, migrate_from_chat_id=-5) == Moved(chat=-5, to=-1005)


def test_an_edit_names_its_message() -> None:
    edited = message("new words", edit_date=1_746_446_500)
    event = to_event(update(edited_message=edited), ME, ADMITTED)
    assert isinstance(event, MessageEdited)
    assert (event.message, event.text) == ("3", "new words")


@pytest.mark.parametrize(
    ("old", "new", "emoji", "removed"),
    [([], ["👍"], "👍", False), (["👍"], [], "👍", True), (["👍"], ["❤"], "❤", False)],
)
def test_reactions(old: list[str], new: list[str], emoji: str, removed: bool) -> None:
    def these(found: list[str]) -> list[Json]:
        return [{"type": "emoji", "emoji": one} for one in found]

    reaction = {
        "chat": PRIVATE,
        "message_id": 3,
        "date": 1_746_446_400,
        "user": person(ANNA),
        "old_reaction": these(old),
        "new_reaction": these(new),
    }
    event = to_event(update(message_reaction=reaction), ME, ADMITTED)
    assert isinstance(event, ReactionReceived)
    assert (event.emoji, event.removed) == (emoji, removed)
