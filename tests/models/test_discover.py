"""Looking for servers of models: what they are, what they say of windows, and who is never asked."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.models.fake_servers import KEYS, LLAMA_CPP, LM_STUDIO, OLLAMA, VLLM, answering
from unabridged.errors import BadInput
from unabridged.models.discover import WITHIN_S, discover, find_servers
from unabridged.models.served import FoundModel, FoundServer, Kind
from unabridged.testing.provider.serving import serving


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)


def found(routes: dict[str, Any], **options: Any) -> FoundServer | None:
    with serving(answering(routes, **options)) as url:
        servers = find_servers([url], usual=False)
        assert all(server.base_url == url for server in servers)
    return servers[0] if servers else None


def test_llama_cpp_says_how_large_the_window_of_a_slot_is() -> None:
    server = found(LLAMA_CPP)

    assert server is not None
    assert (server.kind, server.wants_key) == (Kind.LLAMA_CPP, False)
    assert server.models == (FoundModel(name="toy", window=2048, trained=8192, loaded=True),)


def test_ollama_gives_a_loaded_model_less_than_it_was_trained_for_and_hides_the_rest() -> None:
    server = found(OLLAMA)

    assert server is not None
    assert server.kind is Kind.OLLAMA
    assert server.models == (
        FoundModel(name="qwen3:8b", window=4096, trained=40960, loaded=True),
        FoundModel(name="coder:latest", window=16384, trained=131072, loaded=False),
        FoundModel(name="llama3.1:8b", window=None, trained=131072, loaded=False),
    )


def test_lm_studio_says_it_of_what_is_loaded_and_embedders_cannot_talk() -> None:
    server = found(LM_STUDIO)

    assert server is not None
    assert server.kind is Kind.LM_STUDIO
    assert server.models == (
        FoundModel(name="gemma-3", window=8192, trained=131072, loaded=True),
        FoundModel(name="qwen3-4b", window=None, trained=40960, loaded=False),
    )


def test_vllm_says_it_in_the_list() -> None:
    server = found(VLLM)

    assert server is not None
    assert (server.kind, server.models) == (Kind.VLLM, (FoundModel(name="meta/llama", window=32768, loaded=True),))


def test_another_server_that_lists_models_is_found_without_windows() -> None:
    server = found({"/v1/models": {"data": [{"id": "some/model"}]}})

    assert server is not None
    assert (server.kind, server.models) == (Kind.OTHER, (FoundModel(name="some/model"),))


@pytest.mark.parametrize("tokens", [0, -1])
def test_a_size_of_nothing_is_none(tokens: int) -> None:
    for routes in (
        {"/props": {"default_generation_settings": {"n_ctx": tokens}}},
        {"/api/v0/models": {"data": [{"id": "m", "state": "loaded", "loaded_context_length": tokens}]}},
        {"/api/ps": {"models": [{"model": "m", "context_length": tokens}]}},
        {"/v1/models": {"data": [{"id": "m", "max_model_len": tokens, "owned_by": "vllm"}]}},
    ):
        server = found({"/v1/models": {"data": [{"id": "m"}]}, **routes})
        assert server is not None
        assert [model.window for model in server.models] == [None]


def test_a_server_without_a_model_yet_is_found() -> None:
    server = found({"/v1/models": {"object": "list", "data": None}, "/api/ps": {"models": []}})

    assert server is not None
    assert (server.kind, server.models) == (Kind.OLLAMA, ())


def test_a_server_that_wants_a_key_is_named_and_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    asked: list[dict[str, Any]] = []
    server = found({}, missing=401, asked=asked)

    assert server is not None
    assert (server.wants_key, server.models) == (True, ())
    assert asked
    assert "secret" not in str(asked)


@pytest.mark.parametrize(
    "body",
    [
        {"data": "none"},
        {"models": []},
        {"data": [{"name": "no id"}]},
        b"<html>a page</html>",
        b"\xff\xfe",
        b"[" * 100_000,
        b"",
    ],
    ids=["a word", "another list", "no id", "a page", "no text", "deep", "empty"],
)
def test_what_else_listens_on_a_port_is_no_server_of_models(body: Any) -> None:
    assert found({"/v1/models": body}) is None


def test_details_that_cannot_be_read_cost_only_the_details() -> None:
    server = found(LLAMA_CPP | {"/props": {"default_generation_settings": {"n_ctx": "many"}}})

    assert server is not None
    assert (server.kind, server.models[0].window) == (Kind.OTHER, None)


def test_everything_together_takes_half_a_second_however_slow_the_servers_are() -> None:
    find_servers([], usual=False)  # what is imported once
    with (
        serving(answering(VLLM)) as quick,
        serving(answering(VLLM, wait_s=1.2)) as slow,
        serving(answering(OLLAMA, wait_s=0.2)) as slower,
    ):
        started = time.monotonic()
        servers = find_servers([slow, quick, slower, "http://127.0.0.1:9"], usual=False)
        took = time.monotonic() - started

    assert [server.base_url for server in servers] == [quick, slower]
    assert took < WITHIN_S + 0.3  # the machine may be busy


def test_an_address_of_the_environment_is_asked_when_it_is_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(answering(OLLAMA)) as one, serving(answering(VLLM)) as other:
        monkeypatch.setenv("OLLAMA_HOST", one.removeprefix("http://").replace("127.0.0.1", "0.0.0.0"))
        monkeypatch.setenv("OPENAI_BASE_URL", f"{other}/v1/")
        urls = [server.base_url for server in find_servers()]

    assert {one, other} <= set(urls)
    assert len(urls) == len(set(urls))


@pytest.mark.parametrize(
    "address", ["http://192.0.2.1:11434", "http://models.example/v1", "http://[", "ftp://127.0.0.1"]
)
def test_an_address_of_the_environment_elsewhere_is_never_asked(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("OLLAMA_HOST", address)
    monkeypatch.setenv("OPENAI_BASE_URL", address)

    assert all(server.base_url.startswith("http://127.0.0.1:") for server in find_servers())


def test_a_proxy_of_the_environment_sees_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []
    with serving(answering(VLLM, asked=asked)) as proxy, serving(answering(OLLAMA)) as url:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        (server,) = find_servers([url], usual=False)

    assert server.kind is Kind.OLLAMA
    assert asked == []


def test_a_redirect_is_not_followed() -> None:
    asked: list[dict[str, Any]] = []
    with serving(answering(VLLM, asked=asked)) as target:

        async def app(scope: Any, receive: Any, send: Any) -> None:
            headers = [(b"location", f"{target}/v1/models".encode())]
            await send({"type": "http.response.start", "status": 302, "headers": headers})
            await send({"type": "http.response.body", "body": b""})

        with serving(app) as url:
            assert find_servers([url], usual=False) == []
    assert asked == []


@pytest.mark.parametrize("named", ["", "http://", "ftp://host", "http://host:port", "http://["])
def test_a_name_that_is_no_address_is_refused(named: str) -> None:
    with pytest.raises(BadInput, match="is no address"):
        find_servers([named], usual=False)


async def test_it_can_be_awaited_and_called_inside_a_loop_as_well() -> None:
    with serving(answering(VLLM)) as url:
        awaited = await discover([f"{url}/v1"], usual=False)
        called = find_servers([url], usual=False)

    assert awaited == called
    assert len(called) == 1
