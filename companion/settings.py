"""The settings file and the environment, parsed once."""

import difflib
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from companion.errors import SettingsError


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


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


class ModelSettings(_Section):
    """One model at one endpoint. `price_*` are US dollars for a million tokens."""

    name: str = "auto"
    base_url: str | None = None
    api_key_env: str = "OPENAI_API_KEY"
    profile: Literal["auto", "tools", "small"] = "auto"
    window_tokens: int = Field(8192, ge=4096)
    answer_tokens: int = Field(1024, ge=64)
    timeout_seconds: float = Field(120, gt=0)
    price_prompt: float = Field(0, ge=0)
    price_cached: float = Field(0, ge=0)
    price_completion: float = Field(0, ge=0)


class LocalModelSettings(_Section):
    """The model that runs on this machine when no endpoint is configured."""

    model: str = "qwen2.5-coder-1.5b"
    threads: int = Field(0, ge=0)
    window_tokens: int = Field(8192, ge=4096)


class EmbedderSettings(_Section):
    """What makes vectors of texts."""

    kind: Literal["wordllama", "openai", "fastembed", "none"] = "wordllama"
    model: str | None = None
    base_url: str | None = None
    api_key_env: str = "OPENAI_API_KEY"


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
    log: LogSettings = LogSettings()


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
    """The settings in `path`, or the defaults for None.

    With no [[models]] there, OPENAI_BASE_URL or OPENAI_API_KEY in `environ` make one model.

    Raises:
        SettingsError: the file cannot be read, or a key or value in it is wrong.
    """
    raw: dict[str, Any] = {}
    if path is not None:
        try:
            raw = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"{path} cannot be read: {error}") from error
        except tomllib.TOMLDecodeError as error:
            raise SettingsError(f"{path} is not valid TOML: {error}") from error
    try:
        settings = Settings.model_validate(raw)
    except ValidationError as error:
        raise SettingsError(_explain(error, path)) from error
    if not settings.models and (environ.get("OPENAI_BASE_URL") or environ.get("OPENAI_API_KEY")):
        from_environment = ModelSettings(base_url=environ.get("OPENAI_BASE_URL") or None)
        settings = settings.model_copy(update={"models": (from_environment,)})
    return settings


def _explain(error: ValidationError, path: Path | None) -> str:
    lines = []
    for fault in error.errors():
        key = ".".join(str(part) for part in fault["loc"])
        if fault["type"] == "extra_forbidden":
            near = difflib.get_close_matches(key.rpartition(".")[2], _known_keys(fault["loc"]), n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            lines.append(f"{path}: unknown key {key}{hint}")
        else:
            lines.append(f"{path}: {key}: {fault['msg']} (it is {fault['input']!r})")
    return "\n".join(lines)


def _known_keys(location: tuple[int | str, ...]) -> list[str]:
    section: Any = Settings
    for part in location[:-1]:
        if isinstance(part, str):
            annotation = section.model_fields[part].annotation
            section = getattr(annotation, "__args__", (annotation,))[0]
    return list(section.model_fields)
