"""What the fake provider refuses, in the words of four APIs, is understood; so is what happens on bad days."""

from __future__ import annotations

from typing import Any

import anthropic
import openai
import pytest

from unabridged import Conversation
from unabridged.models.overflow import ErrorKind, Meaning, meaning_of, overflow_of
from unabridged.models.truncation import Exchange, silent_cut
from unabridged.testing import FakeProvider, Scripted, serving
from unabridged.testing.models import Asked, Chaotic, Failure
from unabridged.testing.notation import bodies
from unabridged.wire import wire

LISTED = {"openai_chat": "messages", "openai_responses": "input", "anthropic": "messages", "gemini": "contents"}
DIALECTS = sorted(LISTED)


def answer(dialect: str, script: str, **more: Any) -> dict[str, Any]:
    body = {"model": "m", "max_tokens": 100, LISTED[dialect]: bodies(script, dialect), **more}
    return FakeProvider(Scripted([]), window=2_000).answer(dialect, body)


def read(dialect: str, script: str, **more: Any) -> Meaning:
    return meaning_of(answer(dialect, script, **more))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_request_that_is_too_long_is_an_overflow(dialect: str) -> None:
    found = read(dialect, "U:task:3k")
    named = (None, None) if dialect == "openai_responses" else (2_000, 3_007)
    assert (found.kind, found.limit, found.input) == (ErrorKind.OVERFLOW, *named)


@pytest.mark.parametrize("dialect", ["openai_chat", "anthropic"])
def test_too_much_output_asked_for_is_an_output_limit(dialect: str) -> None:
    found = read(dialect, "U:task:1k", max_tokens=1_500)
    assert (found.kind, found.limit, found.output) == (ErrorKind.OUTPUT_LIMIT, 2_000, 1_500)
    assert found.output_allowed == 2_000 - found.input if found.input else False


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("script", ["U:task A[c1] U:x", "U:task T(c1):3", "U:task A[c1,c2] T(c1):3"])
def test_a_broken_list_is_no_overflow(dialect: str, script: str) -> None:
    assert read(dialect, script).kind is ErrorKind.STRUCTURE


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_answer_is_no_error(dialect: str) -> None:
    found = read(dialect, "U:task:10")
    assert (found.kind, found.quote) == (ErrorKind.OTHER, "")


def test_bad_days_are_a_reason_to_wait() -> None:
    asked = Asked(number=0, dialect="anthropic", body={}, tokens=10)
    days = [reply for seed in range(200) if isinstance(reply := Chaotic(seed).reply(asked), Failure)]
    read = [meaning_of({"type": "error", "error": {"type": day.kind, "message": day.says}}) for day in days]
    assert {(day.status, found.kind, found.waiting_helps) for day, found in zip(days, read, strict=True)} == {
        (429, ErrorKind.RATE_LIMIT, True),
        (529, ErrorKind.RATE_LIMIT, True),
    }


def test_a_loop_goes_on_with_what_the_error_names() -> None:
    talk = Conversation(model="m", window=128_000)  # believed; the server has less
    for part in range(6):
        talk.user(f"Part {part}: " + "word " * 1_000)
        talk.add({"role": "assistant", "content": "Noted."})
    talk.user("Go on.")
    provider = FakeProvider(Scripted([]), window=4_000)
    with serving(provider) as url, openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as client:
        with pytest.raises(openai.BadRequestError) as refused:
            client.chat.completions.create(**talk.fit().request())
        overflow = overflow_of(refused.value)
        assert overflow is not None
        assert overflow.limit == 4_000
        assert client.chat.completions.create(**talk.overflowed(overflow.limit).request()).choices


def test_the_errors_of_the_anthropic_sdk_are_understood() -> None:
    messages = list[Any](bodies("U:task:3k", "anthropic"))
    provider = FakeProvider(Scripted([]), window=2_000)
    with (
        serving(provider) as url,
        anthropic.Anthropic(base_url=url, api_key="none", max_retries=0) as client,
        pytest.raises(anthropic.BadRequestError) as refused,
    ):
        client.messages.create(model="m", max_tokens=9, messages=messages)
    found = meaning_of(refused.value)
    assert (found.kind, found.limit, found.status, found.provider) == (ErrorKind.OVERFLOW, 2_000, 400, "anthropic")


def test_an_honest_server_is_not_suspected() -> None:
    body: dict[str, Any] = {"model": "m", "messages": bodies("U:task:1k", "openai_chat")}
    provider = FakeProvider(Scripted([]), window=2_000)
    usage = wire("openai_chat").usage(provider.answer("openai_chat", body))
    assert usage is not None
    assert silent_cut([Exchange(provider.tokens_of("openai_chat", body), usage)], window=2_000) is None


@pytest.mark.parametrize(("keep", "kept"), [(None, 3), (2, 2), (0, 0)])
def test_as_many_of_the_newest_requests_are_kept_as_were_asked_for(keep: int | None, kept: int) -> None:
    provider = FakeProvider(Scripted(["Fine."] * 3), keep=keep)
    for number in range(3):
        provider.answer("openai_chat", {"model": "m", "messages": [{"role": "user", "content": str(number)}]})
    assert [each.body["messages"][0]["content"] for each in provider.served] == ["0", "1", "2"][3 - kept :]
