"""The data of the page: messages stored once, and for each call what changed against the call before."""

from __future__ import annotations

import json

import msgspec

from unabridged.importers import Imported
from unabridged.message import Message, Role
from unabridged.plan import Reason
from unabridged.replay.costs.tariff import Tariff, cost_of_step
from unabridged.replay.page.parts import Data, shown, stored
from unabridged.replay.walk import Step
from unabridged.replay.words import REASONS, RESOLVED_BY, place_of, ranges_of, reason_of
from unabridged.tokens import default_counter
from unabridged.tokens.price import measured_message, price_message
from unabridged.view import DROPPED, SUMMARY, Item

_REASONS = {reason: number for number, reason in enumerate(Reason)}


class Content:
    """Takes in a walk step by step. Requests are not held: only what is new in each."""

    def __init__(self, conversation: Imported, tariff: Tariff) -> None:
        self.conversation = conversation
        self.tariff = tariff
        self.steps: list[Step] = []
        """Without their requests."""
        self._messages = [measured_message(message, conversation.media) for message in conversation.messages]
        self._index = {message.id: place for place, message in enumerate(self._messages)}
        self._tokens: dict[int, int] = {}
        self._made: list[Data] = []
        self._numbers: dict[tuple[str | None, Message], int] = {}
        self._before: list[int] = []
        self._views: list[Data] = []
        self._texts: dict[str, int] = {}
        self._frames: dict[tuple[int, ...], int] = {}
        self._framed: list[Data] = []
        self._checkpoints: list[Data] = []

    def take(self, step: Step) -> None:
        """Take in a step."""
        fitted = step.fitted
        self.steps.append(msgspec.structs.replace(step, fitted=None))
        if fitted is None:
            self._views.append(None)
            self._framed.append(None)
            return
        view = [self._reference(item) for item in fitted.items]
        same = 0
        for old, new in zip(self._before, view, strict=False):
            if old != new:
                break
            same += 1
        self._views.append([same, *view[same:]])
        self._before = view
        self._framed.append(self._frame(step))
        self._checkpoint(step)

    def data(self) -> bytes:
        """Give everything as JSON, in ASCII: no character in it can be mistaken for something else."""
        steps = self.steps
        costs = [
            None
            if (rates := self.tariff.rates(step.model)) is None or step.tokens is None
            else cost_of_step(step, rates)
            for step in steps
        ]
        models = sorted({step.model for step in steps})
        content: dict[str, object] = {
            "messages": [self._message(place, message) for place, message in enumerate(self._messages)],
            "made": self._made,
            "views": self._views,
            "texts": list(self._texts),
            "frames": [list(frame) for frame in self._frames],
            "framed": self._framed,
            "checkpoints": self._checkpoints,
            "reasons": [REASONS[reason] for reason in Reason],
            "names": [reason.value.replace("_", " ") for reason in Reason],
            "models": models,
            "window": steps[0].window,
            "calls": {
                "messages": [step.messages for step in steps],
                "tokens": [step.tokens for step in steps],
                "full": [step.full for step in steps],
                "cached": [step.cached for step in steps],
                "output": [step.output for step in steps],
                "budget": [step.budget for step in steps],
                "model": [models.index(step.model) for step in steps],
                "cost": [None if cost is None else round(cost.cached, 6) for cost in costs],
                "uncached": [None if cost is None else round(cost.uncached, 6) for cost in costs],
            },
            "reports": {str(at): _report(step) for at, step in enumerate(steps) if step.report is not None},
            "refusals": {str(at): str(step.refusal) for at, step in enumerate(steps) if step.refusal is not None},
        }
        return json.dumps(content, ensure_ascii=True, separators=(",", ":")).encode("ascii")

    def _reference(self, item: Item) -> int:
        """Give a message of the transcript by its place, anything else by -1 minus its place among what was made."""
        place = None if item.source is None else self._index[item.source]
        if place is not None and not item.changed:
            self._tokens[place] = item.price.tokens
            return place
        key = (item.source, item.message)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._made)
            self._made.append(self._make(item, place))
        return -1 - number

    def _make(self, item: Item, place: int | None) -> Data:
        message = item.message
        if place is None:
            kind = (
                "summary" if message.id.startswith(SUMMARY) else "marker" if message.id.startswith(DROPPED) else "added"
            )
            parts: list[Data] = [stored(part) for part in message.parts]
            return [None, kind, message.role.value, item.price.tokens, parts, message.id]
        original = self._messages[place]
        return [place, "changed", message.role.value, item.price.tokens, shown(message.parts, original.parts)]

    def _message(self, place: int, message: Message) -> Data:
        tokens = self._tokens.get(place)
        if tokens is None:  # never sent whole
            cost = price_message(message, default_counter(), self.conversation.media)
            tokens = cost.under(self.conversation.dialect).tokens
        origin = message.origin.value.replace("_", " ") if message.role is Role.USER else ""
        return [message.id, message.role.value, origin, tokens, [stored(part) for part in message.parts]]

    def _frame(self, step: Step) -> int:
        assert step.fitted is not None
        frame = step.fitted.frame
        entries = [(message.role.value, message.text) for message in frame.system]
        entries += [(name, _plain(value)) for name, value in frame.fields]
        numbers = tuple(self._texts.setdefault(f"{name}\n{text}", len(self._texts)) for name, text in entries)
        return self._frames.setdefault(numbers, len(self._frames))

    def _checkpoint(self, step: Step) -> None:
        assert step.fitted is not None
        checkpoint, at = step.fitted.checkpoint, len(self.steps) - 1
        if step.fitted.undo is not None:
            self._checkpoints.append([at, "", 0, [], []])
        if checkpoint is None:
            return
        index = self._index
        runs: list[Data] = [
            [index[run.first], index[run.last], run.verdict.value, _REASONS[run.reason]] for run in checkpoint.plan.runs
        ]
        cuts: list[Data] = [
            [index[cut.message], place_of(cut), ranges_of(cut), _REASONS[cut.reason]] for cut in checkpoint.plan.cuts
        ]
        self._checkpoints.append([at, checkpoint.id, int(checkpoint.step), runs, cuts])


def _plain(value: str) -> str:
    """Give a JSON string as the text that it stands for, anything else indented."""
    decoded: object = json.loads(value)
    return decoded if isinstance(decoded, str) else json.dumps(decoded, indent=2, ensure_ascii=False)


def _report(step: Step) -> list[list[str]]:
    """Give a report as rows for people."""
    report = step.report
    assert report is not None
    rows = [
        ("reason", reason_of(report)),
        ("resolved by", RESOLVED_BY[report.resolved_by]),
        ("phase", report.phase.value),
        ("before", f"{report.tokens_before:,} tokens"),
        ("after", f"{report.tokens_after:,} tokens"),
        ("target", f"{report.target:,}"),
        ("floor", f"{report.floor:,}" if report.floor else ""),
        ("compacted", _count(report.compacted)),
        ("dropped", _count(report.dropped)),
        ("truncated", _count(report.truncated)),
        ("media dropped", _count(report.media_dropped)),
        ("repaired", ", ".join(f"{name} {count}" for name, count in report.repairs)),
        ("output limit", f"lowered to {report.max_output:,}" if report.max_output else ""),
        ("summary", f"{step.summarized:,} tokens became {step.summary:,}" if step.summary else ""),
        ("warnings", ", ".join(report.warnings)),
        ("ignored", "; ".join(report.ignored)),
    ]
    return [[name, value] for name, value in rows if value]


def _count(messages: int) -> str:
    return "" if not messages else "1 message" if messages == 1 else f"{messages:,} messages"
