"""What a server of models says of itself, read from its answers. Nothing is asked here.

    llama.cpp   GET /props           default_generation_settings.n_ctx: the window of one slot
    LM Studio   GET /api/v0/models   loaded_context_length of what is loaded
    Ollama      GET /api/ps          context_length of what is loaded; POST /api/show: num_ctx of what is not
    vLLM        GET /v1/models       max_model_len

What a model was trained for is not what its server gives it: Ollama runs one that was trained for 128k with 4k, and
cuts what is longer without a word. So it is told apart, and never taken for the window.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TypeVar

import msgspec

T = TypeVar("T")

_NUM_CTX = re.compile(r"^\s*num_ctx\s+(\d{1,9})\s*$", re.MULTILINE)
_NO_CHAT = ("embedding", "embeddings")


class Kind(StrEnum):
    """What answers."""

    OLLAMA = "ollama"
    LLAMA_CPP = "llama.cpp"
    LM_STUDIO = "lm studio"
    VLLM = "vllm"
    OTHER = "openai compatible"


class FoundModel(msgspec.Struct, frozen=True, kw_only=True):
    """A model that a server lists."""

    name: str
    window: int | None = None
    """Tokens that the server gives it; None where it does not say."""
    trained: int | None = None
    """Tokens that it was trained for, which is no promise of the server."""
    loaded: bool | None = None
    """It answers at once; None where the server does not say."""


class FoundServer(msgspec.Struct, frozen=True, kw_only=True):
    """A server that answered."""

    kind: Kind
    base_url: str
    """Without the `/v1` under which its models answer."""
    models: tuple[FoundModel, ...] = ()
    wants_key: bool = False
    """It answers only those who send a key, and so listed nothing."""


class _Meta(msgspec.Struct):
    n_ctx_train: int | None = None


class _Entry(msgspec.Struct):
    id: str
    owned_by: str = ""
    max_model_len: int | None = None
    meta: _Meta | None = None


class Listed(msgspec.Struct):
    """`GET /v1/models`, which all of them answer."""

    data: list[_Entry] | None
    """Null where Ollama has no model yet."""

    @property
    def entries(self) -> list[_Entry]:
        """What is listed."""
        return self.data or []

    @property
    def is_vllm(self) -> bool:
        """No other server says how long an input may be in this list."""
        return any(entry.owned_by == "vllm" or entry.max_model_len for entry in self.entries)

    def models(self) -> tuple[FoundModel, ...]:
        """Give what the list alone says."""
        return tuple(
            FoundModel(
                name=entry.id,
                window=_size(entry.max_model_len),
                trained=entry.meta.n_ctx_train if entry.meta else None,
                loaded=True if self.is_vllm else None,
            )
            for entry in self.entries
        )


class _Settings(msgspec.Struct):
    n_ctx: int


class Props(msgspec.Struct):
    """`GET /props` of llama.cpp."""

    default_generation_settings: _Settings


class _Studied(msgspec.Struct):
    id: str
    type: str = ""
    state: str = ""
    max_context_length: int | None = None
    loaded_context_length: int | None = None


class Studio(msgspec.Struct):
    """`GET /api/v0/models` of LM Studio."""

    data: list[_Studied]


class _Running(msgspec.Struct):
    model: str
    context_length: int | None = None


class Running(msgspec.Struct):
    """`GET /api/ps` of Ollama."""

    models: list[_Running]


class Shown(msgspec.Struct):
    """`POST /api/show` of Ollama."""

    parameters: str = ""
    model_info: Mapping[str, object] = {}

    @property
    def num_ctx(self) -> int | None:
        """The window that its author set; None where the server's own default holds, which it does not tell."""
        found = _NUM_CTX.findall(self.parameters)
        return int(found[-1]) if found else None

    @property
    def trained(self) -> int | None:
        """The context that it was trained for."""
        sizes = (size for name, size in self.model_info.items() if name.endswith(".context_length"))
        return next((size for size in sizes if isinstance(size, int)), None)


def read(body: bytes | None, form: type[T]) -> T | None:
    """Read an answer; None where it is no such answer."""
    if body is None:
        return None
    try:
        return msgspec.json.decode(body, type=form)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def llama_cpp(listed: Listed, props: Props) -> tuple[FoundModel, ...]:
    """Give the models of llama.cpp: the one that it runs."""
    window = _size(props.default_generation_settings.n_ctx)  # 0 where it runs none, and loads what is asked for
    models = (msgspec.structs.replace(model, window=window) for model in listed.models())
    return tuple(msgspec.structs.replace(model, loaded=True if window else None) for model in models)


def lm_studio(studio: Studio) -> tuple[FoundModel, ...]:
    """Give the models of LM Studio that can talk."""
    return tuple(
        FoundModel(
            name=each.id,
            window=_size(each.loaded_context_length) if each.state == "loaded" else None,
            trained=each.max_context_length,
            loaded=each.state == "loaded",
        )
        for each in studio.data
        if each.type not in _NO_CHAT
    )


def ollama(listed: Listed, running: Running, shown: Sequence[Shown | None]) -> tuple[FoundModel, ...]:
    """Give the models of Ollama; `shown` is one for each that is listed."""
    loaded = {each.model: each.context_length for each in running.models}
    return tuple(
        FoundModel(
            name=entry.id,
            window=_size(loaded.get(entry.id)) or (each.num_ctx if each else None),
            trained=each.trained if each else None,
            loaded=entry.id in loaded,
        )
        for entry, each in zip(listed.entries, shown, strict=True)
    )


def _size(tokens: int | None) -> int | None:
    """Give a size that was said; nothing and less say that there is none."""
    return tokens if tokens is not None and tokens > 0 else None
