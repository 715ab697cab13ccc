"""Which emoji Telegram takes as a reaction, and the nearest of them to others."""

from telegram.constants import ReactionEmoji

_TAKEN = {
    emoji.value.replace("\N{VARIATION SELECTOR-16}", ""): emoji.value for emoji in ReactionEmoji
}
_SKINS = dict.fromkeys(range(0x1F3FB, 0x1F400))
_NEAREST = {
    "👍": "✅✔☑🆗",
    "❤": "♥💕💖💗💓💞💝💟❣🧡💛💚💙💜🤎🖤🤍🩷🩵",
    "🤣": "😂😆😹",
    "😁": "😀😃😄😅😊🙂😉😺",
    "🥰": "☺🤭🫶",
    "😢": "😥😓😞😔🙁☹😿",
    "😭": "😩😫",
    "🎉": "🥳🎊🎂🎈",
    "🤩": "✨🌟⭐",
    "👏": "🙌",
    "🤔": "🧐",
    "😱": "😲😮😯",
    "😨": "😧😦😰",
    "😡": "😠",
    "🔥": "🚀",
    "🤗": "🫂",
    "😇": "👼",
}
_INSTEAD = {other: taken for taken, others in _NEAREST.items() for other in others}


def allowed(emoji: str) -> str | None:
    """`emoji` as Telegram takes it, or the nearest that it takes; None where nothing is near."""
    plain = emoji.replace("\N{VARIATION SELECTOR-16}", "").translate(_SKINS)
    return _TAKEN.get(_INSTEAD.get(plain, plain))
