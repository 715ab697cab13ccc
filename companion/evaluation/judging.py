"""Models as judges of answers. The criteria are those of the MemGPT paper's appendix (6.1.2 and
6.1.5), the words are ours."""

import re
from collections.abc import Sequence

from companion.evaluation.bench import Bench

REMEMBERS = """\
You judge whether an answer shows that somebody remembers. You get a question that one person asks \
another about something they talked of before, the right answer, which is short, and the answer \
that was given, which may be long. Be generous: the given answer is CORRECT if it comes to the \
same thing as the right answer, whatever else it says and however it is worded. It is WRONG if \
that thing is missing or another one takes its place, or if it says that nothing is remembered. \
Give your reason in one sentence, then end with the one word CORRECT or WRONG."""

FROM_DOCUMENT = """\
You judge whether a question was answered rightly from a document. You get the question, a list of \
right answers, and the answer that was given. It is CORRECT if it gives one of the right answers, \
in other words or more exactly too, and quotes the document that this stands in. It is WRONG if \
the answer is missing or another one, if no document is quoted, or if it says INSUFFICIENT \
INFORMATION. Give your reason in one sentence, then end with the one word CORRECT or WRONG."""

_VERDICT = re.compile(r"\b(CORRECT|INCORRECT|WRONG)\b")


async def judge_memory(bench: Bench, question: str, gold: str, answer: str) -> float | None:
    """1 or 0 as the judge finds, None where there is no judge or it does not decide."""
    return await _judge(bench, REMEMBERS, question, [gold], answer)


async def judge_from_document(
    bench: Bench, question: str, gold: Sequence[str], answer: str
) -> float | None:
    """1 or 0 as the judge finds, None where there is no judge or it does not decide."""
    return await _judge(bench, FROM_DOCUMENT, question, gold, answer)


async def _judge(
    bench: Bench, instructions: str, question: str, gold: Sequence[str], answer: str
) -> float | None:
    if not bench.judged:
        return None
    listed = "; ".join(gold)
    said = await bench.judge(
        instructions, f"Question: {question}\nRight: {listed}\nGiven: {answer or '(nothing)'}"
    )
    return verdict(said)


def verdict(said: str) -> float | None:
    """What a judge decided: its last such word counts; None without one."""
    words = _VERDICT.findall(said)
    return float(words[-1] == "CORRECT") if words else None
