import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.llm.protocol import Call, Message
from companion.llm.repair import RawCall, repaired

NAMES = frozenset({"send_message", "working_context_append", "stay_silent"})
HI = '{"message": "hi"}'


def said(text: str) -> tuple[str, list[tuple[str, str]]]:
    rest, calls = repaired(text, [], NAMES)
    return rest, [(call.name, call.arguments) for call in calls]


def arguments(raw: object) -> str:
    _, (call,) = repaired("", [RawCall("c1", "send_message", raw)], NAMES)
    return call.arguments


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "send_message", "arguments": {"message": "hi"}}</tool_call>',
        '<tool_call>\n{"name": "send_message", "arguments": {"message": "hi"}}',
        '[TOOL_CALLS] [{"name": "send_message", "arguments": {"message": "hi"}}]',
        '[TOOL_CALLS]send_message[ARGS]{"message": "hi"}',
        'functions.send_message:0 {"message": "hi"}',
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.send_message:0"
        '<|tool_call_argument_begin|>{"message": "hi"}<|tool_call_end|>'
        "<|tool_calls_section_end|>",
        '<|python_tag|>{"name": "send_message", "parameters": {"message": "hi"}}',
        '<|python_tag|>send_message.call(message="hi")',
        '<function=send_message>{"message": "hi"}</function>',
        "<tool_call>\n<function=send_message>\n<parameter=message>\nhi\n</parameter>\n"
        "</function>\n</tool_call>",
        '<function_calls><invoke name="send_message"><parameter name="message">hi</parameter>'
        "</invoke></function_calls>",
        "<tool_call>send_message\n<arg_key>message</arg_key>\n<arg_value>hi</arg_value>\n"
        "</tool_call>",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>send_message\n"
        '```json\n{"message": "hi"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
        "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary "
        'to=functions.send_message <|constrain|>json<|message|>{"message": "hi"}<|call|>',
        '```json\n{"name": "send_message", "arguments": {"message": "hi"}}\n```',
        '```tool_code\nprint(default_api.send_message(message="hi"))\n```',
        '{"name": "send_message", "parameters": {"message": "hi"}}',
        '{"type": "function", "function": {"name": "send_message", "arguments": '
        '"{\\"message\\": \\"hi\\"}"}}',
        '{"calls": [{"name": "send_message", "arguments": {"message": "hi"}}]}',
        '{"tool": "send_message", "tool_input": {"message": "hi"}}',
        '{"send_message": {"message": "hi"}}',
        '{"name": "send_message", "message": "hi"}',
        'send_message\n{"message": "hi"}',
        'send_message: {"message": "hi"}',
        '[send_message(message="hi")]',
        "{'name': 'send_message', 'arguments': {'message': 'hi',}}",
        '{"name": "send_message", "arguments": {"message": "hi"}',
        '<think>Greet.</think>{"name": "send_message", "arguments": {"message": "hi"}}<|im_end|>',
    ],
)
def test_a_call_written_into_the_text_is_a_call_and_not_text(text: str) -> None:
    assert said(text) == ("", [("send_message", HI)])


def test_several_calls_in_the_text_keep_their_order() -> None:
    text = (
        '{"name": "working_context_append", "arguments": {"text": "Lives in Berlin."}}\n'
        '{"name": "send_message", "arguments": {"message": "hi"}}'
    )
    assert said(text) == (
        "",
        [("working_context_append", '{"text": "Lives in Berlin."}'), ("send_message", HI)],
    )


def test_an_unknown_function_beside_known_ones_is_passed_on_to_be_answered() -> None:
    text = f'[{{"name": "send_message", "arguments": {HI}}}, {{"name": "fly", "arguments": {{}}}}]'
    assert said(text) == ("", [("send_message", HI), ("fly", "{}")])


def test_what_is_said_around_a_call_stays() -> None:
    text = f'Sure! <tool_call>{{"name": "send_message", "arguments": {HI}}}</tool_call> There.'
    assert said(text) == ("Sure!  There.", [("send_message", HI)])


