"""`unabridged show`: opens the session, and hands it to the view that is asked for."""

from __future__ import annotations

from unabridged.errors import BadInput
from unabridged.sessions.options import Show
from unabridged.sessions.overview import Overview
from unabridged.sessions.past import print_raw, print_step
from unabridged.sessions.speaking import Speaker
from unabridged.sessions.tracing import print_trace
from unabridged.sessions.why import print_fate
from unabridged.store.place import chosen_place
from unabridged.store.sessions import Session
from unabridged.store.steps import PastStep, Steps
from unabridged.transfer.stores import read_store, session_in


def show(options: Show) -> bool:
    """Print what is asked for. Raises `BadInput` for what the session does not have."""
    speaker = Speaker(as_json=options.as_json)
    with read_store(chosen_place(options.store)) as store:
        project = store.project(options.project)
        session = session_in(project, options.session)
        steps = Steps(session.log, branch_named(session, options.branch))
        if options.why is not None:
            print_fate(speaker, session, steps, options.why)
        elif options.step is None:
            Overview(speaker, project.head(session.id), options.project).show(steps, options.limit, options.before)
            if not options.as_json:
                print_trace(speaker, session.id)
        elif options.raw:
            print_raw(speaker, _step(session, steps, options.step))
        else:
            print_step(speaker, session, steps, _step(session, steps, options.step))
    return True


def branch_named(session: Session, name: str | None) -> str | None:
    """Give a branch by its name; None for the newest. Raises `BadInput` for one that the session does not have."""
    if name is not None and name not in session.log.branches:
        raise BadInput(f"no branch {name!r} in session {session.id}: it has {', '.join(session.log.branches)}")
    return name


def _step(session: Session, steps: Steps, number: int) -> PastStep:
    if not (1 <= number <= len(steps) or 1 <= -number <= len(steps)):
        raise BadInput(f"no step {number} on branch {steps.branch} of session {session.id}: it has {len(steps):,}")
    return steps.step(number)
