"""A tool that runs on the server, and what it is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import msgspec

from unabridged.conversation import Conversation
from unabridged.framing import Function


class Output(msgspec.Struct, frozen=True, kw_only=True):
    """What a call came to. Its size is no concern of the tool's: the engine fits what the model sees."""

    text: str
    is_error: bool = False


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where a call runs. All of it is the server's word: nothing of it comes from the model."""

    project: str
    session: str
    talk: Conversation
    say: Callable[[str], None]
    """Takes what a running call prints, piece by piece, for whoever watches."""


class ServerTool(Protocol):
    """Carries out calls."""

    @property
    def function(self) -> Function:
        """Name, description and parameters, as models are told of them."""
        ...

    @property
    def asks(self) -> bool:
        """The end user has to allow each call."""
        ...

    def says(self, arguments: str) -> str:
        """Give what a call would do, in a line, for the user who is asked. Raises nothing, whatever the arguments."""
        ...

    async def run(self, arguments: str, place: Place) -> Output:
        """Carry out a call. What the model got wrong is an output with `is_error`; cancelled, it ends what it began."""
        ...
