"""A process that appends to a log file without end, and says after each append what the file has: run by its test."""

from __future__ import annotations

import random
import sys
from pathlib import Path

from tests.store.entries import said
from unabridged.entry import MessageEntry
from unabridged.log import Log
from unabridged.store.jsonl import JsonlWriter, read_log

SESSION = "s-1"


def entry_at(seq: int) -> MessageEntry:
    """The message that belongs at this position: mostly short, sometimes so long that writing it takes a while."""
    length = random.Random(seq).choice([10, 200, 5_000, 2_000_000])
    return said(f"{seq}:" + "x" * length, id=f"m-{seq:06d}")


def append_for_ever(path: Path) -> None:
    opened = read_log(path) if path.exists() else None
    log = Log.restore(SESSION, opened.entries if opened else (), media={})
    with JsonlWriter(path, session=SESSION, fsync=False) as writer:
        while True:
            payloads = [entry_at(len(log) + ahead) for ahead in range(1 + len(log) % 3)]
            writer.append(log.append(*payloads))
            sys.stdout.write(f"{len(log) - 1}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    append_for_ever(Path(sys.argv[1]))