@pytest.mark.parametrize(
    "text",
    [
        "Just words.",
        "Use `send_message` to say something, as in send_message(...).",
        'Here you are: {"name": "Bob", "arguments": [1, 2]} is the JSON for send_message tests.',
        '```python\nprint({"name": "Ann", "age": 3})\n```',
        'A list: [{"name": "Ann"}, {"name": "Bob"}]',
        "if (a < b) { return [c]; }",
        "The `<think>` tag opens what a model thinks; `</think>` ends it.",
        "```html\n<think>\nWhat?\n</think>\n```",
        "<b>bold</b> and 1 < 2 > 0",
        "    indented\n\n\nand spaced  ",
    ],
)
def test_words_code_and_json_that_were_asked_for_are_left_alone(text: str) -> None:
    assert said(text) == (text, [])


def test_without_functions_text_is_only_text() -> None:
    text = '{"name": "send_message", "arguments": {}}'
    assert repaired(text, [], frozenset()) == (text, ())


def test_a_call_that_nobody_can_read_is_not_shown() -> None:
    assert said('<tool_call>send it {"x</tool_call>') == ("", [])


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>Hm.</think>Hello", "Hello"),
        ("<think>Hm.</think>\n\nHello<think>More?</think> you", "Hello you"),
        ("Hm, what to say.\n</think>\n\nHello", "Hello"),
        ("<think>Hm, what to say", ""),
        ("Hello <think>and now", "Hello"),
        ("<thinking>Hm.</thinking>Hello", "Hello"),
        ("<reasoning>Hm.</reasoning>Hello", "Hello"),
        ("<THINK>Hm.</THINK>Hello", "Hello"),
        ("<think>a ``` b</think>Hello", "Hello"),
        ("I look at ```code and so </think>Hello", "Hello"),
        (
            "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final"
            "<|message|>Hello<|return|>",
            "Hello",
        ),
        ("analysisThe user greets.assistantfinalHello", "Hello"),
        ("Hello<|im_end|>", "Hello"),
        ("Hello</s>\n", "Hello"),
    ],
)
def test_what_was_thought_is_not_said(text: str, left: str) -> None:
    assert said(text) == (left, [])


@pytest.mark.parametrize(
    ("raw", "mended"),
    [
        ('{"message":   "hi"}', '{"message":   "hi"}'),
        ('"{\\"message\\": \\"hi\\"}"', HI),
        ('```json\n{"message": "hi"}\n```', HI),
        ('{"message": "hi",}', HI),
        ("{'message': 'hi'}", HI),
        ('{"message": "hi"', HI),
        ({"message": "hi"}, HI),
        ("", "{}"),
        (None, "{}"),
        ('{"message": "上海 😀 día",}', '{"message": "上海 😀 día"}'),
        ('{"message": "\\ud83d"}', '{"message": "\N{REPLACEMENT CHARACTER}"}'),
        ('{"message": "a\\u0000b"}', '{"message": "ab"}'),
        ("hello", "hello"),
        ("[1]", "[1]"),
    ],
)
def test_arguments_are_made_json_where_that_can_be(raw: object, mended: str) -> None:
    assert arguments(raw) == mended


def test_arguments_under_another_name_and_a_decorated_function_are_known() -> None:
    _, (call,) = repaired("", [RawCall("c1", "functions.send_message:0", HI)], NAMES)
    assert (call.name, call.arguments) == ("send_message", HI)


def test_arguments_that_were_cut_off_are_not_closed() -> None:
    raw = [RawCall("c1", "send_message", HI), RawCall("c2", "send_message", '{"message": "Once u')]
    _, calls = repaired("", raw, NAMES, complete=False)
    assert [call.arguments for call in calls] == [HI, '{"message": "Once u']
    text = '<tool_call>{"name": "send_message", "arguments": {"message": "Once u'
    rest, (call,) = repaired(text, [], NAMES, complete=False)
    assert (rest, call.name) == ("", "send_message")
    with pytest.raises(ValueError, match="Extra data"):
        json.loads(call.arguments)


