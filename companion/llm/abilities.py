"""What a server can do, learned from its refusals."""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Literal, Self

LimitName = Literal["max_tokens", "max_completion_tokens"]
SystemRole = Literal["anywhere", "first", "never"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """What may be put into a request to one model at one endpoint.

    `limits` are the names, still to be tried in this order, of the parameter that bounds an
    answer; `longest_answer` is the most that it may say, None where no bound is known. `system`
    tells where system messages may stand. `alternate`: people and model must speak in turn.
    `short_ids`: ids of calls have exactly nine letters or digits.
    """

    tools: bool = True
    strict: bool = True
    parallel: bool = True
    schema: bool = True
    limits: tuple[LimitName, ...] = ("max_tokens", "max_completion_tokens")
    longest_answer: int | None = None
    system: SystemRole = "first"
    alternate: bool = False
    short_ids: bool = False

    def to_json(self) -> str:
        """As it is kept in the database."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Self | None:
        """What `to_json` wrote, or None where another version of the program wrote it."""
        try:
            fields = json.loads(text)
            return cls(**{**fields, "limits": tuple(fields["limits"])})
        except (TypeError, KeyError, ValueError):
            return None


OPENAI = Abilities(limits=("max_completion_tokens", "max_tokens"), system="anywhere")
"""What OpenAI's own endpoint can do."""


def without_what_was_refused(abilities: Abilities, refusal: str) -> Abilities | None:
    """Less than `abilities`, to satisfy a server that gave `refusal`; None if it blames nothing.

    `refusal` is all that the server said, the parameter's name included. Each step takes
    something away for good, so asking again comes to an end.
    """
    changed = (*_by_wording(abilities, refusal), *_by_parameter(abilities, refusal))
    return next((weaker for weaker in changed if weaker != abilities), None)


def without_extras(abilities: Abilities) -> Abilities | None:
    """The plainest request that still calls functions, or None if `abilities` is that already."""
    plain = replace(abilities, strict=False, parallel=False)
    return None if plain == abilities else plain


_ALTERNATE = re.compile(
    r"roles? must alternate|alternat\w+ between|unexpected role '?\w+'? after role"
    r"|(consecutive|multiple) (user|assistant) messages",
    re.I,
)
_SYSTEM_FIRST = re.compile(
    r"system (message|prompt|role)s? (must|should|can only|may only) (be |come |appear )?"
    r"(at the )?(beginning|first|start)|only the first message can (be|have)",
    re.I,
)
_NO_SYSTEM = re.compile(
    r"system (role|message|prompt)s? (is |are )?(not|un)[ -]?(support|allow)"
    r"|(not|n't) support '?(the )?system|role '?system'? (is )?(not|un|in)"
    r"|developer instruction is not enabled",
    re.I,
)
_SHORT_IDS = re.compile(r"tool call id .*(length of 9|9 char)", re.I | re.S)
_LONGEST = re.compile(
    r"(?:max_(?:completion_)?tokens|(?:completion|output) tokens).*?"
    r"(?:supports? at most|must be (?:less than or equal to|at most|<=))\s*:?\s*(\d{2,7})",
    re.I | re.S,
)
_NO_TOOLS = re.compile(
    r"(not|n't) support (the )?(use of )?(tool|function)|that support (tool|function)"
    r"|(tool|function)[\w ]* (not|isn't|aren't) (support|allow|available|enabled|implemented)"
    r"|tool choice requires|tools param requires|--jinja|--enable-auto-tool-choice",
    re.I,
)
_UNKNOWN = re.compile(
    r"un(known|recogni[sz]ed|supported|expected)|not (supported|permitted|allowed|recogni[sz]ed"
    r"|available|implemented)|n't support|extra[ _](inputs|fields?|forbidden)"
    r"|additional propert",
    re.I,
)
_WRONG = re.compile(r"invalid|must be|cannot|requires", re.I)


def _by_wording(abilities: Abilities, refusal: str) -> Iterator[Abilities]:
    if _ALTERNATE.search(refusal):
        yield replace(abilities, alternate=True)
    if _SYSTEM_FIRST.search(refusal) and abilities.system == "anywhere":
        yield replace(abilities, system="first")
    if _SYSTEM_FIRST.search(refusal) or _NO_SYSTEM.search(refusal):
        yield replace(abilities, system="never")
    if _SHORT_IDS.search(refusal):
        yield replace(abilities, short_ids=True)
    longest = _LONGEST.search(refusal)
    known = abilities.longest_answer
    if longest and (known is None or int(longest[1]) < known):
        yield replace(abilities, longest_answer=int(longest[1]))


def _by_parameter(abilities: Abilities, refusal: str) -> Iterator[Abilities]:
    unknown = _UNKNOWN.search(refusal)
    blamed = unknown or _WRONG.search(refusal)
    if blamed and "parallel_tool_calls" in refusal:
        yield replace(abilities, parallel=False)
    if blamed and re.search(r"\bstrict\b|schema for function", refusal, re.I):
        yield replace(abilities, strict=False)
    if blamed and re.search("response_format|json_schema|structured output", refusal, re.I):
        yield replace(abilities, schema=False)
    limit = abilities.limits[0] if abilities.limits else None
    if unknown and limit and re.search(rf"\b{limit}\b", refusal):
        yield replace(abilities, limits=abilities.limits[1:])
    if _NO_TOOLS.search(refusal) or (unknown and re.search(r"\btool(s|_choice)\b", refusal)):
        yield replace(abilities, tools=False)
