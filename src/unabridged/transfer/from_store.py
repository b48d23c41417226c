"""Runs `unabridged export --from`: stored sessions as logs, whole, or as files of other tools."""

from __future__ import annotations

from pathlib import Path

from unabridged.errors import UnabridgedError
from unabridged.exporters.log_file import SUFFIX
from unabridged.importers.unabridged_log import conversations_of
from unabridged.store.filing import write_session
from unabridged.store.place import chosen_place, shown_place
from unabridged.store.sessions import Project, Session
from unabridged.transfer.options import DEFAULT_PROJECT, Export
from unabridged.transfer.places import Places, new_file
from unabridged.transfer.run import Transfer
from unabridged.transfer.stores import read_store, session_in


class FromStore:
    """One run of the command."""

    def __init__(self, options: Export) -> None:
        self._options = options
        self._place = chosen_place(options.source)
        self._transfer = Transfer(options.to, options.out, conversation=options.conversation, as_json=options.as_json)
        self._places = Places(options.out, several=len(options.sources) > 1)

    def all(self) -> bool:
        """Take all sessions that are named. Says whether any of them failed."""
        failed = False
        try:
            with read_store(self._place) as store:
                project = store.project(self._options.project or DEFAULT_PROJECT)
                for id in self._options.sources:
                    try:
                        self._session(project, id)
                    except (UnabridgedError, OSError) as error:
                        failed = True
                        self._transfer.telling.failed(id, error)
        except (UnabridgedError, OSError) as error:
            self._transfer.telling.failed(shown_place(self._place), error)
            return True
        return failed

    def _session(self, project: Project, id: str) -> None:
        session, named = session_in(project, id), Path(f"{id}.jsonl".replace("/", "-"))
        if self._options.to == "log" and self._options.conversation is None:
            self._log(session, named)
        else:
            self._transfer.write(named, list(conversations_of(session.log, id)), self._places)

    def _log(self, session: Session, named: Path) -> None:
        """Write a session as the log that it is, with all of its branches."""
        out = self._places.of(named, SUFFIX)
        assert out is not None  # the command refuses to write a log to the terminal
        telling = self._transfer.telling
        with telling.err.status(f"writing {out.name}") as status, new_file(out) as part:
            counts = write_session(session, part, lambda done: status.update(f"{out.name}: {done:,} entries"))
        telling.whole_log(session.id, out, counts)
