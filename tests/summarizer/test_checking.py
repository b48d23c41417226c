from __future__ import annotations

import pytest

from tests.summarizer.models import GOOD
from tests.summarizer.spans import assistant, ran, request, span, user
from unabridged.message import Media, MediaKind, Message
from unabridged.summarizer import Answer, WhyNoSummary
from unabridged.summarizer.checking import flaw_in, without_thoughts
from unabridged.summarizer.prompt import HEADINGS
from unabridged.summarizer.size import flaw_in_size

SPAN = span(
    *(
        piece
        for n in range(6)
        for piece in (
            user(f"Look at src/parser.py again, part {n}."),
            assistant("I see: ParserState, TokenQueue, next_token and read_all in src/queue.py at port 8431."),
            ran("make test", "ok  ParserState TokenQueue next_token read_all v1.24.3"),
        )
    ),
    user("What should I cook tonight?"),
)
REFUSALS = [
    "I'm sorry, but I can't help with that request.",
    "I cannot assist with this conversation as it violates our policy.",
    "As an AI language model, I am unable to do that.",
    "抱歉，我无法完成这个请求。",
    "申し訳ありませんが、その依頼にはお応えできません。",
    "Es tut mir leid, dabei kann ich nicht helfen.",
    "Je suis désolé, je ne peux pas vous aider.",
    "Извините, я не могу помочь с этим.",
]
TOOL_SYNTAX = [
    '<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>',
    "<function=bash>\n<parameter=command>ls</parameter>\n</function>",
    '<function_calls>\n<invoke name="Read">\n</invoke>\n</function_calls>',
    '[TOOL_CALLS][{"name": "bash", "arguments": {}}]',
    '<|python_tag|>{"name": "bash", "parameters": {}}',
    "<|start|>assistant<|channel|>commentary to=functions.bash code<|message|>{}",
    "<\uff5ctool\u2581calls\u2581begin\uff5c><\uff5ctool\u2581call\u2581begin\uff5c>function",
    "<\uff5cDSML\uff5cfunction_calls>\n<\uff5cDSML\uff5cinvoke name=bash>",
    '{"name": "bash", "arguments": {"command": "ls"}}',
    '```json\n{"tool": "read", "input": {"path": "a.py"}}\n```',
    '[{"name": "bash", "parameters": {}}]',
    "*** Begin Patch\n*** Update File: a.py\n*** End Patch",
    "<execute_command>\n<command>ls</command>\n</execute_command>",
    "Action: search\nAction Input: parser",
    f'{GOOD}\n<tool_call>\n{{"name": "bash"}}\n</tool_call>',
]
ERRORS = [
    '{"error": {"message": "Rate limit reached", "type": "rate_limit_error"}}',
    '{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}',
    '{"detail": "Not Found"}',
    "<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>",
    "API Error: 429 Too Many Requests",
    "Error code: 400 - {'error': {'message': 'context length'}}",
    "upstream connect error or disconnect/reset before headers",
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 140211 tokens.",
    "litellm.RateLimitError: too many requests",
    "Prompt is too long",
    "503 Service Unavailable",
]
ANSWERS = [
    "Sure! Here are three ideas: a risotto, a curry, or a simple omelette. Would you like a recipe?",
    "Tonight you could cook a risotto with mushrooms. " * 6,
    "## Dinner\n\nA risotto.\n\n## Shopping list\n\n- rice\n- mushrooms\n\n## Steps\n\nStir it for a while.",
    "It looks like your message is incomplete. Could you please provide more details?",
    "Let me look at the parser again and fix the remaining problem in src/parser.py.",
    "好的，我来看看。",
]


def verdict(text: str, stop: str = "stop", **more: object) -> WhyNoSummary | None:
    return flaw_in(Answer(text=text, stop=stop, **more), SPAN, HEADINGS)  # type: ignore[arg-type]  # any field


def test_a_summary_is_taken() -> None:
    assert verdict(GOOD) is None


@pytest.mark.parametrize("text", ["", " \n\t", "<think>hm</think>\n"])
def test_nothing_is_empty_or_only_thought(text: str) -> None:
    assert verdict(text) is (WhyNoSummary.ONLY_REASONING if "think" in text else WhyNoSummary.EMPTY)


def test_thoughts_given_apart_are_no_summary() -> None:
    assert verdict("", stop="length", reasoning=GOOD) is WhyNoSummary.ONLY_REASONING


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"## {heading}" for heading in HEADINGS),
        "\n".join(f"## {heading}\nNone.\n" for heading in HEADINGS),
        "\n".join(f"## {heading}\n- n/a\n" for heading in HEADINGS),
        "## Completed goals\n...\n## Open work\n[to be filled in]",
    ],
)
def test_the_headings_alone_are_empty(text: str) -> None:
    assert verdict(text) is WhyNoSummary.EMPTY


@pytest.mark.parametrize("stop", ["length", "max_tokens", "MAX_TOKENS", "incomplete"])
def test_a_text_that_ended_at_its_limit_is_cut_off(stop: str) -> None:
    assert verdict(GOOD, stop=stop) is WhyNoSummary.CUT_OFF


@pytest.mark.parametrize("stop", ["content_filter", "refusal", "SAFETY", "RECITATION"])
def test_what_a_filter_stopped_is_a_refusal(stop: str) -> None:
    assert verdict(GOOD, stop=stop) is WhyNoSummary.REFUSAL


