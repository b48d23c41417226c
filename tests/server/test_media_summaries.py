"""What leaves the view is summed up by a model that is shown the pictures of it, those that came as uploads too."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.scene import Scene, scene
from tests.summarizer.models import GOOD
from unabridged.server.config import ModelConfig
from unabridged.store import Store, open_store
from unabridged.testing import Asked, FakeProvider, Reply
from unabridged.testing.pictures import png
from unabridged.testing.provider import serving

PICTURES = [png(700, 500, "harbour"), png(640, 480, "crane")]
DIGESTS = [hashlib.sha256(picture).hexdigest() for picture in PICTURES]


class Talker:
    """Talks at length, and sums up when it is asked to; keeps which pictures it was shown for that."""

    def __init__(self) -> None:
        self.shown: list[list[bytes]] = []
        """By the requests for a summary."""
        self.talked: list[list[bytes]] = []
        """By the other ones."""

    def reply(self, asked: Asked) -> Reply:
        pictures = pictures_in(asked.body)
        if "minutes of conversations" in json.dumps(asked.body["messages"][0]):
            self.shown.append(pictures)
            return Reply(text=GOOD)
        self.talked.append(pictures)
        return Reply(text="word " * 900)


def pictures_in(body: Any) -> list[bytes]:
    contents = [message["content"] for message in body["messages"] if isinstance(message["content"], list)]
    urls = [block["image_url"]["url"] for content in contents for block in content if block["type"] == "image_url"]
    return [base64.b64decode(url.partition("base64,")[2]) for url in urls]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "server.db", synchronous="NORMAL") as opened:
        yield opened


def settings(**policy: Any) -> dict[str, Any]:
    return {"policy": {"strategy": "summarize", "summarizerTimeoutS": 20, **policy}}


def talk_until_it_is_full(at: Scene) -> tuple[str, dict[str, Any]]:
    """Show two pictures early in a session, and go on until something had to leave; gives the session, and how."""
    with at.client() as client:
        for picture in PICTURES:
            assert client.post("/chat/media", content=picture).status_code == 201
        begun = client.post("/chat", json={"message": "Keep the harbour in order.", "stream": False})
        session = begun.headers["x-session-id"]
        for digest in DIGESTS:
            parts = [{"type": "text", "text": "What is this?"}, {"type": "media", "digest": digest}]
            taken = client.post(f"/chat/sessions/{session}/turns", json={"message": parts, "stream": False})
            assert taken.json()["status"] == "completed"
        for number in range(30):
            body = {"message": f"{number}: " + "river " * 300, "stream": False}
            end = client.post(f"/chat/sessions/{session}/turns", json=body).json()
            assert end["status"] == "completed"
            done = [report for report in end["context"] if report["phase"] == "done"]
            if done:
                return session, done[0]
    raise AssertionError("nothing had to leave")


def test_the_pictures_that_leave_are_shown_to_who_sums_them_up(store: Store) -> None:
    model = Talker()
    with scene(store, FakeProvider(model, window=16_000), settings()) as at:
        session, report = talk_until_it_is_full(at)
        assert report["resolved_by"] == "summarize"
        assert [picture for shown in model.shown for picture in shown] == PICTURES
        assert model.talked[-2] == PICTURES  # until then the model saw them, and now the summary stands for them
        assert model.talked[-1] == []
        with at.client() as client:  # and nothing is lost
            for digest, picture in zip(DIGESTS, PICTURES, strict=True):
                assert client.get(f"/chat/sessions/{session}/media/{digest}").content == picture


def test_a_model_without_eyes_sums_up_without_them(store: Store) -> None:
    """The pictures came with a model that sees; the one that writes the summaries is told of them in words."""
    model, scribe = Talker(), Talker()
    with (
        serving(FakeProvider(scribe, window=16_000)) as elsewhere,
        serving(provider := FakeProvider(model, window=16_000)) as here,
    ):
        models = {
            name: ModelConfig(model="m", provider="openai_chat", base_url=f"{url}/v1", window=16_000, sees=sees)
            for name, url, sees in (("chat", here, True), ("scribe", elsewhere, False))
        }
        with scene(store, provider, settings(summaryModel="scribe"), models=models) as at:
            _, report = talk_until_it_is_full(at)
    assert report["resolved_by"] == "summarize"
    assert scribe.shown
    assert [picture for shown in scribe.shown for picture in shown] == []
