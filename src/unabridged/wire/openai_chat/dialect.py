"""The OpenAI Chat Completions wire."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from unabridged.errors import BadInput
from unabridged.frame import Frame
from unabridged.message import Message, Origin, Part, Role, Text
from unabridged.report import Usage
from unabridged.wire import reading, request
from unabridged.wire.editing import edit
from unabridged.wire.json_text import JsonNode, as_object, compact, count
from unabridged.wire.openai_chat.places import is_result, places, read_place, read_result
from unabridged.wire.openai_chat.write import NAME, Written, written
from unabridged.wire.splicing import Intake, splice


class OpenAIChat:
    """Reads and writes OpenAI chat messages. What each method promises is said in `Wire`."""

    name = NAME
    roles: Mapping[str, Role] = {
        "system": Role.SYSTEM,
        "developer": Role.SYSTEM,
        "user": Role.USER,
        "assistant": Role.ASSISTANT,
        "tool": Role.TOOL,
        "function": Role.TOOL,
    }
    has_leading_system = True

    def parts(self, message: JsonNode, intake: Intake) -> tuple[Part, ...]:
        """Read the parts of a message."""
        if is_result(message):
            return (read_result(message, intake),)
        return tuple([read_place(place, intake) for place in places(message)])

    def read_message(
        self, body: str, *, id: str, origin: Origin | None = None, time: str | None = None
    ) -> tuple[Message, dict[str, bytes]]:
        """Read one message."""
        return reading.read_message(self, body, id=id, origin=origin, time=time)

    def read_request(self, body: bytes, *, id_prefix: str) -> tuple[Frame, tuple[Message, ...], dict[str, bytes]]:
        """Read a whole request. System messages that lead the list are the frame's, later ones the transcript's."""
        return reading.read_request(self, body, id_prefix=id_prefix)

    def edit(self, message: Message, parts: Sequence[Part | None]) -> Message:
        """Replace parts."""
        return edit(message, parts)

    def write_message(self, message: Message, media: Mapping[str, bytes]) -> str:
        """Write one message. Raises `BadInput` where it takes more than one here: a message for each result."""
        if message.raw is not None and message.raw.dialect == NAME:
            return splice(message.raw, media, message.id)
        results, rest = written(message, media)
        texts = [*results, *([] if rest is None else [rest])]
        if len(texts) != 1:
            raise BadInput(f"message {message.id} takes {len(texts)} OpenAI messages: write it with write_messages")
        return texts[0]

    def write_messages(self, messages: Sequence[Message], media: Mapping[str, bytes]) -> list[str]:
        """Write a run of messages; there may be more texts than messages.

        Each result is a message of its own, and no other may stand between the results that answer one message. So
        what comes with them, media above all, follows after the last.
        """
        texts: list[str] = []
        waiting: list[str] = []
        for message in messages:
            results, rest = self._written(message, media)
            if not results:
                texts += waiting
                waiting = []
            texts += results
            if rest is not None:
                (waiting if results else texts).append(rest)
        return texts + waiting

    def _written(self, message: Message, media: Mapping[str, bytes]) -> Written:
        if message.raw is None or message.raw.dialect != NAME:
            return written(message, media)
        text = splice(message.raw, media, message.id)
        return Written((text,), None) if message.role is Role.TOOL else Written((), text)

    def write_request(self, frame: Frame, messages: Sequence[str]) -> bytes:
        """Write a whole request, the frame's system messages first."""
        system = (self.write_message(message, {}) for message in frame.system)
        return request.write_body(frame, NAME, [*system, *messages])

    def usage(self, response: Mapping[str, object]) -> Usage | None:
        """Read what was used. `prompt_tokens` includes what came from the cache."""
        reported = as_object(response.get("usage"))
        if "prompt_tokens" not in reported:
            return None
        prompt = as_object(reported.get("prompt_tokens_details"))
        return Usage(
            input=count(reported, "prompt_tokens"),
            cached=count(prompt, "cached_tokens"),
            cache_write=count(prompt, "cache_write_tokens"),
            output=count(reported, "completion_tokens"),
            reasoning=count(as_object(reported.get("completion_tokens_details")), "reasoning_tokens"),
        )

    def max_output(self, frame: Frame) -> int | None:
        """Give the output limit that the frame asks for, in tokens."""
        return request.count_of(frame, _limit_of(frame))

    def with_max_output(self, frame: Frame, tokens: int) -> Frame:
        """Give the frame with another output limit, in the field that it has."""
        return request.with_field(frame, _limit_of(frame), str(tokens))

    def frame_texts(self, frame: Frame) -> Iterator[str]:
        """Give every text of the frame that the provider tokenizes."""
        for message in frame.system:
            yield from (part.text for part in message.parts if isinstance(part, Text))
        for name in ("tools", "functions"):
            tools = request.field(frame, name)
            if tools is not None:
                yield from (compact(tool.source) for tool in tools.items())
        shape = request.field(frame, "response_format")
        if shape is not None:
            yield compact(shape.source)


def _limit_of(frame: Frame) -> str:
    """Name the field of the output limit. Where there is none, the old one: servers of other makers know no other."""
    newer = "max_completion_tokens"
    return newer if request.field(frame, newer) is not None else "max_tokens"
