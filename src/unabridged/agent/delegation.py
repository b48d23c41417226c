"""`task`: a helper that looks something up on its own, in a session of its own, and reports in a few words.

It only looks. What it reads stays in its session, whole; what comes back is bounded, and names that session.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Annotated, Any

import msgspec

from unabridged.agent.access import Access
from unabridged.agent.events import CallWaits, Ending, Event
from unabridged.agent.loop import Agent
from unabridged.agent.tool import Output, Running, ToolError
from unabridged.store.sessions import Head, Project

MOST = 8_000
"""Characters of a report."""
ASKS = (
    "{prompt}\n\nYou only look: you can change nothing. Answer in at most 400 words, with the paths and line numbers "
    "that bear it out. Say what you did not find."
)

_MARK = "task: "

Opening = Callable[[str, Callable[[Event], None]], AbstractContextManager[tuple[str, Agent]]]
"""Opens a helper with a title and somebody who watches; gives the id of its session, and the helper."""


def title_of(task: str) -> str:
    """Give the title of a helper's session."""
    return f"{_MARK}{task}"


def own_sessions(project: Project, limit: int) -> list[Head]:
    """Give the newest sessions of a project that are no helper's, the one that was worked on last first."""
    heads = [head for head in project.sessions(limit=limit) if not head.title.startswith(_MARK)]
    return sorted(heads, key=lambda head: head.updated, reverse=True)


class _Arguments(msgspec.Struct):
    title: Annotated[str, msgspec.Meta(description="What it is about, in a few words.", min_length=1)]
    prompt: Annotated[
        str, msgspec.Meta(description="All that the helper has to know: it sees nothing of this conversation.")
    ]


class TaskTool:
    """Sends a helper out."""

    name = "task"
    description = (
        "Send a helper to look something up in the workspace: where something is done, how parts fit together, what "
        "would be touched. It works on its own, only looks, and reports in a few words, so that what it reads does not "
        "fill this conversation. Several can be sent at a time. For one file or one search use the tools themselves."
    )
    arguments: type[msgspec.Struct] = _Arguments
    reads_only = True

    def __init__(self, opening: Opening) -> None:
        self._opening = opening

    def title(self, arguments: Any) -> str:
        """Give its title."""
        return str(arguments.title)

    def touches(self, arguments: Any) -> Sequence[Access]:
        """Touches nothing itself; each call of the helper is judged on its own."""
        if not arguments.prompt.strip():
            raise ToolError("the helper has to be told what to look for: give a `prompt`")
        return ()

    def preview(self, arguments: Any) -> str:
        """Nothing is edited."""
        del arguments
        return ""

    async def run(self, arguments: Any, running: Running) -> Output:
        """Send it, wait for it, and give its report."""

        def watch(event: Event) -> None:
            if isinstance(event, CallWaits):
                running.say(f"{event.tool} {event.title}\n")

        with self._opening(arguments.title, watch) as (session, helper):
            ended = await helper.run(ASKS.format(prompt=arguments.prompt))
        text = ended.text.strip()
        shown = (
            text if len(text) <= MOST else f"{text[:MOST]}…\n({len(text) - MOST:,} more characters: session {session})"
        )
        if ended.ending not in (Ending.COMPLETED, Ending.UNVERIFIED):
            why = ended.detail or ended.ending.value
            raise ToolError(f"the helper stopped after {ended.steps} steps ({why}). What it said last: {shown or '-'}")
        return Output(text=shown or "The helper had nothing to report.", headline=f"{ended.steps} steps")
