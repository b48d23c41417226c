"""What embedders give, and what they say when they cannot: the thing, the remedy, and never the key."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from tests.archive.test_archive import SCOPE, Talk
from unabridged.archive import Archive, Embedder, MemoryShelf
from unabridged.archive.packaged import PackagedEmbedder
from unabridged.archive.served import ServedEmbedder
from unabridged.errors import BadSetting, EmbeddingError
from unabridged.log import Log

KEY = "sk-" + "aB3dE5fG7hJ9kL1mN2pQ4rS6"


class Service:
    """A server of embeddings on loopback that answers as it is told to."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.status = 200
        self.answer: Callable[[list[str]], Any] = self.embeddings
        self.url = ""

    def embeddings(self, texts: list[str]) -> Any:
        data = [{"index": at, "embedding": [float(len(text)), 1.0]} for at, text in enumerate(texts)]
        return {"object": "list", "data": data[::-1], "usage": {"total_tokens": 1}}


@pytest.fixture
def service() -> Iterator[Service]:
    told = Service()

    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            told.requests.append({"path": self.path, **asked})
            told.keys.append(self.headers.get("authorization", ""))
            said = told.answer(asked["input"])
            body = said if isinstance(said, bytes) else json.dumps(said).encode()
            self.send_response(told.status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        told.url = f"http://127.0.0.1:{server.server_port}/v1"
        yield told
        server.shutdown()
        thread.join()


def test_a_service_is_asked_as_openai_is(service: Service) -> None:
    embedder: Embedder = ServedEmbedder(service.url, "small", key=KEY, dimensions=2)
    assert embedder.embed(["four", "\ud800"]) == [[4.0, 1.0], [1.0, 1.0]]
    (asked,) = service.requests
    assert asked == {
        "path": "/v1/embeddings",
        "model": "small",
        "input": ["four", "?"],
        "encoding_format": "float",
        "dimensions": 2,
    }
    assert service.keys == [f"Bearer {KEY}"]


def test_many_texts_are_asked_for_in_several_requests(service: Service) -> None:
    texts = ["x" * length for length in range(1, 201)]
    found = ServedEmbedder(service.url, "small").embed(texts)
    assert [vector[0] for vector in found] == list(range(1, 201))
    assert [len(each["input"]) for each in service.requests] == [64, 64, 64, 8]
    assert service.keys == [""] * 4


def test_other_settings_are_another_embedder(service: Service) -> None:
    names = {ServedEmbedder(service.url, *each).name for each in (("a",), ("b",))}
    assert len(names | {ServedEmbedder(service.url, "a", dimensions=8).name}) == 3


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (b"<html>", "no embeddings"),
        ({"error": "no"}, "no embeddings"),
        ({"data": []}, "0 vectors for 2 texts"),
        ({"data": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}]}, "2 vectors for 2 texts"),
        ({"data": [{"index": 0, "embedding": []}, {"index": 1, "embedding": []}]}, "without numbers"),
        ({"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}]}, "different lengths"),
        (b'{"data": [{"index": 0, "embedding": [NaN]}, {"index": 1, "embedding": [1.0]}]}', "no embeddings"),
    ],
)
def test_a_wrong_answer_is_said_to_be_one(service: Service, answer: Any, says: str) -> None:
    service.answer = lambda _: answer
    with pytest.raises(EmbeddingError, match=says) as error:
        ServedEmbedder(service.url, "small", key=KEY).embed(["a", "b"])
    assert "small" in str(error.value)
    assert error.value.embedder == "small"


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_a_refusal_is_quoted_without_the_key(service: Service, status: int) -> None:
    service.status, service.answer = status, lambda _: {"error": f"the key {KEY} is not known, nor is plainkey here"}
    for key in (KEY, "plainkey"):
        with pytest.raises(EmbeddingError, match=str(status)) as error:
            ServedEmbedder(service.url, "small", key=key).embed(["a"])
        assert "is not known" in str(error.value)
        assert key not in str(error.value)
        assert error.value.__cause__ is None
        assert error.value.__suppress_context__


def test_a_service_that_is_not_there_is_named(service: Service) -> None:
    embedder = ServedEmbedder("http://127.0.0.1:9/v1", "small", key=KEY)
    with pytest.raises(EmbeddingError, match=r"'small' at 127\.0\.0\.1 was not reached") as error:
        embedder.embed(["a"])
    assert KEY not in f"{error.value}{embedder!r}"


@pytest.mark.parametrize("address", ["", "host/v1", "ftp://host/v1", "http:///v1", f"https://me:{KEY}@host/v1"])
def test_an_address_that_cannot_work_is_refused_at_once(address: str) -> None:
    with pytest.raises(BadSetting, match="base_url") as error:
        ServedEmbedder(address, "small")
    assert KEY not in str(error.value)


def test_secrets_do_not_go_to_a_service(service: Service) -> None:
    talk = Talk(MemoryShelf(), Log())
    talk.archive = Archive(MemoryShelf(), ServedEmbedder(service.url, "small"))
    talk.say(f"my key is {KEY}", "and that was it")
    talk.leave()
    assert talk.archive.catch_up(talk.transcript.records, scope=SCOPE) == 2
    assert talk.found(f"what is {KEY} for?")
    sent = json.dumps(service.requests)
    assert "my key is" in sent
    assert KEY not in sent


def test_a_service_that_goes_away_leaves_the_words_and_is_not_waited_for_again(service: Service) -> None:
    talk = Talk(MemoryShelf(), Log())
    talk.archive = Archive(MemoryShelf(), ServedEmbedder(service.url, "small"))
    talk.say("one kite", "two kites")
    talk.leave()
    talk.archive.catch_up(talk.transcript.records, scope=SCOPE)
    service.status = 503
    before = len(service.requests)
    for _ in range(5):
        assert sorted(talk.found("which kites were red?")) == ["one kite", "two kites"]
    assert len(service.requests) == before + 1
    assert isinstance(talk.archive.problem, EmbeddingError)


def test_the_packaged_model_finds_across_languages() -> None:
    talk = Talk(MemoryShelf(), Log())
    talk.archive = Archive(MemoryShelf(), PackagedEmbedder())
    said = (
        "我昨天把自行车停在火车站后面了。",
        "Der Zahnarzt will zwei Füllungen erneuern.",
        "Kız kardeşim İzmir'e taşınıyor.",
    )
    talk.say(*(text for each in said for text in (each, "…\ud800")))
    talk.leave()
    assert talk.archive.catch_up(talk.transcript.records, scope=SCOPE) == 6
    asked = ("Where did I park my bicycle?", "What has to be done to my teeth?", "Which city is my sister moving to?")
    assert all(text in talk.found(query, 2) for query, text in zip(asked, said, strict=True))
    vector, same = PackagedEmbedder().embed(["a kite", "a kite"])
    assert vector == same
    assert len(vector) == 512
