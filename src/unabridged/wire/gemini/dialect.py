"""The Gemini wire."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from unabridged.errors import BadInput
from unabridged.frame import Frame
from unabridged.message import Message, Origin, Part, Role
from unabridged.report import Usage
from unabridged.wire import reading, request
from unabridged.wire.asked import Asked
from unabridged.wire.editing import edit
from unabridged.wire.gemini import frame as framing
from unabridged.wire.gemini.merge import answers, one_turn
from unabridged.wire.gemini.places import places, read_place
from unabridged.wire.gemini.write import NAME, Written, written
from unabridged.wire.json_text import JsonNode, as_object, count
from unabridged.wire.splicing import Intake, splice

LISTED = "contents"
_TEXT_HEAD, _TEXT_TAIL = '{"role":"user","parts":[{"text":', "}]}"
"""What `contents` that are one string are short for; the string stands between."""


class Gemini:
    """Reads and writes Gemini contents. What each method promises is said in `Wire`."""

    name = NAME
    roles: Mapping[str, Role] = {
        "user": Role.USER,
        "model": Role.ASSISTANT,
        "function": Role.TOOL,
        "tool": Role.TOOL,
        "": Role.USER,  # it may be left out
    }
    has_leading_system = False

    def parts(self, message: JsonNode, intake: Intake) -> tuple[Part, ...]:
        """Read the parts of a message."""
        if not isinstance(message.value, dict):
            raise BadInput("a content is no JSON object: give it a `role` and its `parts`")
        return tuple(read_place(place, intake) for place in places(message))

    def read_message(
        self, body: str, *, id: str, origin: Origin | None = None, time: str | None = None
    ) -> tuple[Message, dict[str, bytes]]:
        """Read one message."""
        return reading.read_message(self, body, id=id, origin=origin, time=time)

    def read_request(self, body: bytes, *, id_prefix: str) -> tuple[Frame, tuple[Message, ...], dict[str, bytes]]:
        """Read a whole request. Its system instruction is one of the frame's fields."""
        taken_apart = request.read_body(body, LISTED, may_be_text=True)
        frame = Frame(dialect=NAME, fields=taken_apart.fields, envelope=taken_apart.envelope)
        nodes = taken_apart.messages
        if request.is_text(frame):
            nodes = [JsonNode.parse(_TEXT_HEAD + node.text + _TEXT_TAIL, LISTED) for node in nodes]
        messages, media = list[Message](), dict[str, bytes]()
        for position, node in enumerate(nodes):
            message, blobs = reading.read_node(self, node, f"{id_prefix}-{position:06d}", f"{LISTED}[{position}]")
            messages.append(message)
            media |= blobs
        return frame, tuple(messages), media

    def edit(self, message: Message, parts: Sequence[Part | None]) -> Message:
        """Replace parts. The media of a result stand behind its texts, whatever order they are given in."""
        return edit(message, parts)

    def write_message(self, message: Message, media: Mapping[str, bytes]) -> str:
        """Write one message. Raises `BadInput` where it takes more than one here: results, and what came with them."""
        if message.raw is not None and message.raw.dialect == NAME:
            return splice(message.raw, media, message.id)
        texts = [text for text in written(message, media, Asked()) if text is not None]
        if len(texts) != 1:
            raise BadInput(f"message {message.id} takes {len(texts)} Gemini contents: write it with write_messages")
        return texts[0]

    def write_messages(self, messages: Sequence[Message], media: Mapping[str, bytes]) -> list[str]:
        """Write a run of messages: the results that answer one turn become one content, answers of which one calls too.

        A run may begin with results that answer a message of an earlier one only if they are in this form already:
        others need the names of the functions, which only the calls have.
        """
        turns = _Turns()
        asked = Asked()
        for message in messages:
            home = message.raw is not None and message.raw.dialect == NAME
            results, rest = self._at_home(message, media, asked) if home else written(message, media, asked)
            asked.see(message)
            turns.add(message, results, rest)
        return turns.finished()

    def _at_home(self, message: Message, media: Mapping[str, bytes], asked: Asked) -> Written:
        text = self.write_message(message, media)
        for result in message.results:
            asked.answered(result.call_id)
        return Written(text, None) if message.results else Written(None, text)

    def write_request(self, frame: Frame, messages: Sequence[str]) -> bytes:
        """Write a whole request."""
        if frame.system:
            raise BadInput("a Gemini frame has no system messages: put their text into its field `systemInstruction`")
        if frame.dialect == NAME and request.is_text(frame):
            text = _short(messages)
            frame, messages = (request.with_list(frame), messages) if text is None else (frame, [text])
        return request.write_body(frame, NAME, messages, LISTED)

    def usage(self, response: Mapping[str, object]) -> Usage | None:
        """Read what was used. `promptTokenCount` includes what came from the cache; thoughts are output."""
        reported = next(filter(None, (as_object(response.get(key)) for key in _USAGE)), dict[str, object]())
        named = {key.replace("_", "").lower(): value for key, value in reported.items()}
        if "prompttokencount" not in named:
            return None
        thoughts = count(named, "thoughtstokencount")
        return Usage(
            input=count(named, "prompttokencount"),
            cached=count(named, "cachedcontenttokencount"),
            output=count(named, "candidatestokencount") + thoughts,
            reasoning=thoughts,
        )

    def max_output(self, frame: Frame) -> int | None:
        """Give the output limit that the frame asks for, in tokens."""
        return framing.max_output(frame)

    def with_max_output(self, frame: Frame, tokens: int) -> Frame:
        """Give the frame with another output limit, in the field that it has."""
        return framing.with_max_output(frame, tokens)

    def frame_texts(self, frame: Frame) -> Iterator[str]:
        """Give every text of the frame that the provider tokenizes."""
        return framing.texts(frame)


_USAGE = ("usageMetadata", "usage_metadata", "usage")


class _Turns:
    """Collects written contents, and makes one turn of those that have to be one."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._answers: list[str] = []
        self._behind: list[str] = []
        self._said: list[str] = []
        self._calls = False
        self._answered = True

    def add(self, message: Message, results: str | None, rest: str | None) -> None:
        """Take in the next message."""
        if results is not None and self._answered:
            self._close_said()
            self._answers.append(results)
            self._behind += [rest] if rest is not None else []
            return
        self._close_answers()
        if message.role is Role.ASSISTANT and message.origin is not Origin.MARKER:
            self._said += [rest] if rest is not None else []
            self._calls |= bool(message.calls)
            self._answered = self._calls
            return
        self._close_said()
        self._answered = False
        self._texts += [text for text in (results, rest) if text is not None]

    def finished(self) -> list[str]:
        """Give all contents."""
        self._close_said()
        self._close_answers()
        return self._texts

    def _close_said(self) -> None:
        self._texts += [one_turn(self._said)] if self._calls and len(self._said) > 1 else self._said
        self._said, self._calls = [], False

    def _close_answers(self) -> None:
        if self._answers:
            self._texts += answers(self._answers)
            self._texts += self._behind
            self._answers, self._behind = [], []
            self._answered = False


def _short(messages: Sequence[str]) -> str | None:
    """Give the inside of the string that a request's contents are short for; None where one string does not say it."""
    if len(messages) != 1 or not (messages[0].startswith(_TEXT_HEAD) and messages[0].endswith(_TEXT_TAIL)):
        return None
    text = messages[0][len(_TEXT_HEAD) : -len(_TEXT_TAIL)]
    try:
        node = JsonNode.parse(text, "a text")
    except BadInput:
        return None
    return text[1:-1] if isinstance(node.value, str) and text.startswith('"') and text.endswith('"') else None
