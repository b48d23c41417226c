"""Wires: how messages and requests look to a provider, read and written.

A dialect is lossless at home: a message that nobody changed goes out as the same characters that came in. Across
dialects it is as faithful as the target allows. No wire decides anything about what a conversation should hold; what
a provider would refuse is mended by `repair` before it comes here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Protocol, cast

from unabridged.errors import BadInput
from unabridged.frame import Frame
from unabridged.message import Message, Origin, Part
from unabridged.report import Usage

__all__ = ["Wire", "wire"]


class Wire(Protocol):
    """One provider dialect. Everything is a pure function of its arguments."""

    @property
    def name(self) -> str:
        """`openai_chat`, `openai_responses`, `anthropic` or `gemini`."""
        ...

    def read_message(
        self, body: str, *, id: str, origin: Origin | None = None, time: str | None = None
    ) -> tuple[Message, dict[str, bytes]]:
        """Read one message, and the bytes of its media by digest (SHA-256, hex).

        Args:
            body: The message as JSON text, exactly as on the wire.
            id: What the message is called from now on.
            origin: Who made it. Guessed where it is not given: a user's message is `human`, one of results only and a
                tool's `tool_feedback`, the assistant's `model`, system text `injected`.
            time: When it was recorded, RFC 3339.

        Raises:
            BadInput: It is not JSON, no object, or has no role that this dialect knows.
        """
        ...

    def read_request(self, body: bytes, *, id_prefix: str) -> tuple[Frame, tuple[Message, ...], dict[str, bytes]]:
        """Read a whole request: its frame, its messages, and the bytes of their media by digest.

        The ids are `id_prefix`, a hyphen and the position in the list, six digits.

        Raises:
            BadInput: It is no request; the message names the field.
        """
        ...

    def edit(self, message: Message, parts: Sequence[Part | None]) -> Message:
        """Give a message with its parts replaced one for one; None takes a part out.

        Only what differs changes in the raw form: unknown fields, cache marks and the order of members stay. A tool
        result may get any number of other parts. Reading the changed raw form again gives exactly the parts given.

        Raises:
            BadInput: There is not one new part for each part, the provider's form cannot hold one in that place, signed
                reasoning was changed, or nothing would be left of a message that cannot be empty.
        """
        ...

    def write_message(self, message: Message, media: Mapping[str, bytes]) -> str:
        """Write one message as JSON text: at home the exact original with its media back in place, else from its parts.

        Summaries and markers are written with the user's role.

        Raises:
            BadInput: The bytes of its media are not in `media`, or it takes more, or less, than one message here.
        """
        ...

    def write_messages(self, messages: Sequence[Message], media: Mapping[str, bytes]) -> list[str]:
        """Write a run of messages, with what this wire wants in one message in one, and in several in several.

        So there may be fewer texts than messages, or more. A conversation can be written run by run: a run may begin
        with results that answer a message of an earlier one, if it brings all of them.
        """
        ...

    def write_request(self, frame: Frame, messages: Sequence[str]) -> bytes:
        """Write a whole request. Byte-identical to the one that was read where nothing changed in between.

        Only the white space between two messages is made uniform: it is the same between all of them.

        Raises:
            BadInput: The frame is another dialect's.
        """
        ...

    def usage(self, response: Mapping[str, object]) -> Usage | None:
        """Read the tokens that a decoded response reports; None where it reports none."""
        ...

    def max_output(self, frame: Frame) -> int | None:
        """Give the output limit that the frame asks for, in tokens; None where it sets none."""
        ...

    def with_max_output(self, frame: Frame, tokens: int) -> Frame:
        """Give the frame with another output limit; else only what the provider demands with it is changed."""
        ...

    def frame_texts(self, frame: Frame) -> Iterator[str]:
        """Give every text of the frame that the provider tokenizes: system text, tool schemas, response format."""
        ...


_HOMES: Mapping[str, str] = {
    "anthropic": "Anthropic",
    "gemini": "Gemini",
    "openai_chat": "OpenAIChat",
    "openai_responses": "OpenAIResponses",
}
"""Each dialect's module below this one, and its class there: most processes speak one."""


@cache
def wire(name: str) -> Wire:
    """Give the wire of a dialect. Raises `BadInput` for a name that none has."""
    if name not in _HOMES:
        raise BadInput(f"unknown wire {name!r}: use one of {', '.join(sorted(_HOMES))}")
    home = import_module(f"unabridged.wire.{name}.dialect")
    return cast(Wire, getattr(home, _HOMES[name])())
