"""Carries out one call, whatever its tool does."""

from __future__ import annotations

import logging

import msgspec

from unabridged.server.tools.tool import Output, Place, ServerTool

LOG = logging.getLogger("unabridged.server")
BROKEN = "the tool broke down: the fault is in the tool, not in the call"
NO_OBJECT = "{name} takes its arguments as one JSON object, and what it was given is none{why}: make the call again"


async def carry_out(tool: ServerTool, arguments: str, place: Place) -> Output:
    """Carry out a call. A fault of the tool's own is logged, and said to the model without what was raised.

    A cancellation is none: it passes through, when the tool has ended what it began.
    """
    name = tool.function.name
    given = arguments if arguments.strip() else "{}"  # how some models say that they give none
    why = _no_object(given)
    if why is not None:
        return Output(text=NO_OBJECT.format(name=name, why=why), is_error=True)
    try:
        return await tool.run(given, place)
    except Exception as error:  # a fault of the tool's own must not end the turn
        LOG.error("tool %s of session %s: %s", name, place.session, type(error).__name__, exc_info=error)
        return Output(text=BROKEN, is_error=True)


def _no_object(arguments: str) -> str | None:
    """Say why arguments are no JSON object; None where they are one."""
    try:
        value = msgspec.json.decode(arguments)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
        return f" ({error})"
    return None if isinstance(value, dict) else ""
