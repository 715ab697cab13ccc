"""The settings file: every key explained, every mistake named."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from companion.errors import SettingsError
from companion.settings import (
    ModelSettings,
    Secrets,
    Settings,
    home,
    load,
    settings_path,
)
from companion.settings_faults import explain
from companion.shipped import settings_template

COMMENTED = re.compile(r"^#(?=\w+ = |\[\[)", re.MULTILINE)

# A value other than the default for every setting there is.
OTHERS: dict[str, dict[str, Any]] = {
    "agent": {"name": "Juno", "persona": "stern", "max_steps": 3},
    "memory": {
        "warn_at": 0.5,
        "flush_at": 0.9,
        "evict": 0.3,
        "working_context_chars": 2000,
        "page_size": 10,
    },
    "local": {"model": "other", "threads": 2, "window_tokens": 4096, "answer_tokens": 256},
    "embedder": {
        "kind": "openai",
        "model": "text-embedding-3-small",
        "base_url": "http://127.0.0.1:1/v1",
        "api_key_env": "EMBEDDER_KEY",
    },
    "search": {"rerank": "qwen3:4b-instruct", "rerank_seconds": 2},
    "gathering": {"pause_seconds": 1.5, "at_most_seconds": 5},
    "limits": {
        "messages_a_minute": 5,
        "tokens_a_day": 1000,
        "tokens_a_day_for_all": 0,
        "dollars_a_day_for_all": 2.5,
        "turns_at_once": 2,
    },
    "people": {"hello": "Hello! This is Anna's."},
    "night": {
        "enabled": True,
        "model": "qwen3:4b-instruct",
        "hours": "01:00-04:00",
        "idle_hours": 5,
        "tokens": 5000,
    },
    "openers": {
        "enabled": False,
        "hours": "10:00-18:00",
        "cap": 2,
        "gap_hours": 6,
        "rarely_days": 7,
        "offer_after": 0,
    },
    "telegram": {
        "allowed": [7],
        "listen": [-1001],
        "link_previews": True,
        "poll_seconds": 25,
        "base_url": "http://127.0.0.1:8081/bot",
        "base_file_url": "http://127.0.0.1:8081/file/bot",
        "webhook_url": "https://bot.example.com/hook",
        "webhook_host": "0.0.0.0",
        "webhook_port": 8080,
    },
    "discord": {
        "allowed": [7],
        "channels": [1001],
        "read_all": True,
        "api_base": "http://127.0.0.1:8082/api/v10",
        "gateway": "ws://127.0.0.1:8082/gateway",
    },
    "log": {"level": "DEBUG", "file": False},
}
OTHER_MODEL: dict[str, Any] = {
    "name": "qwen3:4b-instruct",
    "base_url": "http://127.0.0.1:11434/v1",
    "api_key_env": "MY_KEY",
    "profile": "small",
    "window_tokens": 32768,
    "answer_tokens": 512,
    "timeout_seconds": 30.5,
    "price_prompt": 1.5,
    "price_cached": 0.1,
    "price_completion": 6,
}


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "companion.toml"
    path.write_text(text, encoding="utf-8")
    return path


def message_for(tmp_path: Path, text: str) -> str:
    path = written(tmp_path, text)
    with pytest.raises(SettingsError) as caught:
        load(path, {})
    return str(caught.value).replace(str(path), "FILE")


def as_toml(sections: dict[str, dict[str, Any]]) -> str:
    lines = []
    for section, values in sections.items():
        lines.append(f"[{section}]")
        for key, value in values.items():
            lines.append(
                f"{key} = {str(value).lower() if isinstance(value, bool) else repr(value)}"
            )
    return "\n".join(lines)


def test_the_shipped_file_as_it_is_changes_nothing(tmp_path: Path) -> None:
    assert load(written(tmp_path, settings_template()), {}) == Settings()


def test_the_shipped_file_explains_every_setting_and_shows_its_default(tmp_path: Path) -> None:
    settings = load(written(tmp_path, COMMENTED.sub("", settings_template())), {})

    for section in ("agent", "memory", "local", "gathering", "limits", "log"):
        shown, default = getattr(settings, section), getattr(Settings(), section)
        assert shown.model_fields_set == set(type(default).model_fields), section
        assert shown == default
    example = {"base_url": "https://models.example.com/v1"}
    assert settings.models == (ModelSettings.model_validate(example),)
    assert settings.models[0].model_fields_set == set(ModelSettings.model_fields)
    assert settings.embedder.model_fields_set == set(type(settings.embedder).model_fields)
    assert settings.embedder.kind == Settings().embedder.kind


def test_every_setting_can_be_set(tmp_path: Path) -> None:
    toml = as_toml(OTHERS) + "\n" + as_toml({"[models]": OTHER_MODEL})

    settings = load(written(tmp_path, toml), {})

    assert settings.model_dump(mode="json") == {**OTHERS, "models": [OTHER_MODEL]}
    assert set(OTHER_MODEL) == set(ModelSettings.model_fields)
    for section, values in OTHERS.items():
        assert set(values) == set(type(getattr(Settings(), section)).model_fields), section


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[memory]\nwarnat = 0.5", "FILE: unknown key memory.warnat; did you mean warn_at?"),
        ("[memroy]\n", "FILE: unknown key memroy; did you mean memory?"),
        (
            '[[models]]\nurl = "http://x"',
            "FILE: unknown key models.url (number 1); did you mean base_url?",
        ),
        (
            "[log]\nxyz = 1",
            "FILE: unknown key log.xyz; known here: level, file",
        ),
        (
            "[memory]\nwarn_at = 0.9\nflush_at = 0.8",
            "FILE: memory: warn_at has to be below flush_at",
        ),
        (
            "[[models]]\nwindow_tokens = 4096\nanswer_tokens = 4000",
            "FILE: models (number 1): answer_tokens may be half of window_tokens at most",
        ),
        (
            "[agent]\nmax_steps = 1",
            "FILE: agent.max_steps: write a number from 2 on (it is 1)",
        ),
        (
            '[telegram]\nallowed = ["@anna"]',
            "FILE: telegram.allowed (number 1): write the number that is the account's id, not a"
            " name: a name can change hands (it is '@anna')",
        ),
        (
            '[discord]\nallowed = ["anna"]',
            "FILE: discord.allowed (number 1): write the number that is the account's id, not a"
            " name: a name can change hands (it is 'anna')",
        ),
        (
            "[limits]\ntokens_a_day = -1",
            'FILE: limits.tokens_a_day: write a number from 0 on, or "none" (it is -1)',
        ),
        (
            "[limits]\ndollars_a_day_for_all = 1\n[[models]]\nname = 'x'",
            "limits.dollars_a_day_for_all needs to know what the model x costs: set price_prompt"
            " and price_completion under its [[models]]",
        ),
        (
            '[discord]\ngateway = "https://gateway.discord.gg"',
            "FILE: discord.gateway: write an address such as wss://gateway.discord.gg",
        ),
        (
            '[night]\nmodel = "cheap"\n[[models]]\nname = "dear"',
            "FILE: night.model: no [[models]] has the name 'cheap'; there is: dear. Write a"
            " [[models]] section for it, or leave this out",
        ),
        (
            '[search]\nrerank = "small"',
            "FILE: search.rerank: no [[models]] has the name 'small'; there is: none. Write a"
            " [[models]] section for it, or leave this out",
        ),
        (
            '[openers]\nhours = "9-21"',
            "FILE: openers.hours: write it like 23:00-08:00 (it is '9-21')",
        ),
        (
            "[telegram]\nallowed = 123",
            "FILE: telegram.allowed: write a list: allowed = [123]",
        ),
        (
            '[discord]\nchannels = "123"',
            "FILE: discord.channels: write a list: channels = [123]",
        ),
        (
            '[telegram]\nallowed = "bob"',
            "FILE: telegram.allowed: write a list of ids, which are numbers, not names: allowed ="
            " [123456789]",
        ),
        (
            "[[models]]\n[[models]]\nwindow_tokens = 1",
            "FILE: models.window_tokens (number 2): write a number from 4096 on (it is 1)",
        ),
        (
            "[models]\nname = 'x'",
            "FILE: models: write [[models]], with two brackets on each side: there may be several",
        ),
        (
            "[telegram]\nallowed = [-5]",
            "FILE: telegram.allowed (number 1): write the number of a person's account; groups have"
            " numbers below 0 (it is -5)",
        ),
        (
            '[openers]\nhours = "09:00-09:00"',
            "FILE: openers.hours: begin and end are the same: that leaves no time at all"
            " (it is '09:00-09:00')",
        ),
        (
            '[telegram]\nwebhook_url = "bot.example.com"',
            "FILE: telegram.webhook_url: write an address such as http://127.0.0.1:11434/v1",
        ),
        (
            '[[models]]\nbase_url = "localhost:11434"',
            "FILE: models.base_url (number 1): write an address such as http://127.0.0.1:11434/v1",
        ),
        (
            '[[models]]\nbase_url = "http://my box/v1"',
            "FILE: models.base_url (number 1): write an address such as http://127.0.0.1:11434/v1",
        ),
        (
            '[[models]]\nbase_url = "http://box:114340/v1"',
            "FILE: models.base_url (number 1): write an address such as http://127.0.0.1:11434/v1",
        ),
        (
            '[embedder]\nbase_url = "https://me:secret@example.com/v1"',
            "FILE: embedder.base_url: leave the password out; keys come from the environment",
        ),
        (
            '[[models]]\napi_key_env = "sk-1234"',
            "FILE: models.api_key_env (number 1): write the name of an environment variable here, "
            "never the key itself",
        ),
    ],
)
def test_a_mistake_is_named_with_its_key_and_what_to_write(
    tmp_path: Path, text: str, said: str
) -> None:
    assert message_for(tmp_path, text) == said


def test_every_mistake_is_named_at_once(tmp_path: Path) -> None:
    said = message_for(tmp_path, "[agent]\nnmae = 'x'\n[memory]\npage_size = 0")
    assert "agent.nmae" in said
    assert "memory.page_size" in said


def test_a_key_written_into_the_file_is_not_repeated(tmp_path: Path) -> None:
    assert "sk-1234" not in message_for(tmp_path, '[[models]]\napi_key = "sk-1234"')


def test_a_file_that_is_no_toml_is_named_with_the_line(tmp_path: Path) -> None:
    assert "is not valid TOML" in message_for(tmp_path, "[agent\n")
    assert "line 1" in message_for(tmp_path, "[agent\n")


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 5000, "1e999", "nan", "9999-99-99"])
def test_a_value_that_toml_itself_stumbles_over_is_refused(tmp_path: Path, value: str) -> None:
    assert message_for(tmp_path, f"[openers]\na_day = {value}")


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "companion.toml"
    path.write_bytes(b'[agent]\nname = "M\xfcller"')
    with pytest.raises(SettingsError, match="cannot be read"):
        load(path, {})


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    path = tmp_path / "companion.toml"
    path.write_bytes(b'\xef\xbb\xbf[agent]\nname = "Juno"')
    assert load(path, {}).agent.name == "Juno"


def test_the_environment_makes_one_model_when_the_file_has_none() -> None:
    assert load(None, {}).models == ()
    assert load(None, {"OPENAI_API_KEY": "x"}).models == (ModelSettings(),)
    (model,) = load(None, {"OPENAI_BASE_URL": "http://127.0.0.1:8080/v1/"}).models
    assert model.base_url == "http://127.0.0.1:8080/v1"


def test_models_of_the_file_win_over_the_environment(tmp_path: Path) -> None:
    path = written(tmp_path, '[[models]]\nname = "a"\n[[models]]\nname = "b"')
    models = load(path, {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}).models
    assert [model.name for model in models] == ["a", "b"]


WRONG: tuple[object, ...] = (
    *("", "x" * 5000, True, [[]], {"x": 1}),
    *(-1, 1.5, 10**400, float("nan")),
)
"""At least one of them is wrong for every setting."""


def _all_wrong_values() -> Iterator[tuple[str, object]]:
    for section, field in Settings.model_fields.items():
        kind = field.annotation
        kind = getattr(kind, "__args__", (kind,))[0]
        assert isinstance(kind, type)
        assert issubclass(kind, BaseModel)
        yield section, "x"
        yield section, 5
        for key in kind.model_fields:
            for value in WRONG:
                yield section, [{key: value}] if section == "models" else {key: value}


def test_what_is_wrong_is_told_in_our_own_words() -> None:
    """Whatever stands there: "Input should be" is a library's."""
    told = 0
    for section, value in _all_wrong_values():
        try:
            Settings.model_validate({section: value})
        except ValidationError as error:
            words = explain(error, "FILE", Settings)
            told += 1
            assert words.startswith(f"FILE: {section}")
            assert not re.search(r"[Ii]nput|String|valid (integer|number|boolean|tuple)", words), (
                words
            )
    assert told > 300


