"""Stores for the commands to work on, and the commands themselves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from unabridged import Conversation, Usage
from unabridged.archive import Archive, StoredShelf
from unabridged.cli import application
from unabridged.fitted import Fitted
from unabridged.store import Project, open_store
from unabridged.testing.notation import say


def run(*arguments: object, typed: str | None = None, width: int = 80) -> Result:
    environment = {"COLUMNS": str(width)}
    return CliRunner().invoke(application(), list(map(str, arguments)), env=environment, input=typed)


def told(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def worked(
    project: Project, id: str, *, steps: int = 20, title: str = "Fix the build", archived: bool = False
) -> list[Fitted]:
    """Make a session that has outgrown its window, and give the requests that went out."""
    session = project.create(id=id, title=title)
    sent: list[Fitted] = []
    with session.turn():
        talk = Conversation(model="gpt-5", window=8_000, max_tokens=500, system="You are careful.", log=session.log)
        if archived:
            talk.archive = Archive(StoredShelf(session.database, session.key))
        talk.user("Fix the failing test, bitte mit Größe.")
        for number in range(steps):
            fitted = talk.fit()
            sent.append(fitted)
            talk.answered(Usage(input=fitted.sent.price, cached=fitted.sent.price // 2, output=20))
            with session.log.step():
                say(talk, f"A[c{number}] T(c{number}):600")
    return sent


def damage(place: Path, table: str, sql: str) -> None:
    """Change what nobody may change."""
    with open_store(place) as store, store.database.transaction() as writing:
        writing.run(f"DROP TRIGGER IF EXISTS {table}_stay")
        writing.run(f"DROP TRIGGER IF EXISTS {table}_last")
        writing.run(sql)