@pytest.mark.parametrize("text", REFUSALS)
def test_a_refusal_is_none_in_any_language(text: str) -> None:
    assert verdict(text) is WhyNoSummary.REFUSAL


def test_a_summary_that_tells_of_a_refusal_is_a_summary() -> None:
    told = "\n- The assistant said: \"I'm sorry, but I can't help with that\" when asked for the key of `secrets.txt`."
    assert verdict(GOOD + told) is None


@pytest.mark.parametrize("text", TOOL_SYNTAX)
def test_tool_syntax_is_a_tool_call(text: str) -> None:
    assert verdict(text) is WhyNoSummary.TOOL_CALL


def test_a_tool_call_beside_a_text_is_a_tool_call() -> None:
    assert verdict(GOOD, tool_calls=1) is WhyNoSummary.TOOL_CALL
    assert verdict(GOOD, stop="tool_use") is WhyNoSummary.TOOL_CALL


@pytest.mark.parametrize("text", TOOL_SYNTAX[:6])
def test_a_summary_that_quotes_tool_syntax_is_a_summary(text: str) -> None:
    assert (
        verdict(f"{GOOD}\n- The model had written this as text:\n\n```\n{text}\n```\n\nIt was fixed in v1.24.3.")
        is None
    )


@pytest.mark.parametrize("text", ERRORS)
def test_an_error_given_as_text_is_an_error_text(text: str) -> None:
    assert verdict(text) is WhyNoSummary.ERROR_TEXT


def test_a_long_page_of_a_proxy_is_an_error_text() -> None:
    assert verdict("<!DOCTYPE html>\n" + "<p>The gateway is busy.</p>\n" * 300) is WhyNoSummary.ERROR_TEXT


def test_a_summary_that_tells_of_errors_is_a_summary() -> None:
    assert verdict(f'{GOOD}\n- `make deploy` failed: Error 502 Bad Gateway, later {{"error": "quota"}}.') is None


@pytest.mark.parametrize(
    "text",
    [
        GOOD + "- The parser was fixed again.\n" * 80,
        GOOD + "and the parser " * 400,
        "哈" * 3_000,
        GOOD + "\n".join(f"- The parser was fixed in the file number {n % 3} of the list." for n in range(90)),
    ],
)
def test_a_text_that_repeats_itself_is_a_loop(text: str) -> None:
    assert verdict(text) is WhyNoSummary.LOOP
    assert verdict(text, stop="length") is WhyNoSummary.LOOP


def test_a_long_list_of_similar_paths_is_no_loop() -> None:
    paths = "\n".join(
        f"- `src/components/{name}/{name}.tsx` was edited: {name} state"
        for name in map("{:x}".format, range(4_000, 4_120))
    )
    assert verdict(f"{GOOD}\n{paths}") is None


@pytest.mark.parametrize("text", ANSWERS)
def test_an_answer_to_the_conversation_is_no_summary(text: str) -> None:
    assert verdict(text) is WhyNoSummary.ANSWER


def test_a_summary_in_a_form_of_its_own_is_a_summary() -> None:
    text = (
        "The user asked for a review of src/parser.py in six parts. ParserState and TokenQueue were found sound; "
        "next_token lost a character at the end of a file, which was fixed. `make test` passed with v1.24.3."
    )
    assert verdict(text) is None


def test_a_summary_in_the_language_of_the_user_under_the_headings_that_were_asked_for_is_a_summary() -> None:
    assert (
        verdict("## Completed goals\n- Der Parser wurde repariert.\n\n## Open work\n- Das Handbuch fehlt noch.") is None
    )


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>hm</think>The summary.", "The summary."),
        ("<thinking>a</thinking>\n<summary>x</summary>", "\n<summary>x</summary>"),
        ("hm, so\n</think>\nThe summary.", "\nThe summary."),
        ("<think>never ends", ""),
        (
            "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>The summary.",
            "The summary.",
        ),
        ("The mark is <|channel|>.", "The mark is <|channel|>."),
        ("It was `<think>` that broke the page.", "It was `<think>` that broke the page."),
        ("[THINK]hm[/THINK]The summary.", "The summary."),
    ],
)
def test_thoughts_are_taken_out_of_a_text(text: str, left: str) -> None:
    assert without_thoughts(text) == left


def long_span() -> tuple[Message, ...]:
    return span(
        *(user(f"This is the {n}th thing that I say, about ParserState and what comes of it.") for n in range(400))
    )


def test_a_summary_takes_less_than_what_it_replaces() -> None:
    short = request(span(user("hello"), assistant("hello")))
    assert flaw_in_size(GOOD, short) is WhyNoSummary.NOT_SMALLER
    assert flaw_in_size(GOOD, request(long_span())) is None


def test_the_previous_summary_counts_for_what_is_replaced() -> None:
    assert flaw_in_size(GOOD, request(span(user("hello")), previous=GOOD * 3)) is None


def test_pictures_count_for_what_is_replaced() -> None:
    shots = [user("see", Media(kind=MediaKind.IMAGE, width=1_280, height=800)) for _ in range(3)]
    assert flaw_in_size(GOOD, request(shots)) is None


def test_a_summary_above_its_limit_is_none() -> None:
    assert flaw_in_size(GOOD, request(long_span(), limit=50)) is WhyNoSummary.OVER_LIMIT


def test_a_sentence_does_not_stand_for_a_long_span() -> None:
    assert flaw_in_size("They talked about a parser.", request(long_span())) is WhyNoSummary.TOO_SHORT
    assert flaw_in_size("They talked.", request(span(user("A word. " * 100)))) is None
