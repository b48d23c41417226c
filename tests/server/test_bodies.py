"""What a client may send that no database and no provider takes: it is made whole, or refused with its place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.server.scene import Scene, scene
from unabridged.store import open_store
from unabridged.testing import FakeProvider, Reply, Scripted
from unabridged.testing.models import Call

HALF = "\\ud83d"
LOOKS = Reply(calls=(Call("look", "{}", id="c1"),))


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Scene]:
    provider = FakeProvider(Scripted([LOOKS, "Seen.", "And once more."]), window=32_000)
    with (
        open_store(tmp_path / "server.db") as store,
        scene(store, provider, {"clientTools": [{"name": "look"}]}) as at,
    ):
        yield at


def posted(client: httpx2.Client, path: str, text: str) -> httpx2.Response:
    return client.post(path, content=text.encode(), headers={"Content-Type": "application/json"})


def test_half_a_pair_becomes_a_sign_that_everybody_takes(served: Scene) -> None:
    with served.client() as client:
        body = f'{{"message": "wave {HALF} and {HALF}\\ude00", "title": "{HALF}", "stream": false}}'
        first = posted(client, "/chat", body)
        assert (first.status_code, first.json()["status"]) == (200, "awaiting_tools")
        at = f"/chat/sessions/{first.json()['session_id']}"
        given = f'{{"tool_results": [{{"call_id": "c1", "output": "cut {HALF}"}}], "stream": false}}'
        assert posted(client, f"{at}/turns", given).json()["status"] == "completed"

        said = [message["parts"][0] for message in client.get(f"{at}/messages").json()["messages"]]
        assert said[0]["text"] == "wave \ufffd and \U0001f600"
        assert "cut \ufffd" in str(said[2])
        assert client.get(at).json()["title"] == "\ufffd"


@pytest.mark.parametrize("path", ["turns/{n}", "turns/{n}/events", "turns/1/events?after={n}", "context/steps/{n}"])
@pytest.mark.parametrize("number", [2**63, 10**30])
def test_a_number_that_no_database_takes_is_refused(served: Scene, path: str, number: int) -> None:
    with served.client() as client:
        session = client.post("/chat", json={"message": "Hello", "stream": False}).json()["session_id"]
        answer = client.get(f"/chat/sessions/{session}/{path.format(n=number)}")
        assert answer.status_code in (404, 422)
        assert answer.json()["error"]["code"] in ("not_found", "bad_input")
