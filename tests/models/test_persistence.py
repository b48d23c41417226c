"""Which failures are asked again, and which are not; and what an attempt may cost."""

from __future__ import annotations

import random
import traceback
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from tests.models.dialects import CHAT, attempts, failed, gathered
from tests.models.servers import answers, server, streams
from unabridged.errors import BadInput
from unabridged.models.failing import Broken, Refusal
from unabridged.models.model import Event, ModelError, Patience, Restarted, TextDelta
from unabridged.models.overflow import ErrorKind
from unabridged.models.persistence import Limits, persist

pytestmark = pytest.mark.anyio
KEY = "sk-" + "Zx81" * 8


@pytest.mark.parametrize(
    ("status", "says", "kind"),
    [
        (
            400,
            "This model's maximum context length is 4096 tokens. However, your messages resulted in 5000 tokens.",
            "overflow",
        ),
        (400, "max_tokens is too large: 9000. This model supports at most 4096 completion tokens.", "output_limit"),
        (400, "messages.1: `tool_use` ids were found without `tool_result` blocks", "malformed_history"),
        (
            400,
            "The response was filtered due to the prompt triggering our content management policy.",
            "content_filter",
        ),
        (413, "Request Entity Too Large", "payload_too_large"),
        (429, "You exceeded your current quota, please check your plan and billing details.", "rate_limit"),
        (402, "Insufficient credits", "rate_limit"),
        (413, "Request too large on tokens per minute (TPM): Limit 12000, Requested 14137", "rate_limit"),
        (404, "The model `m` does not exist", "other"),
        (403, "Forbidden", "other"),
    ],
)
async def test_what_waiting_does_not_mend_is_raised_at_once(status: int, says: str, kind: str) -> None:
    with server(answers({"error": {"message": says}}, status=status), CHAT.hello()) as (seen, url):
        events, error = await failed(CHAT.model(url), CHAT.body)
    assert (events, len(seen.bodies)) == ([], 1)
    assert (error.meaning.kind, error.meaning.status) == (ErrorKind(kind), status)
    assert not error.ran


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 529])
async def test_what_passes_is_asked_again(status: int) -> None:
    with server(answers({"error": {"message": "Try again"}}, status=status), CHAT.hello()) as (_, url):
        events = await gathered(CHAT.model(url), CHAT.body)
    assert attempts(events) == 2
    assert isinstance(events[0], Restarted)
    assert (events[0].why.status, 0 < events[0].wait_s <= 0.5) == (status, True)


async def test_a_wait_that_the_stream_itself_names_is_kept() -> None:
    error = {"error": {"code": 429, "message": "Resource exhausted. Please retry in 1.0s."}}
    with server(streams([error]), CHAT.hello()) as (_, url):
        events = await gathered(CHAT.model(url), CHAT.body)
    assert [event.wait_s for event in events if isinstance(event, Restarted)] == [1.0]


def failing(*errors: Exception) -> Any:
    """An attempt that says a word and fails, once for each error; then it succeeds."""
    left = list(errors)

    async def attempt(limits: Limits) -> AsyncGenerator[Event]:
        yield TextDelta("word")
        if left:
            raise left.pop(0)

    return attempt


async def outcome(attempt: Any, patience: Patience) -> list[Event]:
    return [event async for event in persist(attempt, patience, None)]


async def test_pauses_double_and_vary(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr("asyncio.sleep", sleep)
    random.seed(7)
    events = await outcome(failing(*(Broken("cut") for _ in range(9))), Patience(attempts=10))
    waits = [event.wait_s for event in events if isinstance(event, Restarted)]
    assert waits == slept
    for number, wait in enumerate(waits):
        longest = min(30.0, 0.5 * 2**number)
        assert longest / 2 <= wait <= longest
    assert len({wait / min(30.0, 0.5 * 2**number) for number, wait in enumerate(waits)}) == 9


async def test_what_the_line_does_is_asked_again_and_what_the_code_does_is_not() -> None:
    patience = Patience(attempts=2)
    assert attempts(await outcome(failing(ConnectionResetError("gone")), patience)) == 2
    assert attempts(await outcome(failing(Refusal({"error": {"type": "api_error"}})), patience)) == 2
    for error in (TypeError("a mistake"), Refusal({"error": {"type": "not_found_error"}})):
        with pytest.raises(ModelError) as raised:
            await outcome(failing(error), patience)
        assert raised.value.__cause__ is error


@pytest.mark.parametrize("behind", [False, True])
async def test_no_traceback_says_a_key(behind: bool) -> None:
    error = ValueError("the call failed" if behind else f"Incorrect API key provided: {KEY}")
    if behind:
        error.__context__ = ConnectionError(f"GET /v1?key={KEY}")
    with pytest.raises(ModelError) as raised:
        await outcome(failing(error), Patience())
    assert KEY not in "".join(traceback.format_exception(raised.value))


async def test_an_error_of_ours_stays_what_it_is() -> None:
    with pytest.raises(BadInput):
        await outcome(failing(BadInput("no request")), Patience())


async def test_one_attempt_is_one() -> None:
    with pytest.raises(ModelError):
        await outcome(failing(Broken("cut")), Patience(attempts=1))
