"""Judges the requests of one walked conversation, with nothing but the transcript and the bytes that would go out."""

from __future__ import annotations

import base64
import binascii
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.verify.payload import FRAMING, LISTED, count, fixed_tokens, message_tokens
from unabridged.budget import SMALLEST_ANSWER
from unabridged.importers import Imported
from unabridged.message import Media, MediaKind, Message, Opaque, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.policy import Policy
from unabridged.replay.walk import Step, walk
from unabridged.report import FitReason
from unabridged.testing.validity import violations
from unabridged.tokens import default_counter
from unabridged.tokens.media import describe, media_tokens
from unabridged.tokens.price import SIGNATURE_CHARACTERS, price_part
from unabridged.wire import wire

ORPHAN = "a tool result without its call was left out"
MARK = "[context: "
FOREIGN = (
    "block_malformed",
    "part_kind_unknown",
    "thinking_malformed",
    "call_id_too_long",
    "tool_calls_empty",
    "item_id_malformed",
)
"""What makes a recorded request the form of another service that speaks almost this dialect (Bedrock, Mistral, Cohere,
OpenRouter, DeepSeek). The engine forwards such forms as they came; they are counted apart."""
FIXED = ("system", "instructions", "systemInstruction", "system_instruction", "tools")
"""Fields of a request that a model reads."""
SOURCES = ("source", "image_url", "file", "input_audio", "inlineData", "inline_data", "fileData", "file_data")
"""Members of a block that say where media come from."""
KINDS = {
    **dict.fromkeys(("image", "image_url", "input_image", "computer_screenshot"), MediaKind.IMAGE),
    **dict.fromkeys(("document", "file", "input_file"), MediaKind.DOCUMENT),
    **dict.fromkeys(("input_audio", "audio"), MediaKind.AUDIO),
    "video": MediaKind.VIDEO,
}
"""By the first half of a media type, or by the type of a block."""
URL_SAFE = str.maketrans("+/", "-_")
CUTTABLE = 250
"""Tokens that a text which may be cut keeps at most in a floor: a refusal is confirmed without them."""


@dataclass
class Judgement:
    """What came of one conversation at one window."""

    window: int
    counts: Counter[str] = field(default_factory=Counter[str])
    details: list[str] = field(default_factory=list[str])

    def fault(self, kind: str, step: int, text: str) -> None:
        """Count a fault and say where it is; the first few of a kind are told."""
        self.counts[kind] += 1
        if self.counts[kind] <= 3:
            self.details.append(f"window {self.window} call {step}: {kind}: {text}")


def judge(conversation: Imported, policy: Policy, window: int) -> Judgement:
    """Walk a conversation and judge every request."""
    judgement = Judgement(window)
    judge_ = _Judge(conversation, judgement)
    number = 0
    try:
        for step in walk(conversation, policy, window=window):
            number = step.number
            judge_.see(step)
    except Exception as crash:  # a crash is what is looked for: it is counted, and the run goes on
        judgement.fault("crashed", number + 1, f"{conversation.name}: {type(crash).__name__}: {crash}")
    return judgement


