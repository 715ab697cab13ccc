"""What can go wrong, by who has to hear of it."""


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


class ContextOverflowError(LLMError):
    """The endpoint says that the prompt is longer than its window."""


class EmbedderUnavailableError(CompanionError):
    """No vector could be had now; words still work."""


class DeliveryError(CompanionError):
    """The platform will not take a message; trying again will not help."""


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
