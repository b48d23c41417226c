"""The OpenAI Responses wire."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from unabridged.errors import BadInput
from unabridged.frame import Frame
from unabridged.message import Message, Opaque, Origin, Part, Role, Text
from unabridged.report import Usage
from unabridged.wire import request
from unabridged.wire.asked import Asked
from unabridged.wire.editing import edit
from unabridged.wire.json_text import JsonNode, as_object, compact, count, list_of
from unabridged.wire.openai_responses import read
from unabridged.wire.openai_responses.write import NAME, Written, written
from unabridged.wire.splicing import splice

_LIMIT = "max_output_tokens"


class OpenAIResponses:
    """Reads and writes Responses items. What each method promises is said in `Wire`."""

    name = NAME

    def read_message(
        self, body: str, *, id: str, origin: Origin | None = None, time: str | None = None
    ) -> tuple[Message, dict[str, bytes]]:
        """Read one message: an item, or the list of the items of one answer."""
        return read.read_message(body, id=id, origin=origin, time=time)

    def read_request(self, body: bytes, *, id_prefix: str) -> tuple[Frame, tuple[Message, ...], dict[str, bytes]]:
        """Read a whole request. System messages that lead the list are the frame's, later ones the transcript's.

        Raises `BadInput` where it goes on from messages that the provider keeps (`previous_response_id`,
        `conversation`).
        """
        return read.read_request(body, id_prefix=id_prefix)

    def edit(self, message: Message, parts: Sequence[Part | None]) -> Message:
        """Replace parts. Items behind reasoning that is taken out lose their ids, by which they ask for it."""
        return edit(message, parts)

    def write_message(self, message: Message, media: Mapping[str, bytes]) -> str:
        """Write one message: as an item, or as the list of its items where it is several."""
        if _is_home(message):
            assert message.raw is not None
            return splice(message.raw, media, message.id)
        results, rest = written(message, media, Asked())
        texts = [*results, *rest]
        if not texts or (len(texts) > 1 and message.role is not Role.ASSISTANT):
            raise BadInput(f"message {message.id} takes {len(texts)} messages here: write it with write_messages")
        return texts[0] if len(texts) == 1 else list_of(texts)

    def write_messages(self, messages: Sequence[Message], media: Mapping[str, bytes]) -> list[str]:
        """Write a run of messages, item by item. What comes with results follows after the last of them."""
        texts: list[str] = []
        waiting: list[str] = []
        asked = Asked()
        for message in messages:
            results, rest = self._written(message, media, asked)
            asked.see(message)
            if not results:
                texts += waiting
                waiting = []
            texts += results
            if results:
                waiting += rest
            else:
                texts += rest
        return texts + waiting

    def _written(self, message: Message, media: Mapping[str, bytes], asked: Asked) -> Written:
        if not _is_home(message):
            return written(message, media, asked)
        items = _items(self.write_message(message, media))
        for result in message.results:
            asked.answered(result.call_id)
        return Written(items, ()) if message.role is Role.TOOL else Written((), items)

    def write_request(self, frame: Frame, messages: Sequence[str]) -> bytes:
        """Write a whole request, the frame's system messages first."""
        system = [self.write_message(message, {}) for message in frame.system]
        items = [item for text in [*system, *messages] for item in _items(text)]
        if frame.dialect == NAME and request.is_text(frame):
            text = _short(items)
            if text is None:
                frame = request.with_list(frame)
            else:
                items = [text]
        return request.write_body(frame, NAME, items, read.LISTED)

    def usage(self, response: Mapping[str, object]) -> Usage | None:
        """Read what was used. `input_tokens` includes what came from the cache."""
        reported = as_object(response.get("usage"))
        if "input_tokens" not in reported:
            return None
        given = as_object(reported.get("input_tokens_details"))
        return Usage(
            input=count(reported, "input_tokens"),
            cached=count(given, "cached_tokens"),
            cache_write=count(given, "cache_write_tokens"),
            output=count(reported, "output_tokens"),
            reasoning=count(as_object(reported.get("output_tokens_details")), "reasoning_tokens"),
        )

    def max_output(self, frame: Frame) -> int | None:
        """Give the output limit that the frame asks for, in tokens."""
        return request.count_of(frame, _LIMIT)

    def with_max_output(self, frame: Frame, tokens: int) -> Frame:
        """Give the frame with another output limit."""
        return request.with_field(frame, _LIMIT, str(tokens))

    def frame_texts(self, frame: Frame) -> Iterator[str]:
        """Give every text of the frame that the provider tokenizes."""
        instructions = request.field(frame, "instructions")
        if instructions is not None and isinstance(instructions.value, str):
            yield instructions.value
        for part in (part for message in frame.system for part in message.parts):
            if isinstance(part, Text | Opaque):
                yield part.text if isinstance(part, Text) else compact(part.data)
        tools = request.field(frame, "tools")
        if tools is not None:
            yield from (compact(tool.source) for tool in tools.items())
        shape = request.field(frame, "text")
        form = None if shape is None else shape.get("format")
        if form is not None:
            yield compact(form.source)


def _is_home(message: Message) -> bool:
    return message.raw is not None and message.raw.dialect == NAME


def _items(text: str) -> list[str]:
    """Give the items of a written message: several stand in a list."""
    if not text.lstrip().startswith("["):
        return [text]
    return [item.source for item in JsonNode.parse(text, "a written message").items()]


def _short(items: Sequence[str]) -> str | None:
    """Give the inside of the string that a request's items are short for; None where one string does not say it."""
    if len(items) != 1 or not items[0].startswith(read.TEXT_HEAD):
        return None
    content = JsonNode.parse(items[0], "a written message").get("content")
    if (
        content is None
        or not isinstance(content.value, str)
        or len(read.TEXT_HEAD + content.source) + 1 != len(items[0])
    ):
        return None
    return content.source[1:-1]
