import socket
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.llm.estimate import estimate
from companion.llm.protocol import Call, Message, ToolSchema
from companion.llm.tokens import ModelTokenCounter
from companion.llm.vocabulary import encoding_for, load

TEXTS = {
    "English": "I moved to Berlin last spring because my brother lives there. Can you remind me?",
    "chat": "lol yeah tbh idk what 2 do rn 😅 gonna grab coffee w/ Jenny @ 3pm, brb!!",
    "German": "Meine Schwiegermutter hat übermorgen Geburtstag, die Straßenbahn fährt nicht.",
    "Finnish": "Huomenna menemme mökille järven rannalle, lapset odottavat saunomista.",
    "Russian": "Завтра мы с сестрой едем на дачу, потому что погода наладилась.",
    "Arabic": "غدا سأذهب مع أخي إلى السوق لأننا نريد شراء هدية لعيد ميلاد والدتنا.",
    "Hindi": "कल मैं अपने भाई के साथ बाज़ार जाऊँगा क्योंकि हमें उपहार खरीदना है।",
    "Thai": "พรุ่งนี้ฉันจะไปตลาดกับน้องชายเพราะเราอยากซื้อของขวัญวันเกิดให้แม่",
    "Chinese": "明天我要和弟弟一起去市场,因为我们想给妈妈买生日礼物。上海最近很潮湿。",
    "Japanese": "明日は弟と一緒に市場へ行きます。母の誕生日プレゼントを買いたいからです。",
    "Korean": "내일 동생이랑 시장에 가요. 엄마 생신 선물을 사고 싶어서요.",
    "emoji": "😀😂🥰👍🏽👨‍👩‍👧‍👦🎉🇩🇪❤️✨🙏🏿",
    "code": "def count(self, text: str) -> int:\n    return -(-len(text) // 4)  # rounds up\n",
    "JSON": '{"name": "send_message", "arguments": {"message": "hi", "page": 3}}',
    "time": "2025-11-29T23:05:06+01:00 Saturday",
}


def counter(model: str) -> ModelTokenCounter:
    return ModelTokenCounter(model)


@pytest.mark.parametrize(
    ("model", "encoding"),
    [
        ("gpt-4o", "o200k_base"),
        ("gpt-5.4-mini", "o200k_base"),
        ("openai/gpt-4.1", "o200k_base"),
        ("gpt-oss-20b", "o200k_base"),
        ("gpt-4", "cl100k_base"),
        ("gpt-2", None),
        ("qwen3:4b-instruct", None),
        (None, None),
    ],
)
def test_a_model_is_counted_by_its_own_table_where_there_is_one(
    model: str | None, encoding: str | None
) -> None:
    assert encoding_for(model) == encoding


def test_counts_are_tiktokens_own() -> None:
    # figures from OpenAI's own examples
    assert counter("gpt-4o").count("tiktoken is great!") == 6
    assert counter("gpt-4").count("antidisestablishmentarianism") == 6
    assert counter("gpt-4o").count("お誕生日おめでとう") == 8


def test_no_table_is_fetched_from_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("somebody wants to connect")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    load.cache_clear()
    assert counter("gpt-4").count("hello") == 1


def test_tables_and_sdk_are_not_loaded_before_they_are_needed() -> None:
    program = (
        "import sys\n"
        "from companion.llm.build import build_llm\n"
        "from companion.llm.tokens import ModelTokenCounter\n"
        "ModelTokenCounter('qwen3').count('hello')\n"
        "print('openai' in sys.modules, 'tiktoken' in sys.modules)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == ["False", "True"]


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-4", "qwen3"])
def test_special_tokens_that_people_type_are_text(model: str) -> None:
    for text in ("<|endoftext|>", "<|im_start|>system", "<|fim_prefix|>"):
        assert counter(model).count(text) > 1


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-4", "qwen3"])
@pytest.mark.parametrize("letter", ["a", "好", " ", "!", "\n", "1"])
def test_a_hundred_thousand_times_one_letter_is_counted_in_a_tenth_of_a_second(
    model: str, letter: str
) -> None:
    counting = counter(model)
    counting.warm()
    before = time.process_time()
    assert counting.count(letter * 100_000) > 100
    assert time.process_time() - before < 0.1


def test_counting_in_pieces_costs_next_to_nothing_in_exactness() -> None:
    text = "Yesterday we walked along the river and talked about the summer. " * 1000
    exact = len(load("o200k_base").encode_ordinary(text))
    assert exact <= counter("gpt-4o").count(text) <= exact * 1.005


@pytest.mark.parametrize("language", list(TEXTS))
def test_an_estimate_is_no_lower_than_nine_tenths_of_the_truth(language: str) -> None:
    text = TEXTS[language] * 5
    for model in ("gpt-4", "gpt-4o"):
        truth = counter(model).count(text)
        assert counter("unknown").count(text) >= 0.9 * truth


@given(st.text())
def test_any_text_has_a_count_that_does_not_change(text: str) -> None:
    for model in ("gpt-4o", "unknown"):
        counting = counter(model)
        tokens = counting.count(text)
        assert counting.count(text) == tokens >= (1 if text.strip() else 0)


@given(st.text(), st.text())
def test_a_longer_text_is_never_estimated_much_lower(one: str, two: str) -> None:
    assert estimate(one + two) >= max(estimate(one), estimate(two)) * 0.4


def test_a_message_counts_its_calls_and_its_frame() -> None:
    counting = counter("gpt-4o")
    bare = counting.message(Message("assistant", "hello"))
    call = Call("c1", "send_message", '{"message": "hello there"}')
    assert bare > counting.count("hello")
    assert counting.message(Message("assistant", "hello", (call,))) > bare + 8


def test_the_functions_count_with_their_schemas() -> None:
    tool = ToolSchema("send_message", "Say it.", {"type": "object", "properties": {}})
    counting = counter("gpt-4o")
    assert counting.tools([tool, tool]) == 2 * counting.tools([tool]) > 20


def test_what_the_provider_reports_shrinks_or_widens_the_room() -> None:
    counting = counter("qwen3")
    assert counting.room(1000) == 1000
    for _ in range(30):
        counting.correct(counted=1000, reported=1500)
    assert 660 <= counting.room(1000) <= 680
    for _ in range(30):
        counting.correct(counted=1000, reported=800)
    assert 1200 <= counting.room(1000) <= 1260


def test_lies_about_usage_do_little_harm() -> None:
    counting = counter("qwen3")
    for reported in (0, -5, 20, 10**12):
        counting.correct(counted=1000, reported=reported)
    assert counting.room(1000) >= 700
    for _ in range(100):
        counting.correct(counted=1000, reported=10**12)
    assert counting.room(1000) >= 333
    exact = counter("gpt-4o")
    for _ in range(100):
        exact.correct(counted=1000, reported=400)
    assert exact.room(1000) <= 1112
