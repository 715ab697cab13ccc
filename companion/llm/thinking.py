"""What a model thought, taken out of what it said."""

import re

_TAGS = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad"
_MARK = re.compile(
    # closed code spans are text, whatever stands in them
    r"(?P<code>```.*?```|`[^`\n]+`)"
    rf"|<(?P<open>{_TAGS})(?:\s[^<>]*)?>"
    rf"|</(?P<close>{_TAGS})\s*>",
    re.I | re.S,
)
_CHANNEL = re.compile(r"<\|channel\|>\s*(?P<header>[^<]*)(?P<constraint><\|constrain\|>[^<]*)?")
_HARMONY_MARK = re.compile(r"<\|(?:start|end|return|call|message|channel|constrain)\|>")
_HARMONY_BARE = re.compile(r"\A(?:analysis|commentary).*?assistantfinal", re.S)
_ENDS = (
    "<|im_end|>",
    "<|im_start|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|end|>",
    "<|return|>",
    "<end_of_turn>",
    "</s>",
    "<｜end▁of▁sentence｜>",
)


def without_thinking(text: str) -> str:
    """`text` without what stands in thinking tags, open or closed, and without end-of-text marks.

    Also OpenAI's harmony channels, where a server passes them through: what is final or said
    beside a call stays, and a call stays in the form `to=functions.NAME {…}`.
    """
    text = _without_ends(text)
    if "<|channel|>" in text:
        text = _said_in_channels(text)
    elif text.startswith(("analysis", "commentary")):
        text = _HARMONY_BARE.sub("", text, count=1)
    return _without_tags(text) if "<" in text else text


def _without_ends(text: str) -> str:
    while (bare := text.rstrip()).endswith(_ENDS):
        text = next(bare.removesuffix(end) for end in _ENDS if bare.endswith(end))
    return text


def _without_tags(text: str) -> str:
    kept: list[str] = []
    position = 0
    while mark := _MARK.search(text, position):
        if mark["code"]:
            kept.append(text[position : mark.end()])
            position = mark.end()
        elif mark["open"]:
            kept.append(text[position : mark.start()])
            end = re.compile(rf"</{mark['open']}\s*>", re.I).search(text, mark.end())
            if end is None:
                return "".join(kept).strip()
            position = end.end()
        else:
            # the beginning is part of the server's prompt: all until here was thought
            kept.clear()
            position = mark.end()
    if not position:
        return text
    kept.append(text[position:])
    return "".join(kept).strip()


def _said_in_channels(text: str) -> str:
    said: list[str] = []
    before, *parts = re.split(r"(?=<\|channel\|>)", text)
    if not before.startswith("<|start|>"):
        said.append(before)
    for part in parts:
        header = _CHANNEL.match(part)
        assert header is not None
        body = part[header.end() :].removeprefix("<|message|>")
        body = re.split(r"<\|(?:end|return|call|start)\|>", body, maxsplit=1)[0]
        recipient = re.search(r"to=\S+", header["header"])
        if recipient:
            said.append(f"{recipient[0]} {body}")
        elif not header["header"].strip().startswith("analysis"):
            said.append(body)
    return _HARMONY_MARK.sub("", "\n".join(said)).strip()