def test_a_wrong_variable_is_named() -> None:
    with pytest.raises(SettingsError, match=r"^OPENAI_BASE_URL: write an address"):
        load(None, {"OPENAI_BASE_URL": "nonsense"})
    with pytest.raises(SettingsError, match=r"^COMPANION_LOG: .*it is 'LOUD'"):
        load(None, {"COMPANION_LOG": "loud"})


def test_the_log_level_of_the_environment_wins(tmp_path: Path) -> None:
    path = written(tmp_path, '[log]\nlevel = "ERROR"\nfile = false')
    log = load(path, {"COMPANION_LOG": "debug"}).log
    assert (log.level, log.file) == ("DEBUG", False)


def test_the_settings_file_is_the_named_one_or_the_one_in_the_home(tmp_path: Path) -> None:
    environ = {"COMPANION_HOME": str(tmp_path)}
    assert home(environ) == tmp_path
    assert settings_path(environ) is None

    inside = written(tmp_path, "")
    assert settings_path(environ) == inside

    other = tmp_path / "other.toml"
    with pytest.raises(SettingsError, match=r"COMPANION_CONFIG names .* not a file"):
        settings_path({**environ, "COMPANION_CONFIG": str(other)})
    other.write_text("")
    assert settings_path({**environ, "COMPANION_CONFIG": str(other)}) == other


def test_a_secret_is_not_shown_and_a_blank_one_is_none() -> None:
    secrets = Secrets({"OPENAI_API_KEY": " sk-1 ", "OTHER": "  "})
    key = secrets.get("OPENAI_API_KEY")
    assert key is not None
    assert "sk-1" not in repr(key)
    assert key.get_secret_value() == "sk-1"
    assert secrets.get("OTHER") is None
    assert secrets.get("MISSING") is None
