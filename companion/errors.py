"""What can go wrong, by who has to hear of it."""

from datetime import timedelta


class CompanionError(Exception):
    """Base of all errors that this program raises on purpose."""


class ToolError(CompanionError):
    """A function call cannot be done as asked. The model reads the text and mends its call."""


class LLMError(CompanionError):
    """A model gave no usable answer."""


class LLMUnavailableError(LLMError):
    """No configured model gave an answer. The event is kept and tried again.

    `permanent` is true when trying again will not help before the operator changes something.
    """

    def __init__(self, text: str, *, permanent: bool = False) -> None:
        super().__init__(text)
        self.permanent = permanent


class LLMRefusedError(LLMError):
    """Every model refuses this very prompt: its content, or something in it that they can't read.

    Trying again will not help; the next event may.
    """


class ContextOverflowError(LLMError):
    """The endpoint says that the prompt is longer than its window.

    `window_tokens` is how long that is, where it said so.
    """

    def __init__(self, text: str, *, window_tokens: int | None = None) -> None:
        super().__init__(text)
        self.window_tokens = window_tokens


class EmbedderUnavailableError(CompanionError):
    """No vector could be had now; words still work."""


class DeliveryError(CompanionError):
    """The platform will not take a message; trying again will not help."""


class OutOfReachError(DeliveryError):
    """The platform lets nothing through to this chat: the person blocked us, or left."""


class DeliveryDelayedError(CompanionError):
    """The platform could not take a message now; it is tried again after `delay`.

    `unknown` is true when it may have arrived all the same.
    """

    def __init__(self, text: str, *, delay: timedelta, unknown: bool = False) -> None:
        super().__init__(text)
        self.delay = delay
        self.unknown = unknown


class TurnEndedError(CompanionError):
    """The turn ends here, though the model is not done. The text is said; an empty one is none."""


class LeftError(CompanionError):
    """Whoever was asked at the terminal left instead of answering."""


class OperatorError(CompanionError):
    """The operator must change something. One line, and a non-zero exit."""


class SettingsError(OperatorError):
    """The configuration is wrong; the text names the key and what to write."""


class HomeInUseError(OperatorError):
    """Another process holds this home."""


class DatabaseError(OperatorError):
    """The database cannot be opened or written; the text says what to do."""


class DatabaseTooNewError(DatabaseError):
    """A newer version of the program wrote this database."""


class WrongKeyError(DatabaseError):
    """COMPANION_DB_KEY does not open this database, or it is not a database."""


class ModelFileError(OperatorError):
    """A model's weights cannot be had or are not what they should be."""
