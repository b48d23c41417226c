"""Which model is used when nobody says: each way to one, and what is said where there is none."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.models.fake_servers import KEYS, LM_STUDIO, answering
from unabridged.errors import BadInput
from unabridged.models import defaults
from unabridged.models.connect import connect
from unabridged.models.defaults import Chosen, Why, default_model, opened
from unabridged.models.discover import find_servers
from unabridged.models.keys import PROVIDERS
from unabridged.models.local.weights import SMOLLM2
from unabridged.models.model import ModelError
from unabridged.models.served import FoundModel, FoundServer, Kind
from unabridged.testing.provider.serving import serving

SERVER = FoundServer(
    kind=Kind.OLLAMA,
    base_url="http://127.0.0.1:11434",
    models=(
        FoundModel(name="nomic-embed-text", loaded=True),
        FoundModel(name="llama3.1:8b", loaded=False),
        FoundModel(name="qwen3:8b", window=4_096, loaded=True),
    ),
)


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("UNABRIDGED_MODELS", str(tmp_path))


def default_of(name: str) -> Chosen:
    """Give what is chosen where only this provider's key is set, whatever else is."""
    (provider,) = (each for each in PROVIDERS if each.name == name)
    with pytest.MonkeyPatch.context() as within:
        for key in KEYS:
            within.delenv(key, raising=False)
        within.setenv(provider.variables[0], "any")
        return default_model([])


def install_toy() -> None:
    with SMOLLM2.file.open("wb") as file:
        file.truncate(SMOLLM2.size)


def test_a_server_without_a_model_is_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNABRIDGED_MODEL", "@http://127.0.0.1:8000/v1")
    with pytest.raises(BadInput, match="no model"):
        default_model([])


def test_what_the_environment_names_is_used_before_anything_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNABRIDGED_MODEL", "gpt-5-mini")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")

    chosen = default_model([SERVER])
    assert (chosen.name, chosen.why, chosen.provider, chosen.base_url) == ("gpt-5-mini", Why.NAMED, None, None)
    assert chosen.says == "gpt-5-mini, as UNABRIDGED_MODEL says"


def test_the_environment_may_name_a_server_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNABRIDGED_MODEL", "qwen3:8b@http://127.0.0.1:11434/v1")
    chosen = default_model([])
    assert (chosen.name, chosen.provider) == ("qwen3:8b", "openai_chat")
    assert chosen.base_url == "http://127.0.0.1:11434/v1"

    monkeypatch.setenv("UNABRIDGED_MODEL", "claude-sonnet-4-5@20250929")
    assert default_model([]).name == "claude-sonnet-4-5@20250929"
    monkeypatch.setenv("UNABRIDGED_MODEL", "smollm2")
    assert default_model([]).why is Why.LOCAL


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.name)
async def test_a_key_chooses_its_provider_and_the_choice_can_be_connected(
    monkeypatch: pytest.MonkeyPatch, provider
) -> None:
    for variable in provider.variables:
        with monkeypatch.context() as within:
            within.setenv(variable, "secret")
            chosen = default_model([SERVER])
            assert (chosen.name, chosen.why, chosen.variable or variable) == (provider.model, Why.KEY, variable)
            assert variable in chosen.says
            assert "secret" not in str(chosen)
            key = "secret" if chosen.variable else None
            model = connect(chosen.name, provider=chosen.provider, base_url=chosen.base_url, api_key=key)
            await model.close()


async def test_the_choice_is_opened_with_the_key_of_its_own_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPSEEK_API_KEY", "deep")
    monkeypatch.setenv("OPENAI_API_KEY", "other")
    chosen = msgspec.structs.replace(default_of("deepseek"), window=9_000)
    asked: list[dict[str, Any]] = []
    with serving(answering({}, missing=401, asked=asked)) as url:
        async with opened(msgspec.structs.replace(chosen, base_url=f"{url}/v1")) as model:
            with pytest.raises(ModelError):
                async for _ in model.stream(b'{"model":"m","messages":[{"role":"user","content":"Hi"}]}'):
                    pass
    assert (model.name, model.window, model.dialect) == ("deepseek-v4-flash", 9_000, "openai_chat")
    assert {request["headers"]["authorization"] for request in asked} == {"Bearer deep"}


def test_a_key_for_a_server_of_ones_own_chooses_no_model_of_the_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:11434/v1")
    assert default_model([SERVER]).name == "qwen3:8b"

    monkeypatch.setenv("OPENAI_BASE_URL", "https://api.openai.com/v1")
    assert default_model([SERVER]).why is Why.KEY


def test_a_server_is_offered_with_what_answers_soonest_and_how_to_keep_it(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = default_model([SERVER])

    assert (chosen.name, chosen.why, chosen.window) == ("qwen3:8b", Why.SERVER, 4_096)
    assert chosen.base_url == "http://127.0.0.1:11434/v1"
    assert "UNABRIDGED_MODEL=qwen3:8b@http://127.0.0.1:11434/v1" in chosen.says
    monkeypatch.setenv("UNABRIDGED_MODEL", "qwen3:8b@http://127.0.0.1:11434/v1")
    kept = default_model([])
    assert (kept.name, kept.provider, kept.base_url) == (chosen.name, chosen.provider, chosen.base_url)


def test_servers_are_looked_for_where_nobody_has(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(answering(LM_STUDIO)) as url:
        monkeypatch.setenv("OLLAMA_HOST", url)
        if any(server.base_url != url for server in find_servers()):
            monkeypatch.setattr(defaults, "find_servers", lambda: find_servers([url], usual=False))
        chosen = default_model()
    assert (chosen.name, chosen.base_url, chosen.window) == ("gemma-3", f"{url}/v1", 8_192)


NOTHING_TO_USE = [
    FoundServer(kind=Kind.OTHER, base_url="http://127.0.0.1:8000", wants_key=True),
    FoundServer(kind=Kind.OLLAMA, base_url="http://127.0.0.1:11434"),
    FoundServer(kind=Kind.VLLM, base_url="http://127.0.0.1:8000", models=(FoundModel(name="e5-embedder"),)),
]


@pytest.mark.parametrize("server", NOTHING_TO_USE, ids=["wants a key", "no model", "embeds"])
def test_a_server_that_gives_no_model_to_talk_to_is_passed_over(server: FoundServer) -> None:
    assert default_model([server, SERVER]).name == "qwen3:8b"
    with pytest.raises(BadInput):
        default_model([server])


@pytest.mark.skipif(importlib.util.find_spec("xllamacpp") is None, reason="needs the extra `local`")
def test_the_toy_is_used_where_it_is_installed_and_said_to_be_one() -> None:
    install_toy()
    chosen: Chosen = default_model([])

    assert (chosen.name, chosen.why) == ("smollm2", Why.LOCAL)
    assert "toy" in chosen.says
    assert "cannot summarize" in chosen.says


def test_weights_without_a_runtime_are_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    install_toy()
    monkeypatch.setattr(defaults.importlib.util, "find_spec", lambda name: None)

    with pytest.raises(BadInput, match="there is no model"):
        default_model([])


def test_where_there_is_none_it_says_every_way_to_one() -> None:
    with pytest.raises(BadInput) as none:
        default_model([])
    for way in ("UNABRIDGED_MODEL", "ANTHROPIC_API_KEY", "Ollama", "unabridged models add smollm2"):
        assert way in str(none.value)
