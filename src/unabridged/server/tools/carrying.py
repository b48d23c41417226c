"""Carries out one call, whatever its tool does."""

from __future__ import annotations

import logging

from unabridged.server.tools.tool import Output, Place, ServerTool

LOG = logging.getLogger("unabridged.server")


async def carry_out(tool: ServerTool, arguments: str, place: Place) -> Output:
    """Carry out a call; a fault of the tool's own is said to the model without what was raised."""
    try:
        return await tool.run(arguments, place)
    except Exception as error:  # a fault of the tool's own must not end the turn
        LOG.error("tool %s of session %s: %s", tool.function.name, place.session, type(error).__name__, exc_info=error)
        return Output(text="the tool broke down: the fault is in the tool, not in the call", is_error=True)
