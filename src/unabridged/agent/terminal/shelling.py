"""`!command`: a command that a person runs themselves, seen as a call is; the model is told with their next words."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from unabridged.agent import events
from unabridged.agent.events import Event
from unabridged.agent.tool import Output, Running, Tool, ToolError
from unabridged.errors import BadInput

ID = "!"
MOST = 20_000
"""Characters of its output that the model is told."""
SHOWN = 20
"""Lines of it that are printed at the end."""


async def shelled(tool: Tool, command: str, tell: Callable[[Event], None]) -> str:
    """Run a command, show what it says, and give the note for the model. Raises `BadInput`."""
    try:
        arguments = msgspec.convert({"command": command}, tool.arguments)
    except msgspec.ValidationError as error:
        raise BadInput(f"`{tool.name}` takes no bare command ({error})") from None
    tell(events.CallWaits(call_id=ID, tool=tool.name, title=command))
    tell(events.CallRuns(ID))
    began = time.monotonic()
    try:
        output = await tool.run(arguments, Running(ID, lambda text: tell(events.CallSays(ID, text))))
    except ToolError as wrong:
        output = Output(text=str(wrong), is_error=True, headline="failed")
    tell(
        events.CallEnded(
            call_id=ID,
            tool=tool.name,
            headline=output.headline,
            text=output.text,
            is_error=output.is_error,
            seconds=time.monotonic() - began,
        )
    )
    told = output.text if len(output.text) <= MOST else f"{output.text[:MOST]}\n({len(output.text) - MOST:,} more)"
    return f"[context: the user ran `{command}` themselves]\n{told}"
