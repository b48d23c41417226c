"""The Anthropic Messages wire."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from unabridged.errors import BadInput
from unabridged.frame import Frame
from unabridged.message import Message, Origin, Part, Role, ToolResult
from unabridged.report import Usage
from unabridged.wire import reading, request
from unabridged.wire.anthropic import thinking
from unabridged.wire.anthropic.blocks import read_block
from unabridged.wire.anthropic.merge import merged
from unabridged.wire.anthropic.write import NAME, message_text
from unabridged.wire.content import content_parts
from unabridged.wire.editing import edit
from unabridged.wire.json_text import JsonNode, as_object, compact, count
from unabridged.wire.splicing import Intake, splice


class Anthropic:
    """Reads and writes Anthropic Messages. What each method promises is said in `Wire`."""

    name = NAME
    roles: Mapping[str, Role] = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM}
    has_leading_system = False

    def parts(self, message: JsonNode, intake: Intake) -> tuple[Part, ...]:
        """Read the parts of a message."""
        return content_parts(message, lambda block: read_block(block, intake))

    def read_message(
        self, body: str, *, id: str, origin: Origin | None = None, time: str | None = None
    ) -> tuple[Message, dict[str, bytes]]:
        """Read one message."""
        return reading.read_message(self, body, id=id, origin=origin, time=time)

    def read_request(self, body: bytes, *, id_prefix: str) -> tuple[Frame, tuple[Message, ...], dict[str, bytes]]:
        """Read a whole request. Its system text is one of the frame's fields."""
        return reading.read_request(self, body, id_prefix=id_prefix)

    def edit(self, message: Message, parts: Sequence[Part | None]) -> Message:
        """Replace parts."""
        return edit(message, parts)

    def write_message(self, message: Message, media: Mapping[str, bytes]) -> str:
        """Write one message."""
        if message.raw is not None and message.raw.dialect == NAME:
            return splice(message.raw, media, message.id)
        return message_text(message, media)

    def write_messages(self, messages: Sequence[Message], media: Mapping[str, bytes]) -> list[str]:
        """Write a run of messages: the results that answer one message become one message, before all else in it.

        A run may begin with the results that answer a message written before. Results that arrived in several messages
        and may stand so, since this provider joins neighbours itself, stay as they are.
        """
        texts: list[str] = []
        answers: list[Message] = []
        answered = True
        for message in messages:
            if answered and _brings_results(message):
                answers.append(message)
                continue
            texts += self._answers(answers, media)
            answers = []
            answered = bool(message.calls)
            texts.append(self.write_message(message, media))
        return texts + self._answers(answers, media)

    def _answers(self, messages: Sequence[Message], media: Mapping[str, bytes]) -> list[str]:
        if not messages:
            return []
        texts = [self.write_message(message, media) for message in messages]
        as_they_came = all(m.raw is not None and m.raw.dialect == NAME for m in messages)
        if as_they_came and all(isinstance(part, ToolResult) for m in messages[:-1] for part in m.parts):
            return [*texts[:-1], merged(texts[-1:])]
        return [merged(texts)]

    def write_request(self, frame: Frame, messages: Sequence[str]) -> bytes:
        """Write a whole request."""
        if frame.system:
            raise BadInput("an Anthropic frame has no system messages: put their text into its field `system`")
        return request.write_body(frame, NAME, messages)

    def usage(self, response: Mapping[str, object]) -> Usage | None:
        """Read what was used. Cached input is reported apart from `input_tokens`, which holds only the rest."""
        reported = as_object(response.get("usage"))
        if "input_tokens" not in reported:
            return None
        cached, cache_write = count(reported, "cache_read_input_tokens"), count(reported, "cache_creation_input_tokens")
        return Usage(
            input=count(reported, "input_tokens") + cached + cache_write,
            cached=cached,
            cache_write=cache_write,
            output=count(reported, "output_tokens"),
        )

    def max_output(self, frame: Frame) -> int | None:
        """Give the output limit that the frame asks for, in tokens."""
        return request.count_of(frame, "max_tokens")

    def with_max_output(self, frame: Frame, tokens: int) -> Frame:
        """Give the frame with another output limit, and a thinking budget that it holds."""
        return request.with_field(thinking.within(frame, tokens), "max_tokens", str(tokens))

    def frame_texts(self, frame: Frame) -> Iterator[str]:
        """Give every text of the frame that the provider tokenizes."""
        system = request.field(frame, "system")
        if system is not None:
            yield from _texts_of(system)
        tools = request.field(frame, "tools")
        if tools is not None:
            yield from (compact(tool.source) for tool in tools.items())
        for name in ("output_format", "output_config"):
            shape = request.field(frame, name)
            if shape is not None:
                yield compact(shape.source)


def _brings_results(message: Message) -> bool:
    parts = message.parts
    return message.role in (Role.TOOL, Role.USER) and bool(parts) and isinstance(parts[0], ToolResult)


def _texts_of(system: JsonNode) -> Iterator[str]:
    if isinstance(system.value, str):
        yield system.value
    yield from (block.string("text") for block in system.items())
