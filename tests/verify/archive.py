"""Measures how well what left a view is found again. `make verify-archive`.

Prints recall of the first 5, 10 and 20 hits and the mean reciprocal rank of the first right one: on LoCoMo by category,
and on questions made of recorded sessions against a search of messages alone, by the same settings; then all of it
with vectors beside the words.
"""

from __future__ import annotations

import argparse
import json
import logging
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence

from tests.shared import DATA
from tests.verify.archive_dense import dense
from tests.verify.archive_runs import TURNS, attacked, remembered, stores
from tests.verify.known_items import CODE, LONG, Asked, names, sentences, sessions
from tests.verify.locomo import CATEGORIES, dialogues
from tests.verify.scores import CUTS, SCOPE, Scores, found, transcript_of
from tests.verify.tongues import tongues
from unabridged.archive import Archive, MemoryShelf, answer, segment
from unabridged.archive.tools import MOST_TOKENS
from unabridged.message import Message
from unabridged.transcript import Transcript

PROMISED_TONGUES = 0.95
PROMISED_RECALL, PROMISED_RANK, PROMISED_TOLD = 0.72, 0.52, 0.79
_NUMBER = re.compile(r"^\[(\d+)\]", re.MULTILINE)


def archived(messages: Sequence[Message]) -> tuple[Archive, Transcript]:
    """Give a whole conversation with its archive."""
    transcript = transcript_of(messages)
    archive = Archive(MemoryShelf())
    archive.add(transcript.records, range(len(transcript.records)), SCOPE)
    return archive, transcript


def locomo() -> bool:
    """Ask all questions of LoCoMo; tell whether the promise holds."""
    scores: dict[str, Scores] = defaultdict(Scores)
    took: list[float] = []
    told: list[float] = []
    for dialogue in dialogues():
        archive, transcript = archived(dialogue.messages)
        for question in dialogue.questions:
            started = time.perf_counter()
            ids = found(archive, question.text)
            took.append(time.perf_counter() - started)
            for name in (question.category, "all"):
                scores[name].add(ids, question.gold)
            told.append(len(question.gold & answered(archive, transcript, question.text)) / len(question.gold))
    print(f"{'LoCoMo':26}{'asked':>7}{'R@5':>8}{'R@10':>8}{'R@20':>8}{'MRR':>8}")
    for name in (*CATEGORIES.values(), "all"):
        print(scores[name].row(f"  {name}"))
    middle = sorted(took)[len(took) // 2] * 1e3
    print(f"  promised: R@10 {PROMISED_RECALL}, MRR {PROMISED_RANK}; median {middle:.1f} ms")
    share = sum(told) / len(told)
    print(f"  answers of {MOST_TOKENS:,} tokens hold {share:.3f} of the turns; promised {PROMISED_TOLD}")
    held = scores["all"].recall(10) >= PROMISED_RECALL and scores["all"].rank >= PROMISED_RANK
    return held and share >= PROMISED_TOLD


def answered(archive: Archive, transcript: Transcript, query: str) -> set[str]:
    """Give the ids of the messages that an answer of the tool shows."""
    said = answer(archive, transcript, "search_history", json.dumps({"query": query, "limit": 50}))
    numbers = {int(number) for number in _NUMBER.findall(said)}
    return {record.message.id for record in transcript.records if record.seq in numbers}


def recorded(name: str, conversations: Iterable[tuple[list[Message], list[Asked]]]) -> bool:
    """Ask what stands in recorded sessions, with neighbours and without; tell whether they cost nothing."""
    with_near, alone = Scores(), Scores()
    for messages, asked in conversations:
        for scores, near in ((with_near, segment.NEAR), (alone, 0)):
            archive, _ = _archived_with(messages, near)
            for each in asked:
                scores.add(found(archive, each.query), frozenset({each.gold}))
    print(with_near.row(f"{name}"))
    print(alone.row("  messages alone"), flush=True)
    return with_near.recall(5) >= alone.recall(5)


def _archived_with(messages: Sequence[Message], near: int) -> tuple[Archive, Transcript]:
    before = segment.NEAR
    segment.NEAR = near
    try:
        return archived(messages)
    finally:
        segment.NEAR = before


def multilingual() -> bool:
    """Ask in four languages, all of them in one conversation; tell whether enough is found at once."""
    talks = list(tongues())
    archive, _ = archived([message for _, messages, _ in talks for message in messages])
    every = Scores()
    for name, _, asked in talks:
        scores = Scores()
        for each in asked:
            ids = found(archive, each.query)
            scores.add(ids, frozenset({each.gold}))
            every.add(ids, frozenset({each.gold}))
        print(scores.row(name))
    print(every.row("four languages"), flush=True)
    return every.recall(CUTS[0]) >= PROMISED_TONGUES


def runs(given: argparse.Namespace) -> bool:
    """Live through long conversations and attacks on both engines."""
    with stores() as places:
        held = [remembered(name, store, given.turns) for name, store in places.items()]
        held += [attacked(name, store, given.attacks) for name, store in places.items()]
    return all(held)


def main() -> int:
    """Run all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=TURNS, help="of a conversation with planted facts")
    parser.add_argument("--attacks", type=int, default=10_000, help="for what is somebody else's")
    given = parser.parse_args()
    logging.getLogger("psycopg").setLevel(logging.CRITICAL)
    if not DATA.is_dir():
        print(f"needs real transcripts, and {DATA} is no folder: set UNABRIDGED_DATA", file=sys.stderr)
        return 2
    held = [
        locomo(),
        recorded("code sessions", ((each, names(each, nth)) for nth, each in enumerate(sessions(CODE, 60)))),
        recorded("long messages", ((each, sentences(each, nth)) for nth, each in enumerate(sessions(LONG, 30)))),
        multilingual(),
        dense(),
        runs(given),
    ]
    print("held" if all(held) else "NOT HELD")
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
