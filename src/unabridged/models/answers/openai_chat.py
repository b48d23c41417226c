"""A chat completion, put together from its chunks: OpenAI's form, and what other servers make of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from unabridged.models.answers.calls import Calls
from unabridged.models.answers.merging import merge, plain, text_of
from unabridged.models.failing import Refusal
from unabridged.models.model import Completed, Event, ReasoningDelta, TextDelta, ToolRan
from unabridged.models.server_events import ServerEvent
from unabridged.report import Usage
from unabridged.wire import wire
from unabridged.wire.json_text import as_list, as_object

_THOUGHTS = ("reasoning_content", "reasoning", "thinking")
"""One thought under several names: servers send two of them at once, for clients that know only one."""
_APART = frozenset({"role", "tool_calls", "content"})
"""What is not merged. Whatever a server calls its model (`""`, `model`), it is the assistant to a request."""


class ChatAnswer:
    """One answer. Of several choices it is the first."""

    def __init__(self) -> None:
        self.ended = False
        self.closed = False
        self._message: dict[str, object] = {"role": "assistant"}
        self._content: list[dict[str, object]] = []
        self._is_list = False
        self._calls = Calls()
        self._usage: Usage | None = None
        self._stop = ""
        self._model = ""

    def take(self, event: ServerEvent) -> Iterator[Event]:
        """Take in a chunk, or a whole completion."""
        if event.data.startswith("[DONE]"):
            self.ended = self.closed = True
            return
        if not event.data.strip():
            return
        chunk = event.node().members
        choices = as_list(chunk.get("choices"))
        if event.name == "error" or chunk.get("error") or (not choices and (event.is_whole or _complains(chunk))):
            raise Refusal(chunk)
        self._model = str(chunk.get("model") or self._model)
        self._count(chunk)
        for choice in map(as_object, choices):
            if not choice.get("index"):
                yield from self._choice(chunk, choice)
        self.closed = self.closed or event.is_whole

    def completed(self) -> Completed:
        """Give the answer: one message."""
        message = dict(self._message)
        if self._content:
            texts = "".join(str(plain(part["text"])) for part in self._content if "text" in part)
            message["content"] = self._content if self._is_list else texts
        else:
            message.setdefault("content", None)
        if self._calls:
            message["tool_calls"] = self._calls.finished()
        said = any(value for key, value in as_object(plain(message)).items() if key != "role")
        items = (text_of(message),) if said else ()
        return Completed(items=items, usage=self._usage, stop=self._stop, model=self._model)

    def _count(self, holder: Mapping[str, object]) -> None:
        self._usage = wire("openai_chat").usage(holder) or self._usage

    def _choice(self, chunk: Mapping[str, object], choice: Mapping[str, object]) -> Iterator[Event]:
        stop = choice.get("finish_reason")
        if stop == "error" or choice.get("error"):
            raise Refusal(chunk)
        self._count(choice)
        yield from self._delta(as_object(choice.get("delta") or choice.get("message")))
        if stop:
            self._stop = str(stop)
            self.ended = True
        elif "message" in choice:
            self.ended = True

    def _delta(self, delta: Mapping[str, object]) -> Iterator[Event]:
        thought = next((text for key in _THOUGHTS if isinstance(text := delta.get(key), str) and text), "")
        if thought or (thought := _detailed(delta)):
            yield ReasoningDelta(thought)
        yield from self._said(delta.get("content"))
        refusal = delta.get("refusal")
        if isinstance(refusal, str) and refusal:
            yield TextDelta(refusal)
        for call in map(as_object, as_list(delta.get("tool_calls"))):
            yield from self._calls.take(call)
        for tool in map(as_object, as_list(delta.get("executed_tools"))):
            yield ToolRan(str(tool.get("type") or tool.get("name") or ""))
        merge(self._message, {key: value for key, value in delta.items() if key not in _APART})

    def _said(self, content: object) -> Iterator[Event]:
        """Take in content: a text, or a list of parts, in any order."""
        self._is_list |= isinstance(content, list)
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else as_list(content)
        for part in map(as_object, parts):
            yield from _events(part)
            _join(self._content, part)


def _complains(chunk: Mapping[str, object]) -> bool:
    """Tell whether a chunk without an answer holds a complaint: some servers put no `error` around it."""
    return chunk.get("object") == "error" or isinstance(chunk.get("message") or chunk.get("detail"), str)


def _detailed(delta: Mapping[str, object]) -> str:
    """Give the thoughts of `reasoning_details`, where they stand only there."""
    details = map(as_object, as_list(delta.get("reasoning_details")))
    return "".join(str(detail.get("text") or detail.get("summary") or "") for detail in details)


def _events(part: Mapping[str, object]) -> Iterator[Event]:
    inner = part.get("thinking")
    if isinstance(part.get("text"), str) and part["text"]:
        yield TextDelta(str(part["text"]))
    elif inner:
        texts = [inner] if isinstance(inner, str) else [as_object(each).get("text") for each in as_list(inner)]
        yield from (ReasoningDelta(text) for text in texts if isinstance(text, str) and text)


def _join(parts: list[dict[str, object]], part: dict[str, object]) -> None:
    """Add a part; a text joins the text before it, a thought the thought."""
    last = parts[-1] if parts else {}
    if part.keys() == last.keys() == {"type", "text"}:
        merge(last, part)
    elif part.get("type") == last.get("type") == "thinking" and isinstance(part.get("thinking"), list):
        inner = [as_object(each) for each in as_list(last.get("thinking"))]
        for each in as_list(part["thinking"]):
            _join(inner, as_object(each))
        last["thinking"] = inner
    else:
        parts.append({})
        merge(parts[-1], part)
