"""Vectors in the database that holds the segments, in the same transactions: they move, and are erased, with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unabridged.archive.vectors import Block, Moved, joined
from unabridged.store.columns import archive_lock, name_column
from unabridged.store.database import Database, Transaction

AT_ONCE = 500
"""Values of one statement."""
_INSERT = "INSERT INTO archive_vectors (session, number, first, count, embedder, vectors) VALUES (?, ?, ?, ?, ?, ?)"


class StoredVectors:
    """Keeps the vectors of one stored session, by its key."""

    def __init__(self, database: Database, session: int) -> None:
        self._database = database
        self._session = session

    def blocks(self, embedder: str) -> list[Block]:
        """Give which chunks have vectors of an embedder."""
        sql = "SELECT number, first, count FROM archive_vectors WHERE session = ? AND embedder = ?"
        return [Block(*row) for row in self._database.rows(sql, self._session, name_column(embedder))]

    def packed(self, embedder: str, blocks: Sequence[Block]) -> list[bytes]:
        """Give the vectors of some blocks. Raises `Moved` where one is part of another segment by now."""
        numbers = sorted({block.number for block in blocks})
        wanted, found = set(blocks), dict[Block, bytes]()
        for start in range(0, len(numbers), AT_ONCE):
            some = numbers[start : start + AT_ONCE]
            sql = (
                "SELECT number, first, count, vectors FROM archive_vectors"
                f" WHERE session = ? AND embedder = ? AND number IN ({', '.join('?' * len(some))})"
            )
            for *block, vectors in self._database.rows(sql, self._session, name_column(embedder), *some):
                found[Block(*block)] = bytes(vectors)
        if not wanted <= found.keys():
            raise Moved
        return [found[block] for block in blocks]

    def keep(self, embedder: str, block: Block, vectors: bytes) -> None:
        """Keep vectors, unless the segment is gone or others were quicker; those of other embedders go."""
        name = name_column(embedder)
        with self._database.transaction() as writing:
            writing.lock(archive_lock(self._session), shared=False)
            sql = "SELECT 1 FROM archive_segments WHERE session = ? AND number = ?"
            if not writing.rows(sql, self._session, block.number):
                return
            others = "DELETE FROM archive_vectors WHERE session = ? AND number = ? AND embedder <> ?"
            writing.run(others, self._session, block.number, name)
            sql = "SELECT 1 FROM archive_vectors WHERE session = ? AND number = ? AND first < ? AND first + count > ?"
            if not writing.rows(sql, self._session, block.number, block.end, block.first):
                writing.run(_INSERT, self._session, block.number, block.first, block.count, name, vectors)


def move(session: int, starts: Mapping[int, int], into: int, writing: Transaction) -> None:
    """Take the vectors of merged segments along: `starts` says where each begins in the one they became."""
    marks = ", ".join("?" * len(starts))
    sql = (
        f"SELECT number, first, count, embedder, vectors FROM archive_vectors WHERE session = ? AND number IN ({marks})"
    )
    rows = writing.rows(sql, session, *starts)
    if not rows:
        return
    kept = [(row[3], Block(into, row[1] + starts[row[0]], row[2]), bytes(row[4])) for row in rows]
    writing.run(f"DELETE FROM archive_vectors WHERE session = ? AND number IN ({marks})", session, *starts)
    values = [(session, into, block.first, block.count, name, vectors) for name, block, vectors in joined(kept)]
    writing.run_each(_INSERT, values)
