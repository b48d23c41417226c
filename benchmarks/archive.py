"""The archive's benchmark: what archiving adds to a turn, and how long a search of a long conversation takes.

`make bench-archive` runs it in memory, on SQLite and on a PostgreSQL of its own. Texts are made of words that are as
frequent as words are (the nth about 1/n as often as the first); one more stands in 30 % of the chunks, and every
question asks for it and for five others. With `--dense` every chunk has a vector of 512 numbers as well, and the
questions are asked once more: what an embedder itself takes is left out.
"""

from __future__ import annotations

import argparse
import logging
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from zlib import crc32

from tests.store.databases import own_server
from unabridged.archive import Archive, MemoryShelf, Shelf, StoredShelf
from unabridged.log import MAIN, Log
from unabridged.message import Message, Role, Text
from unabridged.store import open_store
from unabridged.transcript import Transcript

CHUNKS = 100_000
A_FIT = 50
"""Messages that leave at once."""
WORDS = 60
"""Of a message."""
VOCABULARY = 30_000
RARE = 100
"""Words from the 100th on are asked for: those before it stand in as many chunks as stop words do."""
COMMON = "everywhere"
SHARE = 0.3
QUESTIONS = 200
PROMISED_SEARCH_MS, PROMISED_ADD_MS = 50.0, 1.0
SCOPE = ((MAIN, -1),)


class Scattered:
    """Gives vectors that mean nothing, at once."""

    name = "scattered"

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        import numpy

        dice = numpy.random.default_rng(crc32(texts[0].encode()))
        found: list[list[float]] = dice.standard_normal((len(texts), 512), numpy.float32).tolist()
        return found


def table(name: str, shelf: Shelf, chunks: int, *, dense: bool = False) -> bool:
    """Print a row, or two; tell whether the promises hold."""
    dice = random.Random(7)
    archive, transcript = Archive(shelf), Transcript(Log())
    adding = 0.0
    for start in range(0, chunks, A_FIT):
        transcript.append(*_messages(dice, start))
        started = time.perf_counter()
        archive.add(transcript.records, range(start, start + A_FIT), SCOPE)
        adding += time.perf_counter() - started
    middle, late = _searched(archive)
    add = adding / chunks * 1e3
    print(f"{name:14}{chunks:>10,}{add:>14.3f}{middle:>14.1f}{late:>10.1f}", flush=True)
    if dense:
        archive = Archive(shelf, Scattered())
        archive.catch_up(transcript.records, scope=SCOPE)
        archive.search("vectors are read once", scope=SCOPE)
        both, both_late = _searched(archive)
        print(f"{'  with vectors':14}{chunks:>10,}{'':14}{both:>14.1f}{both_late:>10.1f}", flush=True)
    return late < PROMISED_SEARCH_MS and add < PROMISED_ADD_MS


def _searched(archive: Archive) -> tuple[float, float]:
    """Ask all questions; give the milliseconds of half of them and of 95 in 100."""
    dice = random.Random(8)
    took: list[float] = []
    for _ in range(QUESTIONS):
        question = " ".join([COMMON, *(_word(dice.randrange(RARE, VOCABULARY)) for _ in range(5))])
        started = time.perf_counter()
        assert archive.search(question, scope=SCOPE, limit=10)
        took.append(time.perf_counter() - started)
    took.sort()
    return took[len(took) // 2] * 1e3, took[len(took) * 95 // 100] * 1e3


def _messages(dice: random.Random, start: int) -> Iterator[Message]:
    for number in range(start, start + A_FIT):
        words = _words(dice, WORDS)
        if dice.random() < SHARE:
            words[dice.randrange(WORDS)] = COMMON
        yield Message(id=f"m-{number}", role=Role.USER, parts=(Text(" ".join(words)),))


def _words(dice: random.Random, count: int) -> list[str]:
    # The nth word is 1/n as frequent as the first: its logarithm is spread evenly.
    return [_word(int(VOCABULARY ** dice.random())) for _ in range(count)]


def _word(nth: int) -> str:
    return f"w{nth:05}x"


def main() -> int:
    """Print the table; give 0 if what is promised of it holds on this machine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=CHUNKS, help="length of the conversation")
    parser.add_argument("--dense", action="store_true", help="with vectors too")
    given = parser.parse_args()
    logging.getLogger("psycopg").setLevel(logging.CRITICAL)
    print("archive: milliseconds to add a chunk, and to answer a question of six words, one of them in 30 % of all")
    print(f"{'':14}{'chunks':>10}{'add a chunk':>14}{'search, half':>14}{'p95':>10}")
    held = [table("memory", MemoryShelf(), given.chunks, dense=given.dense)]
    with tempfile.TemporaryDirectory() as folder, own_server("bench-archive") as server, server.database() as url:
        for name, place in (("SQLite", str(Path(folder) / "archive.db")), ("PostgreSQL", url)):
            with open_store(place) as store:
                session = store.project("bench").create()
                shelf = StoredShelf(session.database, session.key)
                held.append(table(name, shelf, given.chunks, dense=given.dense))
    print(f"promised: under {PROMISED_ADD_MS:g} ms to add a chunk, under {PROMISED_SEARCH_MS:g} ms to search (p95)")
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
