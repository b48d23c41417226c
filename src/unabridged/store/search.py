"""Finds sessions by title, and messages by their words. Indexed when somebody searches: appending costs nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from itertools import islice
from typing import Any, cast

import msgspec

from unabridged.entry import Entry, MessageEntry
from unabridged.errors import NotFound, StoreError, StoreFault
from unabridged.hiding import hidden_among
from unabridged.message import Message, Text, ToolCall, ToolResult
from unabridged.store.columns import NEWEST, SEQS
from unabridged.store.database import Row, Taken, Transaction
from unabridged.store.hidings import hidings
from unabridged.store.sessions import Project
from unabridged.store.stored_log import StoredLog
from unabridged.store.words import asked_words, first_found, words_of

AT_ONCE = 200
"""Entries that are indexed in one transaction."""
AROUND = 60
"""Characters of a snippet on either side of what was found."""
MOST = 20_000
"""Words of one message that can be found."""
ROOM = 800_000
"""Bytes of words of one message that can be found; PostgreSQL takes 1 MB, places included."""
_PLACE = 8
"""Bytes that the place of a word takes, at most."""

Words = list[tuple[str, bool]]
"""What to look for, each with whether it may be the beginning of a word."""


class Found(msgspec.Struct, frozen=True):
    """A message that holds every word that was searched for, or a session whose title does."""

    session: str
    title: str
    message: str | None = None
    """Its id; None where the title was found."""
    seq: int | None = None
    snippet: str = ""


def search(project: Project, query: str, *, limit: int = 20) -> list[Found]:
    """Give what holds every word of the query: titles first, then messages, the best match first.

    The last word may be the beginning of one. Sessions of other projects are never looked at. A message that is
    damaged or hidden is not found, and keeps no other from being found.
    """
    wanted = asked_words(query)
    if not wanted or limit < 1:
        return []
    for key, id in _behind(project):
        _index(project, key, id)
    found = list(islice(_titles(project, wanted), limit))
    for row in _matches(project, wanted, limit - len(found)):
        found += _found(project, row, wanted)
    return found


def _behind(project: Project) -> list[Row]:
    sql = (
        "SELECT sessions.key, sessions.id FROM sessions LEFT JOIN indexed ON indexed.session = sessions.key"
        f" WHERE {project.scope} AND coalesce(indexed.upto, -1) <"
        f" coalesce({NEWEST} - sessions.key * {SEQS}, -1)"
    )
    return project.database.rows(sql, *project.scoped)


def _index(project: Project, key: int, id: str) -> None:
    rows = project.database.rows("SELECT upto FROM indexed WHERE session = ?", key)
    try:
        entries = _readable(project.open(id).log, rows[0][0] + 1 if rows else 0)
        while some := list(islice(entries, AT_ONCE)):
            with project.database.transaction() as writing:
                _write(project, key, some, writing)
    except NotFound:
        return  # erased meanwhile
    except (StoreError, Taken) as error:
        damaged = isinstance(error, StoreError) and error.fault is StoreFault.DAMAGED
        if not damaged and project.has(id):
            raise


def _readable(log: StoredLog, start: int) -> Iterator[tuple[int, Entry | None]]:
    """Give the position of every entry, with those that can be read."""
    at = start
    while True:
        try:
            for entry in log.each(at):
                yield entry.seq, entry
                at = entry.seq + 1
            return
        except StoreError as error:
            if error.fault is not StoreFault.DAMAGED:
                raise
        seqs = [seq for seq in log.seqs() if seq >= at]
        for seq in seqs[:AT_ONCE]:
            yield seq, _read(log, seq)
            at = seq + 1


def _read(log: StoredLog, seq: int) -> Entry | None:
    try:
        return log.entry(seq)
    except StoreError as error:
        if error.fault is not StoreFault.DAMAGED:
            raise
        return None


def _write(project: Project, key: int, some: list[tuple[int, Entry | None]], writing: Transaction) -> None:
    writing.lock(f"words of {key}", shared=False)
    done = writing.rows("SELECT upto FROM indexed WHERE session = ?", key)
    upto = done[0][0] if done else -1
    postgres = project.database.name == "postgres"
    rows: list[tuple[int, int, str]] = []
    for seq, entry in some:
        words = _words(project, entry) if seq > upto and entry is not None else []
        if words:
            rows.append((key, seq, " ".join(_placed(words) if postgres else words)))
    writing.run_each(f"INSERT INTO words (session, seq, body) VALUES (?, ?, ?{'::tsvector' if postgres else ''})", rows)
    sql = (
        "INSERT INTO indexed (session, upto) VALUES (?, ?)"
        " ON CONFLICT (session) DO UPDATE SET upto = excluded.upto WHERE indexed.upto < excluded.upto"
    )
    writing.run(sql, key, some[-1][0])


def _words(project: Project, entry: Entry) -> list[str]:
    """Give the words that a message is found by; none where it says nothing."""
    if not isinstance(entry.payload, MessageEntry):
        return []
    words = list(islice((word for text in texts_of(entry.payload.message) for word in words_of(text)), MOST))
    while words and sum(len(word.encode()) + _PLACE for word in words) > ROOM:
        del words[-len(words) // 8 :]
    return [_scope(project), *words] if words else []


def _placed(words: list[str]) -> Iterator[str]:
    """Give words as PostgreSQL writes them in an index, so that no parser of its own cuts them once more."""
    return (f"'{word}':{place}" for place, word in enumerate(words, 1))


def texts_of(message: Message) -> Iterator[str]:
    """Give what can be found of a message: what was said, what was called with what, and what came of it."""
    for part in message.parts:
        match part:
            case Text(text=text):
                yield text
            case ToolCall(name=name, arguments=arguments):
                yield "\n".join([name, *_said_in(arguments)])
            case ToolResult(parts=parts):
                yield from (piece.text for piece in parts if isinstance(piece, Text))
            case _:
                pass


def _said_in(arguments: str) -> Iterator[str]:
    """Give the texts in the JSON of a call: an escape is no part of a word."""
    try:
        yield from _leaves(json.loads(arguments))
    except (ValueError, RecursionError):
        yield arguments


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in cast("dict[str, Any]", value).items():
            yield name
            yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in cast("list[Any]", value):
            yield from _leaves(inner)
    else:
        yield str(value)


def _scope(project: Project) -> str:
    """Give a word that every message of a project holds, and no text can: the index itself keeps projects apart."""
    return "\ue000" + sha256(project.name.encode()).hexdigest()[:24]


def _titles(project: Project, wanted: Words) -> Iterator[Found]:
    sql = f"SELECT id, title FROM sessions WHERE {project.scope} AND title <> '' ORDER BY key DESC"
    for id, title in project.database.rows(sql, *project.scoped):
        held = set(words_of(title))
        if all(
            word in held or (is_beginning and any(each.startswith(word) for each in held))
            for word, is_beginning in wanted
        ):
            yield Found(id, title)


_MATCH = {
    "sqlite": "SELECT words.session, words.seq FROM words JOIN sessions ON sessions.key = words.session"
    " WHERE words MATCH ? AND {scope} ORDER BY words.rank, words.rowid DESC LIMIT ?",
    "postgres": "SELECT words.session, words.seq FROM words JOIN sessions ON sessions.key = words.session,"
    " CAST(? AS tsquery) AS asked WHERE words.body @@ asked AND {scope}"
    " ORDER BY ts_rank_cd(words.body, asked) DESC, words.session DESC, words.seq DESC LIMIT ?",
}


def _matches(project: Project, wanted: Words, limit: int) -> list[Row]:
    """Give the best matches that nobody hid. Without a branch that is asked, the newest word on a message counts."""
    if limit < 1:
        return []
    hidden: dict[int, Mapping[int, str]] = {}
    asked = limit
    while True:
        rows = _matching(project, wanted, asked)
        for key in {row[0] for row in rows} - hidden.keys():
            hidden[key] = _hidden(project, key)
        kept = [row for row in rows if row[1] not in hidden[row[0]]]
        if len(kept) >= limit or len(rows) < asked:
            return kept[:limit]
        asked += max(asked, len(rows) - len(kept))


def _hidden(project: Project, key: int) -> Mapping[int, str]:
    said = hidings(project.database, key)
    if not said:
        return {}
    rows = project.database.rows("SELECT id FROM sessions WHERE key = ?", key)
    return hidden_among(said, project.open(rows[0][0]).log.ancestry) if rows else {}


def _matching(project: Project, wanted: Words, limit: int) -> list[Row]:
    if project.database.name == "sqlite":
        asked = " AND ".join(
            f'"{word}"{"*" * is_beginning}' for word, is_beginning in [(_scope(project), False), *wanted]
        )
    else:
        asked = " & ".join(
            f"'{word}'{':*' * is_beginning}" for word, is_beginning in [(_scope(project), False), *wanted]
        )
    sql = _MATCH[project.database.name].format(scope=project.scope)
    return project.database.rows(sql, asked, *project.scoped, limit)


def _found(project: Project, row: Row, wanted: Words) -> Iterator[Found]:
    """Give what was found; nothing where it was erased meanwhile, or cannot be read any more."""
    key, seq = row
    for id, title in project.database.rows("SELECT id, title FROM sessions WHERE key = ?", key):
        try:
            entry = project.open(id).log.entry(seq)
        except NotFound:
            return
        except StoreError as error:
            if error.fault is not StoreFault.DAMAGED:
                raise
            return
        if isinstance(entry.payload, MessageEntry):
            message = entry.payload.message
            yield Found(id, title, message.id, seq, _snippet("\n".join(texts_of(message)), wanted))


def _snippet(text: str, wanted: Words) -> str:
    at = first_found(text, wanted) or 0
    start, end = max(0, at - AROUND), at + AROUND
    shown = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{shown}{'…' if end < len(text) else ''}"
