"""A conversation in notation, fitted step by step: what most tests of the straight line are about."""

from __future__ import annotations

from typing import Any

from unabridged.engine import Engine, Overflow
from unabridged.fitted import Fitted
from unabridged.frame import Frame
from unabridged.framing import frame_of
from unabridged.log import Log
from unabridged.message import Message, Text, ToolResult
from unabridged.policy import Policy
from unabridged.report import Report, Usage
from unabridged.testing import violations
from unabridged.testing.notation import read, shown
from unabridged.transcript import Transcript


class Scene:
    """A transcript and an engine over it. No view of any test may be one that its provider refuses: `fit` looks."""

    def __init__(
        self,
        script: str = "",
        *,
        dialect: str = "openai_chat",
        window: int = 8_000,
        policy: Policy | None = None,
        transcript: Transcript | None = None,
        **frame: Any,
    ) -> None:
        self.dialect = dialect
        self.window = window
        self.policy = policy or Policy()
        self.frame: Frame = frame_of(dialect, **{"model": "m", **frame})
        self.transcript = transcript or Transcript(Log())
        self.engine = Engine(self.transcript, dialect=dialect)
        self.say(script)

    def say(self, script: str) -> Scene:
        """Append messages."""
        for message, media in read(script, self.dialect, taken=self.transcript.position):
            self.transcript.append(message, media=media)
        return self

    def fit(self, *, overflow: Overflow | None = None, model: str = "m", commit: bool = True) -> Fitted:
        """Fit, and keep what was decided."""
        fitted = self.engine.fit(self.frame, self.policy, window=self.window, model=model, overflow=overflow)
        assert violations(self.dialect, fitted.request()) == []
        return self.engine.commit(fitted) if commit else fitted

    def view(self) -> str:
        """Fit, and print what the model sees."""
        return shown(self.fit().items)

    def report(self) -> Report:
        """Fit, and give the report; there must be one."""
        report = self.fit().report
        assert report is not None
        return report

    def used(self, fitted: Fitted, tokens: int) -> None:
        """Report what a request took."""
        self.engine.report_usage(fitted, Usage(input=tokens))

    def again(self) -> Scene:
        """Give the same conversation as another process finds it: a new transcript and engine over the same log."""
        transcript = Transcript(self.transcript.log, branch=self.transcript.branch)
        other = Scene(dialect=self.dialect, window=self.window, policy=self.policy, transcript=transcript)
        other.frame = self.frame
        return other

    def sizes(self, fitted: Fitted, *words: str) -> list[int]:
        """Give how many tokens of text a view shows of some messages, results included."""
        items = {item.source: item.message for item in fitted.items}
        return [sum(map(self.transcript.counter.count, texts_of(items[word]))) for word in words]

    def message(self, id: str) -> Message:
        """Give a message by its word."""
        return self.transcript.records[self.transcript.position[id]].message


def texts_of(message: Message) -> list[str]:
    """Give every text of a message, those in results too."""
    pieces = [piece for part in message.parts for piece in (part.parts if isinstance(part, ToolResult) else (part,))]
    return [piece.text for piece in pieces if isinstance(piece, Text)]
