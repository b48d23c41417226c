"""Texts out of the recorded conversations: every long string in them, whatever the format of the file."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

SHORTEST, LONGEST = 600, 6_000
PER_FOLDER = 24
_ENCODED = re.compile(r"[A-Za-z0-9+/=\s]{2000,}")


def real_texts(data: Path) -> Iterator[str]:
    """Give up to 24 texts of every source, the same ones each time: messages, tool outputs, code, arguments."""
    for _, texts in real_kinds(data):
        yield from texts


def real_kinds(data: Path) -> Iterator[tuple[str, list[str]]]:
    """Give the texts by source. Pictures in base64 are left out."""
    for folder in sorted(path for path in data.iterdir() if path.is_dir()):
        texts = [text[:LONGEST] for path in sorted(folder.iterdir()) for text in _strings(_documents(path))]
        texts = [text for text in texts if not _ENCODED.fullmatch(text)]
        if texts:
            yield folder.name, Random(1).sample(texts, min(PER_FOLDER, len(texts)))


def _documents(path: Path) -> Iterator[object]:
    if path.stat().st_size > 1_500_000 or path.name.startswith("LICENSE") or path.suffix == ".zip":
        return
    text = (gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()).decode(
        "utf-8", "replace"
    )
    try:
        yield json.loads(text)
    except ValueError:
        for line in text.splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                continue  # a Markdown history, a line cut off


def _strings(values: Iterator[object]) -> Iterator[str]:
    left = list(values)
    while left:
        value = left.pop()
        if isinstance(value, str):
            if len(value) >= SHORTEST:
                yield value
        elif isinstance(value, dict):
            left.extend(value.values())
        elif isinstance(value, list):
            left.extend(value)
