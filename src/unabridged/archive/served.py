"""Any server that speaks OpenAI's `/v1/embeddings`: OpenAI itself, vLLM, Ollama, llama.cpp, LiteLLM, ..."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import urlsplit

import msgspec

from unabridged.errors import BadSetting, EmbeddingError
from unabridged.redact import GONE, quotable

if TYPE_CHECKING:
    from httpx2 import Response

AT_ONCE = 64
"""Texts of one request."""
QUOTED = 240
"""Characters of what the server said."""


class _Item(msgspec.Struct):
    index: int
    embedding: list[float]


class _Answer(msgspec.Struct):
    data: list[_Item]


class ServedEmbedder:
    """A model behind an address such as `http://127.0.0.1:11434/v1`. Secrets are taken out before a text gets here.

    `dimensions` is asked for where the model can give shorter vectors. `timeout_s` is that of one request.
    """

    def __init__(
        self, base_url: str, model: str, *, key: str = "", dimensions: int | None = None, timeout_s: float = 10.0
    ) -> None:
        address = urlsplit(base_url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise BadSetting("base_url", quotable(base_url), "give the address up to /v1, such as https://host/v1")
        if address.username or address.password:
            raise BadSetting("base_url", quotable(base_url), "give the key as `key`, and no name or password in it")
        self._url = base_url.rstrip("/") + "/embeddings"
        self._host = address.hostname
        self._model = model
        self._key = key
        self._dimensions = dimensions
        self._timeout_s = timeout_s
        self.name = model if dimensions is None else f"{model}/{dimensions}"

    def __repr__(self) -> str:
        return f"ServedEmbedder({self._host!r}, {self.name!r})"

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Give one vector for each text. Raises `EmbeddingError` for whatever goes wrong, without the key."""
        vectors = [
            vector for start in range(0, len(texts), AT_ONCE) for vector in self._some(texts[start : start + AT_ONCE])
        ]
        if len({len(vector) for vector in vectors}) > 1:
            self._failed("gave vectors of different lengths: give the name of an embedding model")
        return vectors

    def _some(self, texts: Sequence[str]) -> Iterator[Sequence[float]]:
        try:
            answer = msgspec.json.decode(self._asked(texts).content, type=_Answer)
        except msgspec.DecodeError:
            self._failed("answered with no embeddings: is this the address of /v1, and the model one that embeds?")
        items = sorted(answer.data, key=lambda item: item.index)
        if [item.index for item in items] != list(range(len(texts))):
            self._failed(f"gave {len(items)} vectors for {len(texts)} texts")
        for item in items:
            if not item.embedding or not all(map(math.isfinite, item.embedding)):
                self._failed("gave a vector without numbers")
            yield item.embedding

    def _asked(self, texts: Sequence[str]) -> Response:
        try:
            import httpx2
        except ModuleNotFoundError:
            self._failed("needs httpx2: pip install 'unabridged[dense]'")
        body: dict[str, object] = {
            "model": self._model,
            "input": [text.encode("utf-8", "replace").decode() for text in texts],
            "encoding_format": "float",
        }
        if self._dimensions is not None:
            body["dimensions"] = self._dimensions
        headers = {"authorization": f"Bearer {self._key}"} if self._key else {}
        try:
            answer = httpx2.post(self._url, json=body, headers=headers, timeout=self._timeout_s)
        except (httpx2.HTTPError, httpx2.InvalidURL, UnicodeError) as error:
            self._failed(f"was not reached ({type(error).__name__}): is it up, and its address right?")
        if not answer.is_success:
            self._failed(f"answered {answer.status_code}: {self._quoted(answer.text)}")
        return answer

    def _quoted(self, said: str) -> str:
        said = said[: 10 * QUOTED]
        return quotable(said.replace(self._key, GONE) if self._key else said)[:QUOTED]

    def _failed(self, why: str) -> NoReturn:
        # The error below holds the request, and that the key.
        raise EmbeddingError(self.name, f"the embedder {self.name!r} at {self._host} {why}") from None
