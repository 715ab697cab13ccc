"""Something to say that has buttons below it."""

from dataclasses import dataclass

from companion.events import Choice


@dataclass(frozen=True, slots=True)
class Question:
    """An answer with buttons below it, for example

        Question("Erase all? Write /erase yes.", (Choice(label="Erase", words="/erase yes"),))

    The text says what to write as well; see `Choice`.
    """

    text: str
    choices: tuple[Choice, ...]
