"""Which adapter a name gets."""

from __future__ import annotations

import builtins
from typing import Any

import pytest

from unabridged.errors import BadInput
from unabridged.models.connect import connect

pytestmark = pytest.mark.anyio
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "GEMINI_API_KEY", "GOOGLE_API_KEY")
ADDRESSES = ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_GENAI_USE_VERTEXAI")


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    for name in (*KEYS, *ADDRESSES):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("ANTHROPIC_CONFIG_DIR", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.mark.parametrize(
    ("name", "dialect"),
    [
        ("claude-sonnet-4-5", "anthropic"),
        ("gemini-3-pro", "gemini"),
        ("models/gemini-3-pro", "gemini"),
        ("gpt-5", "openai_responses"),
        ("o3-mini", "openai_responses"),
        ("chatgpt-4o-latest", "openai_responses"),
    ],
)
async def test_the_name_tells_the_provider(name: str, dialect: str) -> None:
    model = connect(name, api_key="k")
    assert (model.dialect, model.name, model.endpoint) == (dialect, name, "")
    await model.close()


@pytest.mark.parametrize("name", ["qwen3", "gpt-oss-120b", "claude-by-proxy"])
async def test_an_address_means_chat_completions(name: str) -> None:
    model = connect(name, base_url="http://127.0.0.1:1/v1")
    assert (model.dialect, model.endpoint) == ("openai_chat", "http://127.0.0.1:1/v1")
    await model.close()


@pytest.mark.parametrize("provider", ["anthropic", "gemini", "openai", "openai_chat"])
async def test_who_says_the_provider_gets_it(provider: str) -> None:
    model = connect("any", provider=provider, base_url="http://[::1]:1")
    assert model.dialect == {"openai": "openai_responses"}.get(provider, provider)
    await model.close()


@pytest.mark.parametrize(("how", "says"), [({}, "pass `provider`"), ({"provider": "nobody"}, "use one of anthropic")])
def test_nothing_to_go_by_is_bad_input(how: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        connect("qwen3", **how)


@pytest.mark.parametrize("provider", ["anthropic", "gemini", "openai", "openai_chat"])
@pytest.mark.parametrize(
    "address", ["localhost:8000/v1", "ftp://here/v1", "http:///v1", "http://[::1", "http://h:x/v1"]
)
def test_an_address_that_is_none_is_bad_input(provider: str, address: str) -> None:
    with pytest.raises(BadInput, match="no address of a server: give `base_url`"):
        connect("m", provider=provider, base_url=address, api_key="k")


@pytest.mark.parametrize(
    ("provider", "address", "endpoint"),
    [
        ("openai", "https://api.openai.com/v1", ""),
        ("openai_chat", "https://eu.api.openai.com/v1/", ""),
        ("openai_chat", "https://notapi.openai.com.example/v1", "https://notapi.openai.com.example/v1"),
        ("anthropic", "https://API.anthropic.com", ""),
        ("gemini", "https://generativelanguage.googleapis.com/", ""),
        ("gemini", "https://api.openai.com/v1", "https://api.openai.com/v1"),
    ],
)
def test_the_providers_own_address_is_its_own_whoever_names_it(provider: str, address: str, endpoint: str) -> None:
    assert connect("m", provider=provider, base_url=address, api_key="k").endpoint == endpoint


def test_what_may_be_a_key_in_an_address_is_not_said() -> None:
    with pytest.raises(BadInput) as raised:
        connect("m", base_url="ftp://user:hidden@here/v1?key=hidden", api_key="k")
    assert "hidden" not in str(raised.value)


@pytest.mark.parametrize(
    ("provider", "key"),
    [
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("gemini", "GEMINI_API_KEY"),
        ("openai", "OPENAI_API_KEY"),
        ("openai_chat", "OPENAI_API_KEY"),
    ],
)
async def test_a_missing_key_is_named(provider: str, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match=key):
        connect("m", provider=provider)
    monkeypatch.setenv(key, "k")
    await connect("m", provider=provider).close()


def test_credentials_that_cannot_be_read_are_bad_input(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path))
    with pytest.raises(BadInput, match="ANTHROPIC_API_KEY"):
        connect("claude-sonnet-4-5")


@pytest.mark.parametrize(
    ("provider", "package", "extra"),
    [
        ("anthropic", "anthropic", "anthropic"),
        ("gemini", "google", "gemini"),
        ("openai", "openai", "openai"),
        ("openai_chat", "openai", "openai"),
    ],
)
def test_a_missing_package_is_named(provider: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == package and not name.startswith("unabridged"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(BadInput, match=rf"pip install 'unabridged\[{extra}\]'"):
        connect("m", provider=provider, api_key="k")
