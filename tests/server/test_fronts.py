"""What stands before the routes, as a client sees it: sizes, origins, hosts, headers, ids."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Generator, Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from tests.server.scene import Scene, application, scene
from unabridged.store import open_store
from unabridged.testing.models import Scripted
from unabridged.testing.provider import FakeProvider

MOST = 2_000
PAGE = "https://app.example.com"


@contextlib.contextmanager
def served(**config: Any) -> Generator[Scene]:
    with open_store(":memory:") as store, scene(store, FakeProvider(Scripted([]), window=8_000), **config) as running:
        yield running


def pieces(size: int, of: int = 100) -> Iterator[bytes]:
    """Give a body in pieces, so that it has no length."""
    yield b'{"stream": false, "message": "'
    for _ in range(size // of):
        yield b"x" * of
    yield b'"}'


def body(size: int) -> bytes:
    """Give the body of a turn that is so large."""
    begins, ends = b'{"stream": false, "message": "', b'"}'
    return begins + b"x" * (size - len(begins) - len(ends)) + ends


@pytest.mark.parametrize(("size", "status"), [(MOST, 200), (MOST + 1, 413), (100 * MOST, 413)])
def test_a_body_is_as_large_as_the_configuration_says_and_no_larger(size: int, status: int) -> None:
    with served(max_body=MOST) as running, running.client() as http:
        answer = http.post("/chat", content=body(size), headers={"Content-Type": "application/json"})
        next_one = http.get("/healthz")

    assert answer.status_code == status
    assert (answer.json().get("error") or {"code": None})["code"] == (None if status == 200 else "too_large")
    assert next_one.status_code == 200


@pytest.mark.parametrize(("size", "status"), [(1_500, 200), (2_500, 413), (500_000, 413)])
def test_a_body_without_a_length_is_counted_as_it_comes(size: int, status: int) -> None:
    with served(max_body=MOST) as running, running.client() as http:
        answer = http.post("/chat", content=pieces(size), headers={"Content-Type": "application/json"})
        next_one = http.get("/healthz")

    assert answer.status_code == status
    assert status == 200 or answer.json()["error"]["code"] == "too_large"
    assert next_one.status_code == 200


def test_an_endless_body_is_refused_before_its_end() -> None:
    with served(max_body=MOST) as running, socket.create_connection(_place(running.url), timeout=10) as line:
        line.sendall(b"POST /chat HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n")
        line.sendall(b"Authorization: Bearer %b\r\n\r\n" % running.key.encode())
        for _ in range(40):
            line.sendall(b"64\r\n" + b"x" * 100 + b"\r\n")
        answer = line.recv(4_096)

    assert answer.startswith(b"HTTP/1.1 413")


def test_a_body_that_names_a_length_too_large_is_refused_before_it_is_sent() -> None:
    with served(max_body=MOST) as running, socket.create_connection(_place(running.url), timeout=10) as line:
        line.sendall(b"POST /chat HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\nExpect: 100-continue\r\n\r\n")
        answer = line.recv(4_096)

    assert answer.startswith(b"HTTP/1.1 413")


def test_uploads_have_a_limit_of_their_own() -> None:
    with served(max_body=MOST, max_upload=1_000_000) as running, running.client() as http:
        taken = http.post("/chat/media", content=b"%PDF-1.4\n" + b"x" * 100_000)
        refused = http.post("/chat/media", content=b"%PDF-1.4\n" + b"x" * 2_000_000)

    assert taken.status_code != 413
    assert (refused.status_code, refused.json()["error"]["code"]) == (413, "too_large")


def _place(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or 0


def preflight(running: Scene, origin: str, method: str = "POST", header: str = "authorization") -> httpx2.Response:
    asked = {"Origin": origin, "Access-Control-Request-Method": method, "Access-Control-Request-Headers": header}
    return httpx2.options(f"{running.url}/chat", headers=asked, trust_env=False)


@pytest.mark.parametrize("header", ["authorization", "idempotency-key", "last-event-id", "if-match", "x-project"])
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_a_page_of_the_configuration_may_ask(cors: Scene, method: str, header: str) -> None:
    answer = preflight(cors, PAGE, method, header)

    assert answer.status_code == 200
    assert answer.headers["Access-Control-Allow-Origin"] == PAGE
    assert "Access-Control-Allow-Credentials" not in answer.headers


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", f"{PAGE}.evil.example", "http://app.example.com", f"{PAGE}:8443", "null", PAGE.upper()],
)
def test_no_other_page_may(cors: Scene, origin: str) -> None:
    asked = preflight(cors, origin)
    answer = httpx2.get(f"{cors.url}/healthz", headers={"Origin": origin}, trust_env=False)

    assert asked.status_code == 400
    assert "Access-Control-Allow-Origin" not in asked.headers
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_a_page_may_not_send_whatever_it_likes(cors: Scene) -> None:
    assert preflight(cors, PAGE, header="x-something").status_code == 400
    assert preflight(cors, PAGE, method="TRACE").status_code == 400


def test_a_page_can_read_what_an_answer_says_beside_its_body_also_of_an_error(cors: Scene) -> None:
    for path in ("/healthz", "/chat/sessions/none/turns/1", "/nowhere"):
        answer = httpx2.get(f"{cors.url}{path}", headers={"Origin": PAGE}, trust_env=False)
        assert answer.headers["Access-Control-Allow-Origin"] == PAGE
        assert "X-Session-Id" in answer.headers["Access-Control-Expose-Headers"]


def test_without_a_configuration_no_page_may() -> None:
    with served() as running:
        answer = preflight(running, PAGE)

    assert "Access-Control-Allow-Origin" not in answer.headers


@pytest.fixture(scope="module")
def cors() -> Iterator[Scene]:
    with served(cors=(PAGE,)) as running:
        yield running


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("chat.example.com", 200),
        ("CHAT.example.com:8484", 200),
        ("a.b.example.org", 200),
        ("example.org", 400),
        ("evil.example", 400),
        ("chat.example.com.evil.example", 400),
        ("127.0.0.1", 400),
    ],
)
def test_a_server_with_names_is_asked_by_them(host: str, status: int) -> None:
    with served(hosts=("chat.example.com", "*.example.org")) as running:
        answer = httpx2.get(f"{running.url}/openapi.json", headers={"Host": host}, trust_env=False)
        probe = httpx2.get(f"{running.url}/readyz", headers={"Host": host}, trust_env=False)

    assert answer.status_code == status
    assert status == 200 or answer.json()["error"]["code"] == "bad_host"
    assert probe.status_code == 200


def test_every_answer_is_kept_by_nobody_and_stands_in_no_other_page() -> None:
    with served(max_body=MOST) as running, running.client() as http:
        answers = [
            http.get("/healthz"),
            http.get("/nowhere"),
            http.post("/healthz"),
            http.post("/chat", json={"message": "Hello"}),
            http.post("/chat", json={}),
            http.post("/chat", content=b"x" * 5_000),
        ]

    assert [answer.status_code for answer in answers] == [200, 404, 405, 200, 422, 413]
    for answer in answers:
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Content-Security-Policy"] == "frame-ancestors 'none'"


def test_a_request_has_the_id_that_its_client_gave_or_a_new_one() -> None:
    with served() as running:
        known = {
            name: _id(running, name) for name in ("mine-1", "a" * 64, "a" * 65, "two words", "", "ub_" + "a1" * 20)
        }
        first, second = _id(running, None), _id(running, None)

    kept = {name for name, id in known.items() if name == id}
    assert kept == {"mine-1", "a" * 64}
    assert all(len(id) == 32 for name, id in known.items() if name not in kept)
    assert first != second


def _id(running: Scene, given: str | None) -> str:
    headers = {"X-Request-Id": given} if given is not None else {}
    return httpx2.get(f"{running.url}/healthz", headers=headers, trust_env=False).headers["X-Request-Id"]


def test_a_fault_inside_is_answered_as_every_error_is() -> None:
    from unabridged.server.app import create_app
    from unabridged.server.config import ServerConfig

    with open_store(":memory:") as store:
        app = create_app(ServerConfig(cors=(PAGE,)), store)

        @app.get("/broken")
        def broken() -> None:
            raise RuntimeError("what a user wrote")

        with application(app) as url:
            answer = httpx2.get(f"{url}/broken", headers={"Origin": PAGE}, trust_env=False)

    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "internal")
    assert "user" not in answer.text
    assert answer.headers["X-Request-Id"]
    assert answer.headers["Access-Control-Allow-Origin"] == PAGE
    assert answer.headers["Cache-Control"] == "no-store"
