"""What a tool is: its arguments as a type, what it would touch, and what it gives back.

The type of the arguments is both the schema that the model sees and the check of what it writes, so that the two
cannot differ. A tool keeps what it needs to work (a workspace, a sandbox); only the running call is passed in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import msgspec

from unabridged.agent.access import Access
from unabridged.errors import UnabridgedError


class ToolError(UnabridgedError):
    """A call that cannot do its work. The text goes to the model: what is wrong, and what to do instead."""


class Output(msgspec.Struct, frozen=True, kw_only=True):
    """What a call came to."""

    text: str
    """What the model reads. Whole: what is too long for the view is cut there, and stays in the transcript."""
    is_error: bool = False
    headline: str = ""
    """The same in a few words, for a card: `214 lines`, `exit 1, 3.2 s`."""
    diff: str = ""
    """What changed, as a unified diff, for whoever watches. The model wrote it and is not told again."""


class Running(msgspec.Struct, frozen=True):
    """The call that runs."""

    call_id: str
    say: Callable[[str], None]
    """Takes output as it comes, for whoever watches."""


class Tool(Protocol):
    """One tool. Implementations do not inherit."""

    @property
    def name(self) -> str:
        """As the model calls it: snake_case."""
        ...

    @property
    def description(self) -> str:
        """Its contract, in the schema and nowhere else: what it does, its limits, when to use another."""
        ...

    @property
    def arguments(self) -> type[msgspec.Struct]:
        """What it takes; `msgspec.Meta(description=...)` says what each field means."""
        ...

    @property
    def reads_only(self) -> bool:
        """It changes nothing: allowed where only looking is, and run beside others like it."""
        ...

    def title(self, arguments: Any) -> str:
        """Say in one line what a call is about: a path, a command."""
        ...

    def touches(self, arguments: Any) -> Sequence[Access]:
        """Say what a call would touch, before it runs. Raises `ToolError` for what it could never do."""
        ...

    def preview(self, arguments: Any) -> str:
        """Give what a call would change as a unified diff; "" where it edits nothing. Raises `ToolError` likewise."""
        ...

    async def run(self, arguments: Any, running: Running) -> Output:
        """Do it. Raises `ToolError`; cancelled, it leaves nothing running."""
        ...
