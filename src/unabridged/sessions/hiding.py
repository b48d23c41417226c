"""`unabridged hide`: has no search find a message, or has it found again."""

from __future__ import annotations

import msgspec

from unabridged.errors import BadInput
from unabridged.sessions.options import Hide
from unabridged.sessions.showing import branch_named
from unabridged.sessions.speaking import Speaker, on_one_line
from unabridged.store.place import chosen_place
from unabridged.transcript import Transcript
from unabridged.transfer.stores import read_store, session_in


class HiddenNow(msgspec.Struct, frozen=True):
    """A message that is hidden or not, for `--json`."""

    project: str
    session: str
    branch: str
    message: str
    hidden: bool
    changed: bool
    """False where it was so before."""


def hide(options: Hide) -> bool:
    """Hide messages, all or none, or have them found again. Raises `BadInput` for one that the branch does not have."""
    speaker = Speaker(as_json=options.as_json)
    with read_store(chosen_place(options.store)) as store:
        session = session_in(store.project(options.project), options.session)
        with session.turn():  # whoever works on it now goes on first
            transcript = Transcript(session.log, branch=branch_named(session, options.branch))
            missing = [id for id in options.messages if id not in transcript.position]
            if missing:
                where = f"on branch {transcript.branch} of session {session.id}"
                raise BadInput(f"no message {missing[0]!r} {where}: `unabridged search --json` gives ids")
            changed = transcript.hide(*options.messages, shown=options.undo)
    for id in dict.fromkeys(options.messages):
        told = HiddenNow(
            options.project, session.id, transcript.branch, id, hidden=not options.undo, changed=id in changed
        )
        if options.as_json:
            speaker.json(told)
        else:
            speaker.line(_said(told))
    return True


def _said(told: HiddenNow) -> str:
    what = f"message {on_one_line(told.message)}"
    if not told.changed:
        return f"{what} is hidden already" if told.hidden else f"{what} is not hidden"
    if told.hidden:
        return f"{what} is hidden on branch {told.branch}: no search finds it, and the log keeps it"
    return f"{what} is found again on branch {told.branch}"
