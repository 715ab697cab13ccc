"""Deep memory retrieval (MemGPT §3.1.1): a question about something said five sessions ago.

The data is of the form of MemGPT/MSC-Self-Instruct: sessions 1 to 5, and of a sixth one question
by the person and the right answer. All sessions are in recall storage, and in none of the prompt:
the companion has to search. The baseline sees a recursive summary of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from companion.context.summary import summarise
from companion.errors import OperatorError
from companion.evaluation.bench import Bench
from companion.evaluation.experiment import Measure, Method, Outcome, Sample, Traits
from companion.evaluation.fresh_home import PERSON, FreshHome
from companion.evaluation.history import Said
from companion.evaluation.judging import judge_memory
from companion.evaluation.sessions import Recorded, read_sessions
from companion.evaluation.story_clock import BEGIN
from companion.evaluation.wording import NOTHING_FOUND
from companion.storage.memory_state import Summary
from companion.storage.messages import Entry

if TYPE_CHECKING:
    from rouge_score.rouge_scorer import RougeScorer

INSTRUCTIONS = """\
You are an old friend of the person's and know all that you two have talked about; never say that \
you are a program. Asked about it, answer in one short sentence. If you don't have it in view, \
search what was said, in several ways, and then give your best guess."""

ALONE = f"""\
You answer a question that an old friend asks you about what you two have talked of. Below is a \
summary of all of it. Answer as yourself, in one short sentence; never say that you are a program. \
If the summary does not tell enough, say {NOTHING_FOUND} and nothing else."""

PAUSE = timedelta(minutes=30)
"""A silence that parts two sessions."""

TRAITS = Traits(
    name="dmr",
    title="Deep memory retrieval",
    measures=(
        Measure(key="judged", title="right by judge"),
        Measure(key="rouge", title="ROUGE-L recall", binary=False),
    ),
    instructions=INSTRUCTIONS,
    judged=True,
)


@dataclass(frozen=True, kw_only=True)
class DMRSample(Sample):
    """What was said in the sessions, and the question with its short answer."""

    sessions: tuple[Said, ...]
    question: str
    answer: str


class DMR:
    """The experiment, on a file in MSC-Self-Instruct's form."""

    traits = TRAITS

    def __init__(self, file: Path) -> None:
        self._file = file
        self._rouge = rouge_scorer()

    def samples(self, seed: int) -> Sequence[DMRSample]:
        """Every record.

        Raises:
            OperatorError: the file is not there, or of another form.
        """
        return [_sample(self._file, record) for record in read_sessions(self._file)]

    async def prepare(self, samples: Sequence[DMRSample], home: FreshHome) -> None:
        """Nothing is shared."""

    async def run(self, sample: DMRSample, method: Method, bench: Bench) -> Outcome:
        """Ask the question."""
        if method == "companion":
            with bench.home() as home:
                await home.live_through(sample.sessions, evicted=True)
                (answer,) = await home.tell(sample.question)
                await bench.take_down(home)
        else:
            async with bench.model() as model:
                summary = Summary("", 0)
                for session in _sessions(sample.sessions):
                    summary, _, usage = await summarise(
                        model.llm,
                        model.counter,
                        summary if summary.text else None,
                        [_entry(said) for said in session],
                        limit=model.limits.summary,
                        room=model.counter.room(model.limits.window),
                    )
                    bench.spending.add(1, usage)
                answer = await model.ask(ALONE, f"{summary.text}\n\n{sample.question}")
        scored = self._rouge.score(sample.answer, answer)["rougeL"]
        judged = await judge_memory(bench, sample.question, sample.answer, answer)
        return Outcome(
            question=sample.question,
            gold=(sample.answer,),
            answer=answer,
            scores={"judged": judged, "rouge": scored.recall},
        )


def rouge_scorer() -> "RougeScorer":
    """ROUGE-L as Google's package counts it, with stems (Lin 2004).

    Raises:
        OperatorError: the package is missing.
    """
    try:
        from rouge_score.rouge_scorer import RougeScorer
    except ImportError as error:
        raise OperatorError(
            'This experiment needs the package rouge-score: pip install "companion[eval]".'
        ) from error
    return RougeScorer(["rougeL"], use_stemmer=True)


def _sample(path: Path, record: Recorded) -> DMRSample:
    asked = record.raw.get("self_instruct")
    if not isinstance(asked, dict) or not asked.get("A") or not asked.get("B"):
        raise OperatorError(
            f"{path}, line {record.number + 1}: there is no question under self_instruct, with B"
            " who asks and A who answers, as MemGPT/MSC-Self-Instruct has it."
        )
    return DMRSample(
        id=str(record.number),
        sessions=(*record.history, *_last_session(record)),
        question=str(asked["B"]).strip(),
        answer=str(asked["A"]).strip(),
    )


def _last_session(record: Recorded) -> list[Said]:
    """The fifth session, which stands under `dialog`: an hour before the question."""
    began = BEGIN - timedelta(hours=1 + len(record.following) // 60)
    return [
        Said(text, began + timedelta(minutes=line), line % 2 == 1)
        for line, text in enumerate(record.following)
    ]


def _sessions(said: Sequence[Said]) -> list[list[Said]]:
    """What was said, parted where there was a pause."""
    parts: list[list[Said]] = []
    for one in said:
        if not parts or one.at - parts[-1][-1].at > PAUSE:
            parts.append([])
        parts[-1].append(one)
    return parts


def _entry(said: Said) -> Entry:
    speaker = PERSON if said.by_person else "You"
    return Entry(kind="event", text="", said_at=said.at, tokens=0, speaker=speaker, said=said.text)
