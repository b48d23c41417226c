"""Log lines: what stands in them, and what never does."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import re
import time
from collections.abc import Generator, Iterator
from typing import Any

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.server.scene import Scene, application, scene
from unabridged.redact import redacted
from unabridged.server import logs
from unabridged.server.app import create_app
from unabridged.server.config import ServerConfig
from unabridged.store import open_store
from unabridged.testing.models import Failure, Scripted
from unabridged.testing.provider import FakeProvider

PLAN = "my plan is rhubarb"
WORDS = st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", min_size=32, max_size=48)
OURS = WORDS.map(lambda word: f"ub_{word}")
KEYS = st.one_of(
    OURS,
    WORDS.map(lambda word: f"sk-proj1-{word}"),
    WORDS.map(lambda word: f"ghp_{word}"),
    WORDS.map(lambda word: f"AIza{word}"),
    st.from_regex(r"eyJ[\w-]{20}\.eyJ[\w-]{20}\.[\w-]{20}", fullmatch=True).filter(str.isascii),
).filter(lambda key: key not in redacted(key) or key.startswith("ub_"))


@contextlib.contextmanager
def writing(*, json: bool = True, level: str = "info") -> Generator[io.StringIO]:
    """Have all logs of the process in a text, as `unabridged serve` has them on stderr."""
    root, ours = logging.getLogger(), logging.getLogger(logs.OURS)
    before = root.handlers[:], root.level, ours.level
    text = io.StringIO()
    logs.set_up(json=json, level=level, stream=text)
    try:
        yield text
    finally:
        root.handlers[:], root.level, ours.level = before
        ours.manager._clear_cache()  # type: ignore[attr-defined]  # levels are remembered by every logger


def whole(text: io.StringIO, requests: int, *, sign: str = "unabridged.access") -> str:
    """Give all lines, once those of so many requests are there: each is written when its answer is gone."""
    ends = time.monotonic() + 10
    while text.getvalue().count(sign) < requests:
        assert time.monotonic() < ends, text.getvalue()
        time.sleep(0.005)
    return text.getvalue()


@pytest.fixture(scope="module")
def running() -> Iterator[Scene]:
    with open_store(":memory:") as store, scene(store, FakeProvider(Scripted([]), window=64_000)) as served:
        yield served


@settings(max_examples=25)
@given(key=KEYS, other=KEYS)
def test_no_key_is_in_any_line_wherever_it_was_sent(running: Scene, key: str, other: str) -> None:
    with writing(level="debug") as text, running.client(key) as http:
        http.get(f"/chat/sessions/{key}/turns/1?api_key={other}", headers={"X-Project": other, "X-Request-Id": other})
        http.post("/chat", json={"message": f"my key is {key}"}, headers={"Idempotency-Key": other})
        http.get(f"/{key}")
        with running.client() as mine:
            mine.post(f"/chat?key={other}", json={"message": f"Use {key}", "title": other, "stream": False})
            mine.post("/chat", json={"message": [key], key: other})
        logging.getLogger("unabridged.server").warning("given was %s at https://me:%s@example.com/", key, other)

        lines = whole(text, 5)

    assert key not in lines
    assert other not in lines


@given(st.text("abcdefgh0123456789!$%*+=", min_size=6, max_size=30))
def test_a_password_of_a_url_is_in_no_line(password: str) -> None:
    with writing(json=False) as text:
        logging.getLogger("unabridged.server").error("no answer of postgresql://somebody:%s@db-1:5432/chat", password)

    assert f":{password}@" not in text.getvalue()
    assert "db-1:5432/chat" in text.getvalue()


def test_no_word_of_a_user_is_in_a_line_of_info_or_above(running: Scene) -> None:
    with writing() as text, running.client() as http:
        http.post("/chat", json={"message": "My secret plan is rhubarb", "title": "rhubarb", "stream": False})
        http.post("/chat", json={"message": "rhubarb", "session_id": "s", "nonsense": "rhubarb"})
        http.get("/rhubarb?q=rhubarb")
        lines = whole(text, 3)

    assert "rhubarb" not in lines


def test_what_a_provider_says_of_a_users_text_is_in_no_line() -> None:
    refusal = Failure(status=400, says="invalid value: 'My secret plan is rhubarb'", kind="invalid_request_error")
    with (
        open_store(":memory:") as store,
        scene(store, FakeProvider(Scripted([refusal] * 5))) as served,
        writing() as text,
    ):
        end = served.frames("/chat", {"message": "My secret plan is rhubarb"})[-1]
        lines = whole(text, 1)

    assert end.data["status"] == "failed"
    assert "model error other (status 400)" in lines
    assert "rhubarb" not in lines


def test_a_line_of_a_request_says_who_what_and_how_long(running: Scene) -> None:
    with writing() as text, running.client() as http:
        http.post("/chat", json={"message": "Hello", "stream": False}, headers={"X-Request-Id": "mine-1"})
        http.get("/healthz")
        lines = whole(text, 1)

    (line,) = map(json.loads, lines.splitlines())
    assert line.pop("ms") >= 0
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", line.pop("time"))
    assert line == {
        "level": "info",
        "logger": "unabridged.access",
        "message": "POST /chat 200",
        "method": "POST",
        "route": "/chat",
        "status": 200,
        "project": "home",
        "request": "mine-1",
    }


def test_a_line_for_people_says_the_same(running: Scene) -> None:
    with writing(json=False) as text, running.client() as http:
        http.post("/chat", json={"message": "Hello", "stream": False}, headers={"X-Request-Id": "mine-1"})
        lines = whole(text, 1, sign="POST /chat")

    (line,) = lines.splitlines()
    assert re.fullmatch(r"\d\d:\d\d:\d\d INFO    POST /chat 200  ms=\d+ project=home request=mine-1", line)


def test_a_turn_keeps_the_id_of_the_request_that_began_it() -> None:
    failing = FakeProvider(Scripted([Failure(status=401, says="no", kind="authentication_error")] * 5))
    with open_store(":memory:") as store, scene(store, failing) as served, writing() as text:
        served.frames("/chat", {"message": "Hello"}, **{"X-Request-Id": "mine-2"})
        lines = whole(text, 1)

    of_turn = [line for line in map(json.loads, lines.splitlines()) if line["logger"] == "unabridged.server"]
    assert of_turn
    assert {line["request"] for line in of_turn} == {"mine-2"}


@pytest.mark.parametrize(("level", "is_said"), [("info", False), ("debug", True)])
def test_what_an_exception_says_stands_in_no_line_unless_debugging_is_wanted(level: str, is_said: bool) -> None:
    with open_store(":memory:") as store:
        app = create_app(ServerConfig(), store)

        @app.get("/broken")
        def broken() -> None:
            try:
                int(PLAN)
            except ValueError as error:
                raise RuntimeError(f"no plan: {error}") from error

        with application(app) as url, writing(level=level) as text:
            httpx2.get(f"{url}/broken", trust_env=False)
            lines = whole(text, 1)

    said = [json.loads(line) for line in lines.splitlines()]
    (fault,) = [line for line in said if line["level"] == "error"]
    assert fault["message"] == "GET /broken: RuntimeError"
    assert "in broken" in fault["trace"]
    assert fault["trace"].index("ValueError") < fault["trace"].index("RuntimeError")
    assert (PLAN in lines) is is_said


@given(st.dictionaries(st.sampled_from(["a", "b"]), st.text() | st.integers() | st.none()), st.text())
def test_a_line_of_json_is_one_line_whatever_it_says(fields: dict[str, Any], said: str) -> None:
    with writing() as text:
        logging.getLogger("unabridged.server").info("%s", said, extra={"fields": fields})

    assert text.getvalue().count("\n") == 1
    assert json.loads(text.getvalue())["level"] == "info"
