"""From a story to what arrives: messages in their provider's own form, and what happens between them.

Bodies are written here as clients write them, as plain JSON, and read through the wire. Nothing of the engine is used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import msgspec

from tests.properties.events import (
    Answer,
    Asked,
    Call,
    Change,
    Emptiness,
    Event,
    Fate,
    Furniture,
    Naming,
    Orphan,
    Refusal,
    Replan,
    Result,
    Return,
    Said,
    Speaker,
    Story,
    Switch,
    Thinking,
    Undo,
    Words,
)
from tests.properties.pictures import png_base64
from tests.properties.texts import passage
from unabridged.frame import Frame
from unabridged.message import Message, Origin, Reasoning, Role, Text, ToolResult
from unabridged.wire import wire

ORIGINS = {
    Speaker.HUMAN: Origin.HUMAN,
    Speaker.INJECTED: Origin.INJECTED,
    Speaker.CLIENT_SUMMARY: Origin.CLIENT_SUMMARY,
    Speaker.SYSTEM: Origin.INJECTED,
}
HALF_PAIR = re.compile(r"[\ud800-\udfff]|\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
"""A surrogate, or the JSON escape of one, in arguments."""
LONGEST = 90_000
"""Tokens of one text; the tokenizer that counts from outside takes no more than 200,000 at once."""
ILLEGAL = {
    "anthropic": ("functions.read:0", "call 7", "", "réponse"),
    "openai_chat": ("",),  # too long an id is refused by this provider's own service alone: it is left as it is
}


@dataclass(frozen=True)
class Line:
    """One message as it arrives."""

    message: Message
    media: dict[str, bytes]
    raw: str | None
    """Its JSON text; None for one that was made by hand."""
    broken: bool = False
    """Something in it is not as the provider wants it, whatever stands around it."""

    @cached_property
    def is_odd(self) -> bool:
        """Whether it holds a text that says nothing, or nothing at all, or thoughts that nothing follows."""
        message = self.message
        inner = [piece for part in message.parts if isinstance(part, ToolResult) for piece in part.parts]
        texts = [part for part in (*message.parts, *inner) if isinstance(part, Text)]
        blank = any(not text.text.strip() for text in texts)
        written = [text.text for text in texts] + [call.arguments for call in message.calls]
        written += [part.text for part in message.parts if isinstance(part, Reasoning)]
        if any(HALF_PAIR.search(text) for text in written):
            return True
        return blank or not message.parts or isinstance(message.parts[-1], Reasoning)


@dataclass(frozen=True)
class Ask:
    """The model is called."""

    final: bool = False


Move = Line | Ask | Switch | Refusal | Return | Undo | Replan | Change


@dataclass
class Script:
    """Turns events into moves. Knows which ids were given and which results are still to come."""

    story: Story
    number: int = 0
    calls: list[str] = field(default_factory=list[str])
    late: list[tuple[str, Call]] = field(default_factory=list[tuple[str, Call]])
    marked: int = 0

    def moves(self) -> Iterator[Move]:
        """Give everything that happens, in order."""
        for event in self.story.events:
            yield from self._moves(event)
        yield from self._latecomers()
        yield Ask(final=True)

    def _moves(self, event: Event) -> Iterator[Move]:
        match event:
            case Said():
                yield self._said(event)
                if event.by is Speaker.HUMAN:
                    yield from self._latecomers()
            case Answer():
                yield Ask()
                yield self._answer(event)
            case Asked():
                yield Ask()
                yield from self._asked(event)
            case Orphan():
                yield from self._results([(f"nobody_{self.number}", event.result)], Asked(()), broken=True)
            case _:
                yield event

    def _latecomers(self) -> Iterator[Move]:
        for id, call in self.late:
            yield from self._results([(id, call.result)], Asked(()), broken=True)
        self.late.clear()

    # -- texts

    def text(self, words: Words) -> str:
        """Write a text, with a number of its own where it is long enough, so that no two messages are alike."""
        tokens = min(self.story.tokens(words.size), LONGEST) if words.size else 3 + words.seed % 20
        written = passage(words.kind, tokens, words.seed)
        return f"{self.number}: {written}" if len(written) > 12 else written

    def texts(self, words: tuple[Words, ...], empty: Emptiness) -> list[str]:
        """Write the texts of a message, or what stands there instead of one."""
        match empty:
            case Emptiness.NO:
                return [self.text(one) for one in words]
            case Emptiness.NO_TEXT:
                return [""]
            case Emptiness.NO_BLOCKS:
                return []
            case Emptiness.BLANK:
                return [" \n\t"]
            case Emptiness.EMPTY_BLOCK:
                return [*(self.text(one) for one in words), ""]

    def content(self, texts: list[str], pictures: tuple[int, ...] = ()) -> str | list[dict[str, Any]]:
        """Put texts and pictures into the shape that a client gives them."""
        if len(texts) == 1 and not pictures:
            return texts[0]
        return [{"type": "text", "text": text} for text in texts] + [
            self._picture(p, n) for n, p in enumerate(pictures)
        ]

    def _picture(self, size: int, nth: int) -> dict[str, Any]:
        data = png_base64(size, self.number * 7 + nth)
        if self.story.dialect == "anthropic":
            return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
        return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}

    # -- messages

    def _said(self, said: Said) -> Line:
        texts = self.texts(said.words, said.empty)
        body: dict[str, Any] = {"role": "system" if said.by is Speaker.SYSTEM else "user"}
        body["content"] = self.content(texts, said.pictures)
        if said.marked and self.story.dialect == "anthropic" and not self.marked and texts and texts[0].strip():
            self.marked += 1
            body["content"] = [{"type": "text", "text": texts[0], "cache_control": {"type": "ephemeral"}}]
        elif said.marked and self.story.dialect == "openai_chat":
            body = {"x_trace": [1.0e5, {"a": None}], **body}
        return self._line(body, ORIGINS[said.by], by_hand=said.by_hand, broken=said.empty is not Emptiness.NO)

    def _answer(self, answer: Answer) -> Line:
        texts = self.texts(answer.words, answer.empty)
        if texts and answer.trailing:
            texts[-1] += answer.trailing
        body: dict[str, Any] = {"role": "assistant", "content": self.content(texts)}
        self._think(body, answer.thinking, answer.thought)
        broken = answer.empty is not Emptiness.NO
        broken |= answer.by_hand and self._foreign(answer.thinking)
        return self._line(body, Origin.MODEL, by_hand=answer.by_hand, broken=broken)

    def _think(self, body: dict[str, Any], thinking: Thinking, thought: Words) -> None:
        text, signature = self.text(thought), "c2ln" * (10 + thought.seed) + str(self.number)
        if self.story.dialect == "anthropic":
            blocks = {
                Thinking.SIGNED: [{"type": "thinking", "thinking": text, "signature": signature}],
                Thinking.REDACTED: [{"type": "redacted_thinking", "data": signature}],
            }.get(thinking, [])
            inner = body["content"]
            if blocks and isinstance(inner, str):
                inner = [{"type": "text", "text": inner}] if inner else []
            body["content"] = [*blocks, *inner] if blocks else inner
        elif thinking is Thinking.PLAIN:
            body["reasoning_content"] = text
        elif thinking is not Thinking.NONE:
            detail = {"type": "reasoning.text", "text": text, "signature": signature}
            body["reasoning_details"] = [
                detail if thinking is Thinking.SIGNED else {"type": "reasoning.encrypted", "data": signature}
            ]
            if thinking is Thinking.SIGNED:
                body["reasoning"] = text

    def _foreign(self, thinking: Thinking) -> bool:
        """Tell whether thoughts have no place in a message made by hand: only Anthropic takes signed ones back."""
        return self.story.dialect == "openai_chat" and thinking in (Thinking.SIGNED, Thinking.REDACTED)

    def _asked(self, asked: Asked) -> Iterator[Line]:
        ids: list[str] = []
        for call in asked.calls:
            ids.append(self._name(call.naming, ids))
        broken = any(call.naming is not Naming.FRESH for call in asked.calls)
        written = [self._call(call, id) for call, id in zip(asked.calls, ids, strict=True)]
        texts = [self.text(one) for one in asked.words]
        body: dict[str, Any] = {"role": "assistant"}
        if self.story.dialect == "anthropic":
            body["content"] = [{"type": "text", "text": text} for text in texts] + written
        else:
            body |= {"content": self.content(texts) if texts else None, "tool_calls": written}
        self._think(body, asked.thinking, asked.thought)
        foreign = asked.by_hand and self._foreign(asked.thinking)
        yield self._line(body, Origin.MODEL, by_hand=asked.by_hand, broken=broken or foreign)
        self.calls += ids
        answers = [pair for pair in zip(ids, asked.calls, strict=True) if pair[1].fate in (Fate.ANSWERED, Fate.TWICE)]
        self.late += [pair for pair in zip(ids, asked.calls, strict=True) if pair[1].fate is Fate.LATE]
        results = [(id, call.result) for id, call in answers]
        results += [(id, call.result) for id, call in answers if call.fate is Fate.TWICE]
        yield from self._results(results[::-1] if asked.reversed else results, asked, broken=broken)

    def _name(self, naming: Naming, siblings: list[str]) -> str:
        fresh = f"call_{len(self.calls) + len(siblings)}_{self.number}"
        match naming:
            case Naming.REUSED if self.calls:
                return self.calls[-1 - self.number % len(self.calls)]
            case Naming.SIBLING if siblings:
                return siblings[0]
            case Naming.ILLEGAL:
                choices = ILLEGAL[self.story.dialect]
                return choices[self.number % len(choices)]
            case _:
                return fresh

    def _call(self, call: Call, id: str) -> dict[str, Any]:
        if self.story.dialect == "openai_chat" and call.shape == 5:
            return {
                "id": id,
                "type": "custom",
                "custom": {"name": "apply_patch", "input": self.text(call.arguments[0])},
            }
        arguments = self._arguments(call)
        if self.story.dialect == "anthropic":
            return {"type": "tool_use", "id": id, "name": "bash", "input": arguments}
        text = json.dumps(arguments, ensure_ascii=call.shape % 2 == 0)
        if call.shape == 4:
            text = text[: len(text) * 2 // 3]  # cut off by the output limit, as models do
        return {"id": id, "type": "function", "function": {"name": "bash", "arguments": text}}

    def _arguments(self, call: Call) -> dict[str, Any]:
        texts = [self.text(one) for one in call.arguments]
        match call.shape:
            case 1:
                return {"path/to~it": texts, "deep": {"": {"n": 1e300, "z": -0.0}}, "": texts[0], "ok": True}
            case 2:
                return {"edits": [{"old": texts[0], "new": texts[-1]}, 17, None], "note": ""}
            case 3:
                return {}
            case _:
                return {"command": texts[0], "timeout": 120, **({"stdin": texts[1]} if len(texts) > 1 else {})}

    def _results(self, results: list[tuple[str, Result]], asked: Asked, *, broken: bool) -> Iterator[Line]:
        if self.story.dialect == "openai_chat":
            for id, result in results:
                body: dict[str, Any] = {"role": "tool", "tool_call_id": id}
                texts = self.texts(result.words, result.empty)
                # Pictures of tools have no place in this provider's own form: clients make them by hand.
                body["content"] = self.content(texts, result.pictures)
                by_hand = asked.by_hand or bool(result.pictures)
                yield self._line(body, Origin.TOOL_FEEDBACK, by_hand=by_hand, broken=broken)
            return
        blocks = [self._result_block(id, result) for id, result in results]
        if asked.comment is not None and blocks:
            comment = {"type": "text", "text": self.text(asked.comment)}
            yield self._line({"role": "user", "content": [*blocks, comment]}, Origin.HUMAN, broken=broken)
        elif asked.apart or asked.by_hand:
            for block in blocks:
                body = {"role": "user", "content": [block]}
                yield self._line(body, Origin.TOOL_FEEDBACK, by_hand=asked.by_hand, broken=broken)
        elif blocks:
            yield self._line({"role": "user", "content": blocks}, Origin.TOOL_FEEDBACK, broken=broken)

    def _result_block(self, id: str, result: Result) -> dict[str, Any]:
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": id}
        texts = self.texts(result.words, result.empty)
        if texts or result.pictures:
            block["content"] = self.content(texts, () if result.is_error else result.pictures)
        if result.is_error:
            block["is_error"] = True
        return block

    def _line(self, body: dict[str, Any], origin: Origin, *, by_hand: bool = False, broken: bool = False) -> Line:
        raw = self._written(body)
        message, media = wire(self.story.dialect).read_message(raw, id=f"m-{self.number:04}", origin=origin)
        self.number += 1
        if not by_hand:
            return Line(message, media, raw, broken)
        return Line(without_raw(message), media, None, broken)

    def _written(self, body: dict[str, Any]) -> str:
        """Write JSON as one of several clients does."""
        style = self.number % 4
        if style == 3:
            return json.dumps(body, indent=1)
        plain = json.dumps(body, ensure_ascii=style == 0, separators=(",", ":") if style else None)
        try:
            plain.encode()
        except UnicodeEncodeError:  # half a pair has no other form on a wire
            return json.dumps(body)
        return plain


def without_raw(message: Message) -> Message:
    """Give a message as one that was made as a value."""
    role = Role.TOOL if message.results and len(message.results) == len(message.parts) else message.role
    return msgspec.structs.replace(message, role=role, raw=None)


def frame_body(story: Story) -> tuple[str, str]:
    """Write a request around no messages: what stands before the first and behind the last of the transcript."""
    furniture: Furniture = story.furniture
    body: dict[str, Any] = {"model": "claude" if story.dialect == "anthropic" else "gpt"}
    if story.max_output is not None:
        body["max_completion_tokens" if story.dialect == "openai_chat" and story.window % 1_000 else "max_tokens"] = (
            story.max_output
        )
    if furniture.thinks:
        body["thinking"] = {"type": "enabled", "budget_tokens": max(1_024, (story.max_output or 0) * 3 // 4)}
    if furniture.tools:
        body["tools"] = [_tool(story, nth, furniture.tools // 2) for nth in range(2)]
    system = passage("words", story.tokens(furniture.system), 1) if furniture.system else ""
    first = ""
    if system and story.dialect == "anthropic":
        body["system"] = system
    elif system:
        first = json.dumps({"role": "system", "content": system})
    body["messages"] = []
    head, tail = json.dumps(body)[:-2], "]}"
    return head + first, tail


def _tool(story: Story, nth: int, size: int) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"command": {"type": "string"}}}
    about = passage("words", story.tokens(size), nth)
    if story.dialect == "anthropic":
        return {"name": f"bash{nth}", "description": about, "input_schema": schema}
    return {"type": "function", "function": {"name": f"bash{nth}", "description": about, "parameters": schema}}


def frame_of(story: Story) -> Frame:
    """Read the frame of a story's requests."""
    head, tail = frame_body(story)
    return wire(story.dialect).read_request((head + tail).encode(), id_prefix="frame")[0]


def request_of(story: Story, texts: list[str]) -> str:
    """Write the whole request as a client that knows no engine would."""
    head, tail = frame_body(story)
    begun = head.endswith("}")
    return head + ("," if begun and texts else "") + ",".join(texts) + tail
