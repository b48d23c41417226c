"""Runs `unabridged import --into`: conversations become sessions, logs become the sessions that they were."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

from unabridged.errors import BadInput, UnabridgedError
from unabridged.exporters.log_file import append_to, session_of
from unabridged.importers import Imported, read_bytes
from unabridged.importers.detection import Head, unpacked
from unabridged.importers.unabridged_log import UnabridgedLog
from unabridged.store.filing import file_log, is_whole, title_of
from unabridged.store.place import chosen_place, shown_place
from unabridged.store.reading import LogReader, Opened
from unabridged.store.sessions import Project
from unabridged.transfer.run import chosen_of
from unabridged.transfer.stores import written_store
from unabridged.transfer.telling import Kept, Telling, encodable


class IntoStore:
    """One run of the command. Of a damaged log, or of one branch of a log, the messages are imported."""

    def __init__(self, into: str, project: str, *, conversation: str | None, as_json: bool) -> None:
        self._place = chosen_place(into)
        self._name = project
        self._conversation = conversation
        self._telling = Telling(as_json=as_json)

    def all(self, files: Sequence[Path]) -> bool:
        """Take all files. Says whether any of them failed."""
        failed = False
        try:
            with written_store(self._place) as store:
                project = store.project(self._name)
                for file in files:
                    try:
                        self._file(project, file)
                    except (UnabridgedError, OSError) as error:
                        failed = True
                        self._telling.failed(file.name, error)
        except (UnabridgedError, OSError) as error:
            self._telling.failed(shown_place(self._place), error)
            return True
        return failed

    def _file(self, project: Project, file: Path) -> None:
        with self._telling.err.status(f"reading {file.name}") as status:
            content = unpacked(file.read_bytes(), file.name)
            opened = _log_in(content, file.name)
            filed = None
            if opened is not None and self._conversation is None and is_whole(opened):
                filed = file_log(project, opened, lambda done: status.update(f"{file.name}: {done:,} entries"))
        if opened is not None and filed is not None:
            kept = self._kept(project, file, filed.session, _problems_of(opened))
            self._telling.kept(kept, added=filed.added)
            return
        log = opened.session if opened is not None else ""
        for conversation in chosen_of(file.name, read_bytes(content, file.name), self._conversation):
            session = self._new(project, conversation, log)
            kept = self._kept(project, file, session, list(conversation.problems))
            self._telling.kept(kept, added=kept.entries)

    def _new(self, project: Project, conversation: Imported, log: str) -> str:
        """Make a session of a conversation, all of it or nothing. One of a log is called after that and its branch."""
        branch = conversation.name.partition("#")[2]
        id = "-".join(filter(None, [log, branch])) if log else session_of(conversation)
        if project.has(id) and project.head(id).entries:
            raise BadInput(f"{conversation.name}: project {project.name!r} has it already, as session {id}")
        title = title_of(conversation.messages)
        session = project.open(id) if project.has(id) else project.create(id=id, title=title)
        with self._telling.err.status(f"writing {conversation.name}"), session.turn(wait_s=0), session.log.step():
            append_to(session.log, conversation)
        return id

    def _kept(self, project: Project, file: Path, session: str, problems: list[str]) -> Kept:
        head = project.head(session)
        return Kept(
            file=encodable(file.name),
            store=encodable(shown_place(self._place)),
            project=project.name,
            session=session,
            title=head.title,
            entries=head.entries,
            problems=problems,
        )


def _log_in(content: bytes, name: str) -> Opened | None:
    """Read a log of this library; None for a file of another kind."""
    if not UnabridgedLog().recognises(Head(content)):
        return None
    reader = LogReader()
    try:
        reader.read(io.BytesIO(content))
        return reader.opened()
    except BadInput as error:
        raise BadInput(f"{name}: {error}") from error


def _problems_of(opened: Opened) -> list[str]:
    return [f"line {each.line}: {each.what.value}, {each.detail}" for each in opened.problems]
