"""Finds sessions by title, and messages by their words. Indexed when somebody searches: appending costs nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256
from itertools import islice

import msgspec

from unabridged.entry import Entry, MessageEntry
from unabridged.message import Message, Text, ToolCall, ToolResult
from unabridged.store.database import Row
from unabridged.store.sessions import Project
from unabridged.store.words import MOST, words_of

AT_ONCE = 200
"""Entries that are indexed in one transaction."""
AROUND = 60
"""Characters of a snippet on either side of what was found."""


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

    The last word may be the beginning of one. Sessions of other projects are never looked at.
    """
    wanted = list(dict.fromkeys(words_of(query)))
    if not wanted:
        return []
    for key, id in _behind(project):
        _index(project, key, id)
    found = list(islice(_titles(project, wanted), limit))
    for row in _matches(project, wanted, limit - len(found)):
        found.append(_found(project, row, wanted))
    return found


def _behind(project: Project) -> list[Row]:
    sql = (
        "SELECT sessions.key, sessions.id FROM sessions LEFT JOIN indexed ON indexed.session = sessions.key"
        " WHERE sessions.project = ? AND coalesce(indexed.upto, -1) <"
        " coalesce((SELECT max(seq) FROM entries WHERE entries.session = sessions.key), -1)"
    )
    return project.database.rows(sql, project.name)


def _index(project: Project, key: int, id: str) -> None:
    database = project.database
    rows = database.rows("SELECT upto FROM indexed WHERE session = ?", key)
    entries = project.open(id).log.each(rows[0][0] + 1 if rows else 0)
    while some := list(islice(entries, AT_ONCE)):
        with database.transaction() as writing:
            writing.lock(f"words of {key}", shared=False)
            done = writing.rows("SELECT upto FROM indexed WHERE session = ?", key)
            upto = done[0][0] if done else -1
            new = [entry for entry in some if entry.seq > upto]
            sql = _INSERT[database.name]
            writing.run_each(sql, [(key, entry.seq, body) for entry in new if (body := _body(project, entry))])
            sql = (
                "INSERT INTO indexed (session, upto) VALUES (?, ?)"
                " ON CONFLICT (session) DO UPDATE SET upto = excluded.upto WHERE indexed.upto < excluded.upto"
            )
            writing.run(sql, key, some[-1].seq)


_INSERT = {
    "sqlite": "INSERT INTO words (session, seq, body) VALUES (?, ?, ?)",
    "postgres": "INSERT INTO words (session, seq, body) VALUES (?, ?, to_tsvector('simple', ?))",
}
_MATCH = {
    "sqlite": "SELECT session, seq FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?",
    "postgres": "SELECT session, seq FROM words, to_tsquery('simple', ?) AS asked WHERE body @@ asked"
    " ORDER BY ts_rank_cd(body, asked) DESC LIMIT ?",
}


def _body(project: Project, entry: Entry) -> str:
    if not isinstance(entry.payload, MessageEntry):
        return ""
    words = [word for text in texts_of(entry.payload.message) for word in words_of(text)]
    return " ".join([_scope(project), *words[:MOST]]) if words else ""


def texts_of(message: Message) -> Iterator[str]:
    """Give what can be found of a message: what was said, what was called with what, and what came of it."""
    for part in message.parts:
        match part:
            case Text(text=text):
                yield text
            case ToolCall(name=name, arguments=arguments):
                yield f"{name} {arguments}"
            case ToolResult(parts=parts):
                yield from (piece.text for piece in parts if isinstance(piece, Text))
            case _:
                pass


def _scope(project: Project) -> str:
    """Give a word that every message of a project holds, and no other: the index itself keeps projects apart."""
    return "project" + sha256(project.name.encode()).hexdigest()[:24]


def _titles(project: Project, wanted: list[str]) -> Iterator[Found]:
    sql = "SELECT id, title FROM sessions WHERE project = ? AND title <> '' ORDER BY key DESC"
    for id, title in project.database.rows(sql, project.name):
        held = list(words_of(title))
        if set(wanted[:-1]) <= set(held) and any(word.startswith(wanted[-1]) for word in held):
            yield Found(id, title)


def _matches(project: Project, wanted: list[str], limit: int) -> list[Row]:
    if limit < 1:
        return []
    database, scope = project.database, _scope(project)
    if database.name == "sqlite":
        asked = " AND ".join([scope, *(f'"{word}"' for word in wanted[:-1]), f'"{wanted[-1]}"*'])
    else:
        asked = " & ".join([scope, *(f"'{word}'" for word in wanted[:-1]), f"'{wanted[-1]}':*"])
    return database.rows(_MATCH[database.name], asked, limit)


def _found(project: Project, row: Row, wanted: list[str]) -> Found:
    key, seq = row
    id, title = project.database.rows("SELECT id, title FROM sessions WHERE key = ?", key)[0]
    entry = project.open(id).log.entry(seq)
    assert isinstance(entry.payload, MessageEntry)
    message = entry.payload.message
    return Found(id, title, message.id, seq, _snippet("\n".join(texts_of(message)), wanted))


def _snippet(text: str, wanted: list[str]) -> str:
    places = [found.start() for word in wanted if (found := re.search(re.escape(word), text, re.IGNORECASE))]
    at = min(places, default=0)
    start, end = max(0, at - AROUND), at + AROUND
    shown = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{shown}{'…' if end < len(text) else ''}"
