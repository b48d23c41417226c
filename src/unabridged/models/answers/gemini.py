"""A turn of Gemini's, put together from its chunks: each is a whole response with some of the parts.

Parts are kept to the character. Texts of one kind that follow each other are one, but for those that carry anything
else: a signature belongs to the very part that it came with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from unabridged.models.failing import Refusal
from unabridged.models.model import CallDelta, CallStarted, Completed, Event, ReasoningDelta, TextDelta, ToolRan
from unabridged.models.server_events import ServerEvent
from unabridged.report import Usage
from unabridged.wire import wire
from unabridged.wire.json_text import JsonNode, as_list, as_object, list_of, object_of, quote

_TEXT = frozenset({"text", "thought"})


class _Said:
    """Text of one kind, as far as it came."""

    def __init__(self, *, thought: bool) -> None:
        self.thought = thought
        self.pieces: list[str] = []

    def written(self) -> str:
        """Give it as one part."""
        text = quote("".join(self.pieces).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass"))
        return object_of(text=text, thought="true") if self.thought else object_of(text=text)


class GeminiAnswer:
    """One answer. Of several candidates it is the first."""

    def __init__(self) -> None:
        self.ended = False
        self.closed = False
        self._parts: list[_Said | str] = []
        self._calls = 0
        self._searched = False
        self._usage: Usage | None = None
        self._stop = ""
        self._model = ""

    def take(self, event: ServerEvent) -> Iterator[Event]:
        """Take in a chunk, or a body: one response, or a list of chunks."""
        node = event.node()
        for chunk in node.items() if isinstance(node.value, list) else [node]:
            yield from self._chunk(chunk)
        self.closed = event.is_whole

    def completed(self) -> Completed:
        """Give the answer: one content."""
        parts = [part if isinstance(part, str) else part.written() for part in self._parts]
        content = object_of(role='"model"', parts=list_of(parts))
        said = any(isinstance(part, str) or any(part.pieces) for part in self._parts)
        return Completed(items=(content,) if said else (), usage=self._usage, stop=self._stop, model=self._model)

    def _chunk(self, chunk: JsonNode) -> Iterator[Event]:
        said = chunk.members
        candidates = as_list(said.get("candidates"))
        if said.get("error") or (not candidates and as_object(said.get("promptFeedback")).get("blockReason")):
            raise Refusal(said)
        self._model = str(said.get("modelVersion") or self._model)
        self._usage = wire("gemini").usage(said) or self._usage
        if not candidates:
            return
        candidate = chunk.member("candidates").items()[0]
        content = candidate.get("content")
        parts = None if content is None else content.get("parts")
        for part in [] if parts is None else parts.items():
            yield from self._part(part)
        if as_object(candidate.members.get("groundingMetadata")).get("webSearchQueries") and not self._searched:
            self._searched = True
            yield ToolRan("google_search")
        if stop := candidate.members.get("finishReason"):
            self._stop = str(stop)
            self.ended = True

    def _part(self, part: JsonNode) -> Iterator[Event]:
        members = part.members
        text, thought = members.get("text"), members.get("thought") is True
        if isinstance(text, str) and text:
            yield ReasoningDelta(text) if thought else TextDelta(text)
        if isinstance(text, str) and members.keys() <= _TEXT:
            last = self._parts[-1] if self._parts else None
            if not isinstance(last, _Said) or last.thought != thought:
                last = _Said(thought=thought)
                self._parts.append(last)
            last.pieces.append(text)
            return
        self._parts.append(part.source)
        yield from self._used(part)

    def _used(self, part: JsonNode) -> Iterator[Event]:
        members: Mapping[str, object] = part.members
        call = part.get("functionCall")
        if call is not None:
            name = call.string("name")
            yield CallStarted(self._calls, call.string("id") or name, name)
            arguments = call.get("args")
            if arguments is not None:
                yield CallDelta(self._calls, arguments.source)
            self._calls += 1
        if "executableCode" in members:
            yield ToolRan("code_execution")
        if "toolCall" in members:
            yield ToolRan(str(as_object(members["toolCall"]).get("toolType") or "tool"))
