"""`todo`: the list of what is still to be done, as a whole, each time it changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec

from unabridged.agent.access import Access
from unabridged.agent.tool import Output, Running, ToolError

MOST = 50
SIGNS = {"pending": "[ ]", "in_progress": "[~]", "completed": "[x]"}


class Todo(msgspec.Struct, frozen=True):
    """One thing to do."""

    content: Annotated[str, msgspec.Meta(description="What is to be done, in a few words.", min_length=1)]
    status: Annotated[
        Literal["pending", "in_progress", "completed"], msgspec.Meta(description="At most one is in progress.")
    ]


class _Arguments(msgspec.Struct):
    todos: Annotated[list[Todo], msgspec.Meta(description="The whole list, in order; it replaces the one before.")]


class TodoTool:
    """Keeps the list. It lies in the transcript, as every call does: nothing else has to be stored."""

    name = "todo"
    description = (
        "Write down what is still to be done, for work of three steps or more. Give the whole list each time. Keep it "
        "true: one item in progress at a time, completed only when it is done and checked."
    )
    arguments: type[msgspec.Struct] = _Arguments
    reads_only = True

    def title(self, arguments: Any) -> str:
        """Say how far it is."""
        done = sum(todo.status == "completed" for todo in arguments.todos)
        return f"{done} of {len(arguments.todos)} done"

    def touches(self, arguments: Any) -> Sequence[Access]:
        """Touches nothing outside of the conversation. Raises `ToolError` for a list that cannot be kept."""
        if len(arguments.todos) > MOST:
            raise ToolError(f"{len(arguments.todos)} items are too many to keep true: at most {MOST}, larger ones")
        if sum(todo.status == "in_progress" for todo in arguments.todos) > 1:
            raise ToolError("more than one item is in progress: finish one before the next")
        return ()

    def preview(self, arguments: Any) -> str:
        """Nothing is edited."""
        del arguments
        return ""

    async def run(self, arguments: Any, running: Running) -> Output:
        """Say how the list stands."""
        del running
        lines = [f"{SIGNS[todo.status]} {todo.content}" for todo in arguments.todos]
        return Output(text="\n".join(lines) or "The list is empty.", headline=self.title(arguments))
