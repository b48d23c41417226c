"""The local toy: a real model with a real window. It runs where its weights and its runtime are installed."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.models.toy import needs_toy
from unabridged import Conversation
from unabridged.errors import BadInput, BadSetting
from unabridged.models.defaults import Chosen, Why, opened
from unabridged.models.local.model import LocalModel, local_model
from unabridged.models.local.server import LocalServer
from unabridged.models.local.weights import SMOLLM2
from unabridged.models.model import Completed, ModelError, TextDelta
from unabridged.models.overflow import ErrorKind, meaning_of
from unabridged.models.refusal.meaning import Meaning

STORY = "Tell a very long story about a lighthouse."


@pytest.fixture(scope="module")
def server() -> Generator[LocalServer]:
    with LocalServer(window=2_048) as running:
        yield running


def body(*said: str, **more: Any) -> bytes:
    roles = ("system", "user", "assistant", "user")
    messages = [{"role": role, "content": text} for role, text in zip(roles, said, strict=False)]
    return json.dumps({"model": "smollm2", "messages": messages, **more}).encode()


async def answer(model: LocalModel, request: bytes) -> Completed:
    async for event in model.stream(request):
        if isinstance(event, Completed):
            return event
    raise AssertionError("no answer was completed")


@pytest.mark.parametrize("window", [0, 511, 8_193])
def test_a_window_that_it_cannot_have_is_refused(window: int) -> None:
    with pytest.raises(BadSetting, match="takes 512 to 8,192"):
        LocalServer(window=window)


def test_without_weights_it_says_how_to_get_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNABRIDGED_MODELS", str(tmp_path))

    with pytest.raises(BadInput, match="not installed: `unabridged models add smollm2`"), LocalServer():
        pass


@needs_toy
def test_weights_that_are_none_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNABRIDGED_MODELS", str(tmp_path))
    with SMOLLM2.file.open("wb") as file:
        file.truncate(SMOLLM2.size)

    with pytest.raises(BadInput, match=r"does not start with .*gguf"), LocalServer():
        pass


@needs_toy
async def test_it_answers_as_any_model_and_says_what_it_costs(server: LocalServer) -> None:
    model = LocalModel(server)
    try:
        request = body("You are careful.", STORY, max_tokens=8, temperature=0)
        counted = await model.count(request)
        events = [event async for event in model.stream(request)]
        done = events[-1]
        assert isinstance(done, Completed)
        assert done.usage is not None
        assert (done.usage.input, done.usage.output, done.stop) == (counted, 8, "length")
        said = "".join(event.text for event in events if isinstance(event, TextDelta))
        assert done.dicts() == [{"role": "assistant", "content": said}]
    finally:
        await model.close()


@needs_toy
async def test_its_window_is_what_the_server_says(server: LocalServer) -> None:
    model = LocalModel(server)
    try:
        assert (model.window, model.name, model.dialect) == (2_048, "smollm2", "openai_chat")
        assert "toy" in model.remark
        assert "cannot summarize" in model.remark
    finally:
        await model.close()
    with LocalServer(window=1_000) as rounded:
        assert rounded.window == 1_024


@needs_toy
async def test_what_it_read_before_is_served_from_its_cache(server: LocalServer) -> None:
    model = LocalModel(server)
    try:
        rules = " ".join(f"Rule {number}: be brief." for number in range(40))
        first = await answer(model, body(rules, "Name a colour.", max_tokens=4))
        again = await answer(model, body(rules, "Name a colour.", "Blue.", "And another?", max_tokens=4))
        assert first.usage is not None
        assert again.usage is not None
        assert again.usage.cached >= first.usage.input - 8
        assert again.usage.input > again.usage.cached
    finally:
        await model.close()


@needs_toy
async def test_a_request_that_is_too_long_is_refused_with_both_numbers(server: LocalServer) -> None:
    model = LocalModel(server)
    try:
        request = body("", "word " * 4_000)
        counted = await model.count(request)
        with pytest.raises(ModelError) as refused:
            await answer(model, request)
        meaning = refused.value.meaning
        assert (meaning.kind, meaning.limit, meaning.requested) == (ErrorKind.OVERFLOW, 2_048, counted)
    finally:
        await model.close()


@needs_toy
def test_the_sdk_of_openai_is_refused_in_words_that_are_understood(server: LocalServer) -> None:
    import openai

    with openai.OpenAI(base_url=server.base_url, api_key=server.key, max_retries=0) as client:
        with pytest.raises(openai.BadRequestError) as refused:
            client.chat.completions.create(model="any", messages=[{"role": "user", "content": "word " * 4_000}])
        found: Meaning = meaning_of(refused.value)
        with pytest.raises(openai.AuthenticationError):
            client.with_options(api_key="another").models.list()
    assert "exceeds the available context size (2048 tokens)" in str(refused.value)
    assert (found.kind, found.limit) == (ErrorKind.OVERFLOW, 2_048)


@needs_toy
async def test_a_conversation_outlives_its_window() -> None:
    async with local_model(1_024) as model:
        talk = Conversation(model=model.name, window=model.window, max_tokens=8)
        fits = 0
        for number in range(6):
            talk.user(f"{number}: " + "The lighthouse keeper wrote a line in the book. " * 20)
            fitted = talk.fit()
            fits += fitted.report is not None
            done = await answer(model, fitted.body())
            assert done.usage is not None
            talk.add_all(done.dicts())
            talk.answered(done.usage)
    assert fits > 0


@needs_toy
async def test_it_stops_at_once_though_an_answer_is_half_way() -> None:
    async with local_model(1_024) as model:
        stream = model.stream(body("", STORY, max_tokens=900))
        async for event in stream:
            if isinstance(event, TextDelta):
                break
        started = time.monotonic()
    assert time.monotonic() - started < 2
    await stream.aclose()


@needs_toy
async def test_the_toy_as_a_choice_is_opened_by_starting_it() -> None:
    async with opened(Chosen(name="smollm2", why=Why.LOCAL, says="")) as model:
        assert (model.name, model.window) == ("smollm2", 2_048)


@needs_toy
def test_nothing_answers_once_it_has_stopped() -> None:
    with LocalServer(window=512) as stopped:
        host = stopped.base_url.removeprefix("http://").removesuffix("/v1")
        assert _health(host) == 200
    with pytest.raises(OSError, match="refused"):
        _health(host)
    stopped.stop()  # again does nothing


@needs_toy
async def test_who_gives_up_while_it_starts_leaves_nothing_running() -> None:
    async def start() -> None:
        async with local_model():
            raise AssertionError("it was given up before")

    before = _children(os.getpid())
    task = asyncio.create_task(start())
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert _children(os.getpid()) == before


RUN = """
import sys, time
from unabridged.models.local.server import LocalServer
with LocalServer(window=512) as server:
    print(server.base_url, flush=True)
    time.sleep(600)
"""


@needs_toy
def test_it_ends_with_the_program_that_started_it_however_that_ended() -> None:
    command = [sys.executable, "-c", RUN]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        host = program.stdout.readline().strip().removeprefix("http://").removesuffix("/v1")
        assert _health(host) == 200
        program.kill()
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            _health(host)
        except OSError:
            return
        time.sleep(0.05)
    raise AssertionError("the server outlived its program")


def _health(host: str) -> int:
    connection = http.client.HTTPConnection(host, timeout=5)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status
    finally:
        connection.close()


def _children(process: int) -> list[str]:
    """Command lines of what a process started and that runs `child.py`."""
    found = subprocess.run(["ps", "-o", "args=", "--ppid", str(process)], capture_output=True, text=True, check=False)
    return [line for line in found.stdout.splitlines() if "child.py" in line]