def test_ids_are_unique_in_the_whole_prompt_and_the_same_each_time() -> None:
    prompt = [Message("assistant", "", (Call("call_0", "send_message", HI),))]
    raw = [
        RawCall("call_0", "send_message", HI),
        RawCall("call_0", "send_message", HI),
        RawCall(None, "send_message", HI),
        RawCall("x" * 500, "send_message", HI),
        RawCall("mine", "send_message", HI),
    ]
    _, calls = repaired("", raw, NAMES, prompt=prompt)
    ids = [call.id for call in calls]
    assert len({*ids, "call_0"}) == 6
    assert ids[4] == "mine"
    assert all(len(call_id) <= 40 for call_id in ids)
    assert repaired("", raw, NAMES, prompt=prompt)[1] == calls


def test_a_call_that_the_server_parsed_and_left_in_the_text_is_one_call() -> None:
    text = f'<tool_call>{{"name": "send_message", "arguments": {HI}}}</tool_call>'
    rest, calls = repaired(text, [RawCall("c1", "send_message", HI)], NAMES)
    assert (rest, len(calls)) == ("", 1)


plain = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


@given(st.dictionaries(plain, plain))
def test_every_script_survives_every_wrapping(values: dict[str, str]) -> None:
    text = json.dumps(values, ensure_ascii=False)
    for raw in (text, json.dumps(text), f"```json\n{text}\n```", values):
        assert json.loads(arguments(raw)) == values


pieces = st.sampled_from(
    [
        *("<think>", "</think>", "<tool_call>", "</tool_call>", "[TOOL_CALLS]", "<|python_tag|>"),
        *("<function=send_message>", "</function>", "<parameter=message>", "</parameter>"),
        *("functions.send_message:0", "<|channel|>", "<|message|>", "<|start|>", "analysis"),
        *(
            "<invoke name='send_message'>",
            "<arg_key>",
            "</arg_key>",
            "<arg_value>",
            "send_message(",
        ),
        *('{"name": "send_message", "arguments": ', '{"message": "hi"}', "{", "}", "[", "]", '"'),
        *(
            "'",
            "```",
            "```json",
            ",",
            ":",
            "\\",
            "\n",
            " ",
            "null",
            "\ud83d",
            "\0",
            "上海",
            "=",
            ")",
        ),
    ]
)


@given(
    st.lists(pieces | st.text(), max_size=40).map("".join),
    st.lists(st.builds(RawCall, *[st.none() | st.integers() | st.lists(st.text()) | pieces] * 3)),
    st.booleans(),
)
def test_any_garbage_becomes_text_and_calls_that_can_be_stored(
    text: str, raw: list[RawCall], complete: bool
) -> None:
    rest, calls = repaired(text, raw, NAMES, complete=complete)
    for part in (rest, *(part for call in calls for part in (call.id, call.name, call.arguments))):
        assert "\0" not in part
        part.encode()
    assert len({call.id for call in calls}) == len(calls)
    assert "<tool_call>" not in rest
    assert "[TOOL_CALLS]" not in rest


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "{",
            "[",
            "}",
            '"',
            "'",
            "`",
            "```",
            "<",
            " ",
            "\n",
            '\\"',
            "<think>",
            "</think>",
            "(",
            "[{",
        ),
        *("<tool_call>", "<arg_key>", "<function=send_message>", "<parameter=a>", "[TOOL_CALLS]"),
        *("send_message ", "send_message(", "send_message\n", '{"send_message":', "<|channel|>"),
        *("<invoke name='x'>", '{"name": "send_message", ', "functions.send_message:0 ", ")", "=="),
    ],
)
@pytest.mark.parametrize(
    "frame", ["{}", "send_message {}", "<tool_call>{{'{}", "send_message(a='{}"]
)
def test_fifty_kilobytes_of_anything_are_read_in_seconds(piece: str, frame: str) -> None:
    text = frame.format(piece * (50_000 // len(piece)))
    before = time.process_time()
    repaired(text, [RawCall("c1", "send_message", text)], NAMES)
    assert time.process_time() - before < 3
