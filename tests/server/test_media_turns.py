"""Turns that show something, over HTTP, on each engine."""

from __future__ import annotations

import base64
import hashlib
import os
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from tests.server.media_scene import ENGINES, pdf, wav
from tests.server.scene import Scene, scene
from tests.store.databases import server_of_run
from unabridged.store import Store, open_store
from unabridged.testing import FakeProvider, Scripted
from unabridged.testing.pictures import png

PICTURE = png(300, 200, "shown")
DIGEST = hashlib.sha256(PICTURE).hexdigest()
URL = "data:image/png;base64," + base64.b64encode(PICTURE).decode()


@pytest.fixture(scope="module", params=ENGINES)
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    if request.param == "sqlite":
        with open_store(tmp_path_factory.mktemp("turns") / "server.db", synchronous="NORMAL") as opened:
            yield opened
        return
    run = f"process-{os.getpid()}"
    with server_of_run(run) as server, server.database() as place, open_store(place) as opened:
        yield opened


@pytest.fixture(scope="module")
def at(store: Store) -> Iterator[Scene]:
    with scene(store, FakeProvider(Scripted([]), window=32_000)) as opened:
        yield opened


fetched: list[str] = []


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            fetched.append(self.path)
            self.send_response(200)
            self.send_header("Content-Length", str(len(PICTURE)))
            self.end_headers()
            self.wfile.write(PICTURE)

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def ask(at: Scene, path: str, *parts: dict[str, Any], key: str | None = None) -> Any:
    with at.client(key) as client:
        return client.post(path, json={"message": list(parts), "stream": False})


def blocks(at: Scene) -> list[dict[str, Any]]:
    """Give what the model was sent last, block by block."""
    contents = [message["content"] for message in at.provider.served[-1].body["messages"]]
    return [block for content in contents if isinstance(content, list) for block in content]


def test_an_upload_is_shown_before_what_is_said_of_it(at: Scene) -> None:
    with at.client() as client:
        client.post("/chat/media", content=PICTURE)
    answer = ask(at, "/chat", {"type": "text", "text": "What is it?"}, {"type": "media", "digest": DIGEST})
    assert answer.json()["status"] == "completed"
    assert blocks(at) == [
        {"type": "image_url", "image_url": {"url": URL}},
        {"type": "text", "text": "What is it?"},
    ]


def test_a_url_is_asked_once_and_no_provider_hears_of_it(at: Scene, site: str) -> None:
    fetched.clear()
    answer = ask(at, "/chat", {"type": "media", "url": f"{site}/once.png"})
    session = answer.headers["x-session-id"]
    assert answer.json()["status"] == "completed"
    assert blocks(at) == [{"type": "image_url", "image_url": {"url": URL}}]
    ask(at, f"/chat/sessions/{session}/turns", {"type": "text", "text": "And now?"})
    assert blocks(at)[0] == {"type": "image_url", "image_url": {"url": URL}}
    assert fetched == ["/once.png"]
    assert site not in str([served.body for served in at.provider.served])


def test_what_a_session_showed_is_shown_again_after_its_upload_expired(at: Scene) -> None:
    with at.client() as client:
        client.post("/chat/media", content=PICTURE)
    session = ask(at, "/chat", {"type": "media", "digest": DIGEST}).headers["x-session-id"]
    at.services.media.uploads.sweep(time.time() + 1_000_000)
    again = {"type": "media", "digest": DIGEST}
    assert ask(at, f"/chat/sessions/{session}/turns", again).json()["status"] == "completed"
    assert [block["image_url"]["url"] for block in blocks(at)] == [URL, URL]
    refused = ask(at, "/chat", again)
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "no_such_media")


@pytest.mark.parametrize(
    ("part", "code"),
    [
        ({"digest": "0" * 64}, "no_such_media"),
        ({"url": "file:///etc/passwd"}, "url_refused"),
        ({"url": "http://127.0.0.1:1/a.png"}, "url_failed"),
        ({}, "bad_input"),
        ({"digest": DIGEST, "url": "http://a.example/"}, "bad_input"),
    ],
)
def test_what_cannot_be_shown_is_said_before_anything_begins(at: Scene, part: dict[str, str], code: str) -> None:
    before = at.services.store.database.rows("SELECT count(*) FROM sessions")
    answer = ask(at, "/chat", {"type": "media", **part})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, code)
    assert at.services.store.database.rows("SELECT count(*) FROM sessions") == before


def test_documents_and_recordings_are_shown_as_the_api_takes_them(at: Scene) -> None:
    with at.client() as client:
        digests = [client.post("/chat/media", content=data).json()["digest"] for data in (pdf(2), wav(1))]
    assert ask(at, "/chat", *[{"type": "media", "digest": each} for each in digests]).json()["status"] == "completed"
    assert [block["type"] for block in blocks(at)] == ["file", "input_audio"]
