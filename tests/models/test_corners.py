"""Corners of what an error means: codes alone, suspicion, blame, quotas, waits, causes, answers that are no errors."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from tests.models.overflows import OPENAI
from tests.models.shapes import by_openai, client, openai_client, raised
from unabridged.engine import Overflow
from unabridged.models.model import ModelError
from unabridged.models.overflow import ErrorKind, meaning_of, overflow_of

TOO_LONG = "prompt is too long: 9001 tokens > 9000 maximum"


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"code": "context_length_exceeded", "message": "Bad request."}},
        {"error": {"type": "exceed_context_size_error", "message": "no"}},
        {"error": {"code": "1261", "message": "参数错误"}},
        {"error": {"code": 3051}},
        {"error_type": "TOO_MANY_TOKENS", "message": "no"},
        {"base_resp": {"status_code": 1039, "status_msg": "token limit"}},
        {"choices": [{"finish_reason": "model_context_window_exceeded", "message": {"content": ""}}]},
        {"type": "message", "role": "assistant", "content": [], "stop_reason": "model_context_window_exceeded"},
    ],
)
def test_a_code_is_enough(body: dict[str, Any]) -> None:
    assert meaning_of(body).kind is ErrorKind.OVERFLOW


def test_numbers_in_members_of_their_own_are_read() -> None:
    error = {"type": "exceed_context_size_error", "message": "too much", "n_prompt_tokens": 13_392, "n_ctx": 8_192}
    found = meaning_of({"error": error})
    assert (found.limit, found.requested) == (8_192, 13_392)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("128000", 128_000),
        ("128,000", 128_000),
        ("1,048,576", 1_048_576),
        ("128_000", 128_000),
        ("128.000", 128_000),
        ("128'000", 128_000),
        ("128\u202f000", 128_000),
        ("128k", 128_000),
        ("128 K", 128_000),
        ("1M", 1_000_000),
        ("1.5M", 1_500_000),
    ],
)
def test_numbers_are_read_as_people_write_them(written: str, read: int) -> None:
    found = meaning_of(f"This model's maximum context length is {written} tokens. Your messages resulted in 2M tokens.")
    assert (found.limit, found.requested) == (read, 2_000_000)


def test_a_window_that_would_have_held_the_request_teaches_nothing() -> None:
    found = meaning_of("This model's maximum context length is 128000 tokens. Your messages resulted in 5000 tokens.")
    assert (found.kind, found.limit, found.requested) == (ErrorKind.OVERFLOW, None, 5_000)


def test_a_limit_of_nothing_is_no_limit() -> None:
    assert meaning_of("Requested tokens (4348) exceed context window of 0").limit is None


@pytest.mark.parametrize(
    ("given", "asked", "window", "kind"),
    [
        (121, 4_096, 4_096, ErrorKind.OUTPUT_LIMIT),
        (90_000, 116_000, 204_000, ErrorKind.OUTPUT_LIMIT),
        (198_976, 8_192, 200_000, ErrorKind.OUTPUT_LIMIT),
        (198_977, 8_192, 200_000, ErrorKind.OVERFLOW),  # what is left is no answer
        (200_001, 1, 200_000, ErrorKind.OVERFLOW),
    ],
)
def test_the_output_is_to_blame_as_long_as_the_input_leaves_room_for_an_answer(
    given: int, asked: int, window: int, kind: ErrorKind
) -> None:
    both = f"you requested {given + asked} tokens ({given} in the messages, {asked} in the completion)"
    found = meaning_of(f"This model's maximum context length is {window} tokens. However, {both}.")
    assert (found.kind, found.over_window) == (kind, True)
    assert found.output_allowed == (window - given if given < window else None)


@pytest.mark.parametrize(
    "error", ["400 status code (no body)", "Error code: 413", {"message": "Bad Request", "code": 400}]
)
def test_an_unexplained_refusal_near_the_window_is_suspected(error: object) -> None:
    found = meaning_of(error, sent=7_000, window=8_192)
    assert (found.kind, found.suspected) == (ErrorKind.OVERFLOW, True)


@pytest.mark.parametrize(
    ("error", "sent"),
    [
        ("400 status code (no body)", 4_000),
        ("400 status code (no body)", None),
        ("500 status code (no body)", 8_000),
        ("400 Unsupported parameter: 'temperature'", 8_000),
        ("400 Reasoning is mandatory for this endpoint and cannot be disabled.", 8_000),
        ("401 status code (no body)", 8_000),
    ],
)
def test_a_refusal_of_something_else_is_not_suspected(error: str, sent: int | None) -> None:
    found = meaning_of(error, sent=sent, window=8_192)
    assert (found.kind, found.suspected) == (ErrorKind.OTHER, False)


@pytest.mark.parametrize(("status", "kind"), [(429, "rate_limit"), (529, "rate_limit"), (413, "payload_too_large"),
                                              (500, "other"), (400, "other")])  # fmt: skip
def test_without_a_word_the_status_decides(status: int, kind: str) -> None:
    assert meaning_of(b"", status=status).kind == kind


def test_words_outrank_the_status() -> None:
    assert meaning_of({"error": TOO_LONG}, status=429).kind is ErrorKind.OVERFLOW
    assert meaning_of({"error": TOO_LONG}, status=500).kind is ErrorKind.OVERFLOW
    assert meaning_of("Rate limit reached", status=400).kind is ErrorKind.RATE_LIMIT


@pytest.mark.parametrize(
    ("text", "sent", "alone"),
    [
        ("on tokens per min (TPM): Limit 30000, Requested 342389.", None, True),
        ("on tokens per min (TPM): Limit 30000, Used 29000, Requested 6000.", None, False),
        ("tokens per minute rate limit: limit: 30000", 40_000, True),
        ("tokens per minute rate limit: limit: 30000", 20_000, False),
        ("on requests per min (RPM): Limit 3, Used 3, Requested 1.", 40_000, False),
        ("rate limit of requests per minute, limit: 60", 40_000, False),
        ("request reached organization TPD rate limit, current: 1506556, limit: 1500000", None, False),
    ],
)
def test_a_request_larger_than_the_whole_quota_is_told_from_one_that_came_too_soon(
    text: str, sent: int | None, alone: bool
) -> None:
    found = meaning_of(text, sent=sent)
    assert (found.kind, found.alone_over_quota, found.waiting_helps) == (ErrorKind.RATE_LIMIT, alone, not alone)


def test_a_bill_is_no_reason_to_wait() -> None:
    broke = meaning_of({"error": {"type": "insufficient_quota", "message": "You exceeded your current quota."}})
    assert (broke.kind, broke.billing, broke.waiting_helps) == (ErrorKind.RATE_LIMIT, True, False)
    wait = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "38s"}
    says = "You exceeded your current quota, please check your plan and billing details."
    free = meaning_of({"error": {"code": 429, "message": says, "details": [wait]}})
    assert (free.billing, free.waiting_helps, free.retry_after_s) == (False, True, 38.0)


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        ("Rate limit reached. Please try again in 7m12.5s.", 432.5),
        ("Rate limit reached. Please try again in 380ms.", 0.38),
        ("Too many requests, retry after 20 seconds", 20.0),
        ({"error": {"message": "Too many requests", "metadata": {"retry_after_seconds": 4}}}, 4.0),
        (httpx2.Response(429, headers={"retry-after": "17"}), 17.0),
        (httpx2.Response(429, headers={"Retry-After-Ms": "1500", "Retry-After": "2"}), 1.5),
        (
            httpx2.Response(
                429,
                headers={"date": "Mon, 30 Nov 2026 10:00:00 GMT", "retry-after": "Mon, 30 Nov 2026 10:01:30 GMT"},
            ),
            90.0,
        ),
        (httpx2.Response(429, headers={"retry-after": "Mon, 30 Nov 2026 10:01:30 GMT"}), None),
        (httpx2.Response(429, headers={"retry-after": "1796032800"}), None),
        (httpx2.Response(429, headers={"retry-after": "soon"}), None),
        ("Rate limit reached.", None),
    ],
)
def test_the_wait_is_read_wherever_it_is_named(error: object, seconds: float | None) -> None:
    assert meaning_of(error).retry_after_s == seconds


def test_headers_may_be_handed_over_beside_the_body() -> None:
    assert meaning_of(b"{}", status=429, headers={"Retry-After": "3"}).retry_after_s == 3.0


def test_the_wait_of_an_sdk_error_is_read() -> None:
    answer = httpx2.Response(429, headers={"retry-after": "5"}, json={"error": {"message": "Slow down"}})
    http = httpx2.Client(transport=httpx2.MockTransport(lambda request: answer))
    error = raised(lambda: openai_client(http).models.list())
    found = meaning_of(error)
    assert (found.kind, found.retry_after_s, found.status) == (ErrorKind.RATE_LIMIT, 5.0, 429)


@pytest.mark.parametrize(
    "body",
    [
        {"choices": [{"message": {"role": "assistant", "content": TOO_LONG}, "finish_reason": "stop"}], "usage": {}},
        {"choices": [{"delta": {"content": TOO_LONG}, "finish_reason": None}]},
        {"type": "message", "role": "assistant", "content": [{"type": "text", "text": TOO_LONG}], "usage": {}},
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": TOO_LONG}},
        {"type": "response.output_text.delta", "delta": TOO_LONG},
        {"type": "response.output_text.done", "text": TOO_LONG},
        {
            "object": "response",
            "status": "completed",
            "instructions": TOO_LONG,
            "output": [],
            "metadata": {"a": TOO_LONG},
        },
        {"candidates": [{"content": {"parts": [{"text": TOO_LONG}]}, "finishReason": "STOP"}]},
        {"model": "llama", "response": TOO_LONG, "done": True},
        {"model": "llama", "message": {"role": "assistant", "content": TOO_LONG}, "done": True},
    ],
)
def test_an_answer_that_speaks_of_an_error_is_none(body: dict[str, Any]) -> None:
    shapes = [body, json.dumps(body), f"data: {json.dumps(body)}\n\n"]
    assert [meaning_of(shape).kind for shape in shapes] == [ErrorKind.OTHER] * 3


@pytest.mark.parametrize(
    "body",
    [
        {"choices": [{"finish_reason": "content_filter", "message": {"content": None}}]},
        {"type": "message", "role": "assistant", "content": [], "stop_reason": "refusal"},
        {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {}},
        {"candidates": [{"finishReason": "SAFETY", "content": {}}]},
        {"object": "response", "output": [], "incomplete_details": {"reason": "content_filter"}},
    ],
)
def test_a_filter_is_seen_in_an_answer(body: dict[str, Any]) -> None:
    assert meaning_of(body).kind is ErrorKind.CONTENT_FILTER


def test_an_address_in_the_text_does_not_count() -> None:
    assert meaning_of(f"{TOO_LONG}. See https://example.org/docs/rate-limits").kind is ErrorKind.OVERFLOW


def test_what_echoes_the_request_does_not_count() -> None:
    echo = {"detail": [{"loc": ["body", "messages"], "msg": "Field required", "input": TOO_LONG}]}
    assert meaning_of(echo).kind is ErrorKind.OTHER


def test_the_host_tells_the_provider_apart_from_those_that_speak_alike() -> None:
    http = client(400, json.dumps({"error": {"message": "Please reduce the length of the messages or completion."}}))
    sdk = openai_client(http).with_options(base_url="https://api.groq.com/openai/v1")
    assert meaning_of(raised(lambda: sdk.models.list())).provider == "groq"


def test_a_cause_is_looked_into() -> None:
    wrapped = RuntimeError("the call failed")
    wrapped.__cause__ = ValueError(TOO_LONG)
    assert overflow_of(wrapped) == Overflow(9_000)


def test_an_error_of_a_model_of_ours_means_what_it_says() -> None:
    quota = {"error": {"message": "Rate limit reached: Limit 12000, Requested 14137. Try again in 7s."}}
    for meaning in (meaning_of(TOO_LONG, status=400), meaning_of(quota, status=429)):
        assert meaning_of(ModelError(meaning)) == meaning
    unexplained = ModelError(meaning_of("Bad Request", status=400))
    assert meaning_of(unexplained).kind is ErrorKind.OTHER
    assert meaning_of(unexplained, sent=9_500, window=10_000).suspected


def drops_while_an_overflow_is_answered() -> None:
    try:
        raise ValueError(TOO_LONG)
    except ValueError:
        raise ConnectionError("reset by peer")  # noqa: B904 -- what loops do, without naming a cause


def test_a_line_that_drops_while_an_overflow_is_answered_is_no_overflow() -> None:
    with pytest.raises(ConnectionError) as dropped:
        drops_while_an_overflow_is_answered()
    assert dropped.value.__context__ is not None
    assert overflow_of(dropped.value) is None


def test_a_group_of_exceptions_is_looked_into() -> None:
    group = ExceptionGroup("two failed", [ValueError("odd"), by_openai(OPENAI[0])])
    assert meaning_of(group).limit == 128_000


def test_an_error_that_is_its_own_cause_ends() -> None:
    error = ValueError("odd")
    error.__cause__ = error
    assert meaning_of(error).kind is ErrorKind.OTHER
