"""The same questions with vectors beside the words: more is found, and nothing that words found is lost.

The vectors are those of the packaged model, the settings the same for all sets. LoCoMo and the languages are what the
weights were chosen on; code sessions and long messages were looked at, and the long ones decided nothing.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence

from tests.verify.known_items import CODE, LONG, Asked, names, sentences, sessions
from tests.verify.locomo import dialogues
from tests.verify.scores import CUTS, SCOPE, Scores, found, transcript_of
from tests.verify.tongues import across, tongues
from unabridged.archive import Archive, MemoryShelf
from unabridged.archive.packaged import PackagedEmbedder
from unabridged.message import Message

PROMISED_MORE = 0.02
PROMISED_ACROSS = 0.95
Questions = Sequence[tuple[str, frozenset[str]]]


def dense() -> bool:
    """Ask everything by words and with vectors; tell whether the promises hold."""
    embedder = PackagedEmbedder()
    embedder.embed(["loaded"])
    print(f"{'with vectors':26}{'asked':>7}{'R@5':>8}{'R@10':>8}{'R@20':>8}{'MRR':>8}")
    words, both = _compared("LoCoMo", embedder, _locomo())
    held = both.recall(10) >= words.recall(10) + PROMISED_MORE
    known = (
        ("code sessions", ((each, _golden(names(each, nth))) for nth, each in enumerate(sessions(CODE, 60)))),
        ("long messages", ((each, _golden(sentences(each, nth))) for nth, each in enumerate(sessions(LONG, 30)))),
        ("four languages", iter([_all_tongues()])),
    )
    for name, conversations in known:
        words, both = _compared(name, embedder, conversations)
        held &= not both.is_below(words)
    _, both = _compared("asked in English", embedder, ((said, _golden(asked)) for _, said, asked in across()))
    print(f"  promised: LoCoMo R@10 {PROMISED_MORE} more, nothing less on any set, {PROMISED_ACROSS} across languages")
    return held and both.recall(CUTS[0]) >= PROMISED_ACROSS


def _compared(
    name: str, embedder: PackagedEmbedder, conversations: Iterable[tuple[Sequence[Message], Questions]]
) -> tuple[Scores, Scores]:
    """Ask twice in each conversation, and print both rows."""
    words, both = Scores(), Scores()
    embedding = asking = 0.0
    chunks = 0
    for messages, questions in conversations:
        shelf, transcript = MemoryShelf(), transcript_of(messages)
        alone, beside = Archive(shelf), Archive(shelf, embedder)
        alone.add(transcript.records, range(len(transcript.records)), SCOPE)
        started = time.process_time()
        chunks += beside.catch_up(transcript.records, scope=SCOPE)
        embedding += time.process_time() - started
        for query, gold in questions:
            words.add(found(alone, query), gold)
            started = time.perf_counter()
            both.add(found(beside, query), gold)
            asking += time.perf_counter() - started
    print(words.row(name))
    speed = f"{chunks / embedding:,.0f} chunks a CPU second, {asking / both.asked * 1e3:.1f} ms"
    print(f"{both.row('  with vectors')}   {speed}", flush=True)
    return words, both


def _locomo() -> Iterator[tuple[Sequence[Message], Questions]]:
    for dialogue in dialogues():
        yield dialogue.messages, [(question.text, question.gold) for question in dialogue.questions]


def _golden(asked: Iterable[Asked]) -> Questions:
    return [(each.query, frozenset({each.gold})) for each in asked]


def _all_tongues() -> tuple[Sequence[Message], Questions]:
    talks = list(tongues())
    return [message for _, said, _ in talks for message in said], _golden(each for *_, asked in talks for each in asked)