class _Judge:
    def __init__(self, conversation: Imported, judgement: Judgement) -> None:
        self._conversation = conversation
        self._judgement = judgement
        self._listed = LISTED.get(conversation.dialect, "messages")
        self._seen: dict[str, tuple[list[dict[str, Any]], int]] = {}
        self._media: dict[tuple[MediaKind, int], int] = {}
        task = next((m for m in conversation.messages if m.is_human), None)
        self._task = task

    def see(self, step: Step) -> None:
        """Judge one request."""
        told = self._judgement
        told.counts["requests"] += 1
        if step.refusal is not None:
            told.counts["refused"] += 1
            self._confirm(step)
            return
        fitted = step.fitted
        assert fitted is not None
        told.counts["fits"] += step.decides
        told.counts["repaired"] += bool(step.report and step.report.repaired)
        read = [self._read(text) for text in fitted.texts]
        listed = [message for messages, _ in read for message in messages]
        body = {**json.loads(fitted.wire.write_request(fitted.frame, [])), self._listed: listed}
        leading = 0
        if read and fitted.frame.system:
            body[self._listed] = whole = json.loads(fitted.body())[self._listed]
            leading = sum(FRAMING + self._tokens(message) for message in whole[: len(whole) - len(listed)])
        broken = violations(self._conversation.dialect, body)
        if broken and broken[0].rule in FOREIGN and self._arrived_so(step, broken[0].rule):
            told.counts["foreign"] += 1
        elif broken:
            told.fault("invalid", step.number, f"{self._conversation.name}: {broken[0].rule} at {broken[0].where}")
        tokens = fixed_tokens(body) + leading + sum(tokens for _, tokens in read)
        self._judge_size(step, tokens)
        self._judge_content(step)

    def _arrived_so(self, step: Step, rule: str) -> bool:
        """Tell whether the recorded messages themselves are in another service's form."""
        engine_wire = wire(self._conversation.dialect)
        messages = self._conversation.messages[: step.messages]
        texts = engine_wire.write_messages(messages, self._conversation.media)
        listed = [message for text in texts for message in _listed(text)]
        arrived = violations(self._conversation.dialect, {self._listed: listed})
        return any(violation.rule == rule for violation in arrived)

    def _judge_size(self, step: Step, tokens: int) -> None:
        floored = step.report is not None and step.report.reason is FitReason.FLOOR_OVER_BUDGET
        most = step.window - min(SMALLEST_ANSWER, step.window // 8) if floored else step.budget
        assert step.fitted is not None
        answer = step.fitted.wire.max_output(step.fitted.frame) or 0
        if tokens > most or (floored and tokens + answer > step.window):
            self._judgement.fault("over", step.number, f"{self._conversation.name}: {tokens} > {most}")

    def _judge_content(self, step: Step) -> None:
        assert step.fitted is not None
        transcript = self._conversation.messages[: step.messages]
        shown = {item.source: item.message for item in reversed(step.fitted.items) if item.source is not None}
        if self._task is not None and any(message is self._task for message in transcript):
            view = shown.get(self._task.id)
            if view is None or (view.text != self._task.text and MARK not in view.text):
                self._judgement.fault("task", step.number, self._task.id)
        marked = sum(item.source is None and ORPHAN in item.message.text for item in step.fitted.items)
        for message in _unread(transcript):
            view = shown.get(message.id)
            if view is None and marked and not _is_called(message, transcript):
                continue  # a result that nothing asked for is left out, and a marker says so
            if message.results and (view is None or not _same_or_marked(message, view)):
                self._judgement.fault("unread", step.number, message.id)

    def _confirm(self, step: Step) -> None:
        """Count what can never go, everything that may be cut taken out of it: that alone must be too large."""
        transcript = self._conversation.messages[: step.messages]
        newest = next((m for m in reversed(transcript) if m.is_human), None)
        kept = [newest] if newest is not None else []
        kept += [m for m in _unread(transcript) if m is not newest]
        kept += [m for m in transcript if m.role is Role.SYSTEM]
        frame = [text for name, text in self._conversation.frame.fields if name in FIXED]
        frame += [m.text for m in self._conversation.frame.system]
        dialect = self._conversation.dialect
        whole = sum(map(count, frame)) + sum(_whole(message, dialect) for message in kept)
        if self._task is not None and self._task is not newest:
            whole += sum(_opaque(part, dialect) for part in self._task.parts if isinstance(part, Opaque))
        spared = CUTTABLE * sum(len(message.parts) + 1 for message in [*kept, self._task] if message is not None)
        limit = step.window - min(SMALLEST_ANSWER, step.window // 8)
        self._judgement.details.append(
            f"window {step.window} call {step.number}: refused, floor {step.refusal.floor if step.refusal else 0:,}"
        )
        if whole + spared <= limit:
            self._judgement.fault("unconfirmed", step.number, f"{whole} + {spared} <= {limit}")

    def _read(self, text: str) -> tuple[list[dict[str, Any]], int]:
        known = self._seen.get(text)
        if known is None:
            messages = _listed(text)
            known = self._seen[text] = messages, sum(FRAMING + self._tokens(message) for message in messages)
        return known

    def _tokens(self, message: Mapping[str, Any]) -> int:
        return message_tokens(message, self._price)

    def _price(self, block: Mapping[str, Any]) -> int:
        given: Any = next((block[name] for name in SOURCES if block.get(name)), block)
        source: dict[str, Any] = given if isinstance(given, dict) else {"url": given}
        data = str(source.get("data") or source.get("url") or source.get("file_data") or "")
        declared = source.get("media_type") or source.get("mimeType") or source.get("mime_type")
        mime = str(declared or (data[5 : data.find(";")] if data.startswith("data:") else ""))
        kind = KINDS.get(mime.partition("/")[0]) or KINDS.get(str(block.get("type"))) or MediaKind.DOCUMENT
        key = kind, hash(data)
        if key not in self._media:
            described = _described(kind, data.split("base64,")[-1], mime)
            self._media[key] = media_tokens(described, self._conversation.dialect)
        return self._media[key]


def _listed(text: str) -> list[dict[str, Any]]:
    """Read what a wire wrote for one message: one, or the items that it takes several of."""
    read = json.loads(text)
    return read if isinstance(read, list) else [read]


def _described(kind: MediaKind, data: str, mime: str) -> Media:
    try:
        decoded = base64.urlsafe_b64decode(data.translate(URL_SAFE) + "=" * (-len(data) % 4))
    except (binascii.Error, ValueError):
        return Media(kind=kind, mime=mime)
    facts = describe(decoded, mime)
    return Media(
        kind=kind,
        mime=mime,
        size=len(decoded),
        width=facts.width,
        height=facts.height,
        pages=facts.pages,
        seconds=facts.seconds,
    )


def _unread(transcript: tuple[Message, ...]) -> list[Message]:
    """Give the last assistant message, if it called anything, and all that came after it."""
    last = next((at for at in range(len(transcript) - 1, -1, -1) if transcript[at].role is Role.ASSISTANT), -1)
    start = last if last >= 0 and transcript[last].calls else last + 1
    return list(transcript[start:])


def _is_called(message: Message, transcript: tuple[Message, ...]) -> bool:
    calls = {call.id for earlier in transcript for call in earlier.calls}
    return any(result.call_id in calls for result in message.results)


def _same_or_marked(message: Message, view: Message) -> bool:
    for was, now in zip(message.results, view.results, strict=False):
        before = [part.text for part in was.parts if isinstance(part, Text)]
        after = [part.text for part in now.parts if isinstance(part, Text)]
        if before != after and not any(MARK in text for text in after):
            return False
    return bool(view.results) or not message.results


def _whole(message: Message, dialect: str) -> int:
    """Give the tokens of a message without what may be cut in it (outputs of tools)."""
    tokens = 0
    for part in message.parts:
        match part:
            case Text():
                tokens += count(part.text)
            case ToolCall():
                tokens += count(part.name + part.arguments)
            case Media():
                tokens += media_tokens(part, dialect)
            case Reasoning():
                tokens += max(count(part.text), len(part.signature or "") // SIGNATURE_CHARACTERS)
            case Opaque():
                tokens += _opaque(part, dialect)
            case ToolResult():
                pass
    return tokens


def _opaque(part: Opaque, dialect: str) -> int:
    """Give the tokens of an opaque item; what is encoded in it counts by the project's stated rule."""
    return price_part(part, default_counter(), {}, dialect).tokens
