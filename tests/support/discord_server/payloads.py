"""Discord's JSON, as its gateway and its API send it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import Any

Json = dict[str, Any]

EPOCH = datetime(2015, 1, 1, tzinfo=UTC)
START = datetime(2025, 5, 5, 12, tzinfo=UTC)
_numbers = count(1)


def snowflake(at: datetime = START) -> int:
    """A new id; ids made later are larger."""
    return (int((at - EPOCH).total_seconds() * 1000) << 22) + next(_numbers)


def moment(id: int) -> str:  # noqa: A002 - Discord's own name for it
    """When the thing called `id` was made."""
    seconds = (id >> 22) / 1000
    return datetime.fromtimestamp(EPOCH.timestamp() + seconds, UTC).isoformat()


@dataclass(frozen=True, slots=True)
class Member:
    """Someone on Discord."""

    id: int
    name: str
    bot: bool = False
    nick: str | None = None

    def user(self) -> Json:
        return {
            "id": str(self.id),
            "username": self.name.lower(),
            "global_name": self.name,
            "discriminator": "0",
            "avatar": None,
            "bot": self.bot,
            "public_flags": 0,
        }

    def member(self) -> Json:
        return {
            "nick": self.nick,
            "roles": [],
            "joined_at": START.isoformat(),
            "deaf": False,
            "mute": False,
            "flags": 0,
            "avatar": None,
        }


@dataclass(frozen=True, slots=True)
class Channel:
    """A place to write. A direct message has no guild and one `recipient`."""

    id: int
    guild: int | None = None
    recipient: Member | None = None
    parent: int | None = None
    owner: int | None = None
    name: str = "general"
    private_thread: bool = False

    def payload(self) -> Json:
        if self.guild is None:
            assert self.recipient is not None
            recipients = [self.recipient.user()]
            return {"id": str(self.id), "type": 1, "recipients": recipients, "flags": 0}
        if self.parent is None:
            return {
                "id": str(self.id),
                "type": 0,
                "guild_id": str(self.guild),
                "name": self.name,
                "position": 0,
                "permission_overwrites": [],
                "nsfw": False,
                "parent_id": None,
                "topic": None,
                "rate_limit_per_user": 0,
                "last_message_id": None,
            }
        return {
            "id": str(self.id),
            "type": 12 if self.private_thread else 11,
            "guild_id": str(self.guild),
            "parent_id": str(self.parent),
            "owner_id": str(self.owner),
            "name": self.name,
            "message_count": 1,
            "member_count": 2,
            "rate_limit_per_user": 0,
            "last_message_id": None,
            "flags": 0,
            "thread_metadata": {
                "archived": False,
                "auto_archive_duration": 1440,
                "archive_timestamp": START.isoformat(),
                "locked": False,
                "create_timestamp": START.isoformat(),
            },
        }


def message(
    author: Member,
    channel: Channel,
    content: str,
    *,
    id: int | None = None,  # noqa: A002 - Discord's own name for it
    mentions: Sequence[Member] = (),
    attachments: Sequence[Mapping[str, Any]] = (),
    replies_to: Json | None = None,
    **more: Any,
) -> Json:
    """A message as MESSAGE_CREATE brings it."""
    id = id or snowflake()  # noqa: A001
    payload: Json = {
        "id": str(id),
        "type": 19 if replies_to else 0,
        "channel_id": str(channel.id),
        "author": author.user(),
        "content": content,
        "timestamp": moment(id),
        "edited_timestamp": None,
        "tts": False,
        "mention_everyone": False,
        "mentions": [{**one.user(), "member": one.member()} for one in mentions],
        "mention_roles": [],
        "attachments": list(attachments),
        "embeds": [],
        "pinned": False,
        "flags": 0,
        "components": [],
    }
    if channel.guild is not None:
        payload["guild_id"] = str(channel.guild)
        payload["member"] = author.member()
    if replies_to is not None:
        payload["message_reference"] = {
            "type": 0,
            "message_id": replies_to["id"],
            "channel_id": replies_to["channel_id"],
        }
        payload["referenced_message"] = replies_to
    return {**payload, **more}


def guild(id: int, members: Sequence[Member], channels: Sequence[Channel]) -> Json:  # noqa: A002
    """A server as GUILD_CREATE brings it."""
    everyone = {
        "id": str(id),
        "name": "@everyone",
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "position": 0,
        "permissions": "104324673",
        "managed": False,
        "mentionable": False,
        "flags": 0,
    }
    return {
        "id": str(id),
        "name": "Village",
        "icon": None,
        "owner_id": str(members[0].id),
        "roles": [everyone],
        "emojis": [],
        "stickers": [],
        "features": [],
        "members": [{"user": one.user(), **one.member()} for one in members],
        "channels": [one.payload() for one in channels if one.parent is None],
        "threads": [one.payload() for one in channels if one.parent is not None],
        "presences": [],
        "voice_states": [],
        "stage_instances": [],
        "guild_scheduled_events": [],
        "soundboard_sounds": [],
        "member_count": len(members),
        "large": False,
        "unavailable": False,
        "verification_level": 0,
        "default_message_notifications": 0,
        "explicit_content_filter": 0,
        "mfa_level": 0,
        "premium_tier": 0,
        "nsfw_level": 0,
        "system_channel_flags": 0,
        "preferred_locale": "en-US",
        "afk_timeout": 300,
        "afk_channel_id": None,
        "application_id": None,
        "system_channel_id": None,
        "rules_channel_id": None,
        "public_updates_channel_id": None,
        "vanity_url_code": None,
        "description": None,
        "banner": None,
        "splash": None,
        "discovery_splash": None,
        "premium_progress_bar_enabled": False,
        "joined_at": START.isoformat(),
    }


def interaction(
    author: Member,
    channel: Channel,
    application: int,
    data: Json,
    *,
    type: int = 2,  # noqa: A002 - Discord's own name for it
    on: Json | None = None,
) -> Json:
    """A slash command (type 2) or a pressed button (type 3, `on` a message)."""
    id = snowflake()  # noqa: A001
    payload: Json = {
        "id": str(id),
        "application_id": str(application),
        "type": type,
        "token": f"token-{id}",
        "version": 1,
        "data": data,
        "channel_id": str(channel.id),
        "channel": channel.payload(),
        "locale": "en-US",
        "entitlements": [],
        "authorizing_integration_owners": {},
        "attachment_size_limit": 10_000_000,
        "context": 1 if channel.guild is None else 0,
        "app_permissions": "104324673",
    }
    if channel.guild is None:
        payload["user"] = author.user()
    else:
        payload["guild_id"] = str(channel.guild)
        payload["member"] = {"user": author.user(), **author.member(), "permissions": "0"}
    if on is not None:
        payload["message"] = on
    return payload
