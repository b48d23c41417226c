"""Real conversations: their clients' own summaries are taken, answers in them are not, and what was said is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest

from tests.shared import DATA, needs_data
from tests.summarizer.spans import request, tokens
from unabridged.importers import read_file
from unabridged.importers.imported import Imported
from unabridged.message import Message, Origin, Role
from unabridged.summarizer import Answer, WhyNoSummary, extract
from unabridged.summarizer.checking import flaw_in
from unabridged.summarizer.checking.form import coverage
from unabridged.summarizer.gathering.sentences import demands
from unabridged.summarizer.gathering.typed import typed
from unabridged.summarizer.prompt import HEADINGS
from unabridged.summarizer.reading import read

pytestmark = needs_data
FOLDERS = (
    "claude-code-entire-cli",
    "claude-code-context-evaluator",
    "claude-code-oh-my-posh",
    "claude-code-cua-screenshots",
)
LONG = 60


@cache
def conversations() -> list[Imported]:
    paths = sorted(path for folder in FOLDERS for path in (DATA / folder).glob("*.claude.jsonl.gz"))
    found = [imported for path in paths for imported in read_file(path)]
    return [imported for imported in found if len(imported.messages) >= LONG]


def span_of(imported: Imported) -> tuple[tuple[Message, ...], Message | None]:
    """What a fit would summarize of a conversation: all but the task, up to four fifths."""
    task = next((message for message in imported.messages if message.is_human), None)
    rest = tuple(message for message in imported.messages if message is not task)
    return rest[: len(rest) * 4 // 5], task


def compactions() -> Iterator[tuple[str, tuple[Message, ...], str]]:
    for imported in conversations():
        for place, message in enumerate(imported.messages):
            if message.origin is Origin.CLIENT_SUMMARY and place > 5:
                yield imported.name, imported.messages[:place], message.text


def last_answers() -> Iterator[tuple[tuple[Message, ...], str]]:
    for imported in conversations():
        said = imported.messages
        for place, message in enumerate(said):
            if message.is_human and place > 20:
                before = next((m for m in reversed(said[:place]) if m.role is Role.ASSISTANT and m.text.strip()), None)
                if before is not None:
                    yield said[max(0, place - 150) : place], before.text


def test_every_summary_that_a_client_made_is_taken_for_one() -> None:
    found = list(compactions())
    assert len(found) >= 20
    flaws = {name: flaw_in(Answer(text=text, stop="end_turn"), span, HEADINGS) for name, span, text in found}
    assert {name: flaw for name, flaw in flaws.items() if flaw is not None} == {}


def test_most_answers_out_of_a_conversation_are_taken_for_answers() -> None:
    verdicts = Counter(flaw_in(Answer(text=text, stop="end_turn"), span, HEADINGS) for span, text in last_answers())
    assert verdicts.total() >= 200
    assert verdicts[WhyNoSummary.ANSWER] >= 0.6 * verdicts.total()


@pytest.mark.parametrize("limit", [500, 4_000])
def test_no_real_conversation_goes_beyond_the_limit(limit: int) -> None:
    for imported in conversations():
        span, task = span_of(imported)
        text = extract(request(span, limit=limit, task=task, media=imported.media)).text
        assert 0 < tokens(text) <= limit, imported.name


def test_what_people_said_in_short_is_kept_word_for_word() -> None:
    for imported in conversations():
        span, task = span_of(imported)
        said = [typed(message) for message in span if message.is_human]
        record = read(extract(request(span, limit=60_000, task=task, media=imported.media)).text)
        kept = {piece for item in record.rounds for piece in item.said}
        assert [text for text in said if text and len(text) <= 4_000 and text not in kept] == [], imported.name


def test_a_chain_over_a_real_conversation_keeps_its_short_demands() -> None:
    for imported in conversations():
        span, task = span_of(imported)
        text = None
        for start in range(0, len(span), 40):
            part = span[start : start + 40]
            text = extract(request(part, limit=4_000, task=task, media=imported.media, previous=text)).text
        kept = {piece for item in read(text or "").rounds for piece in item.said}
        short = [typed(message) for message in span if message.is_human and 0 < tokens(typed(message)) <= 40]
        lost = [words for words in short if demands(words) and words not in kept]
        assert len(lost) <= len(short) // 20, imported.name


def test_a_summary_without_a_model_names_what_a_conversation_is_about() -> None:
    shares: list[float] = []
    for imported in conversations():
        span, task = span_of(imported)
        covered = coverage(extract(request(span, limit=4_000, task=task, media=imported.media)).text, span)
        shares += [] if covered is None else [covered]
    assert sum(shares) / len(shares) > 0.6
