"""A model that is asked one question, such as for a summary.

    summarizer = ModelSummarizer(Asker(model), window=200_000)

The answer is streamed and gathered, so that no gateway in between gives up on a silent line. The request has no tools,
and no field that a server could refuse.
"""

from __future__ import annotations

from unabridged.frame import Frame
from unabridged.framing import frame_of
from unabridged.message import Message, Role, Text
from unabridged.models.model import CallStarted, Completed, Event, Model, ReasoningDelta, Restarted, TextDelta
from unabridged.summarizer.asking import Answer, Question
from unabridged.template_tokens import broken
from unabridged.wire import request, wire


class Asker:
    """Asks a model; what the summarizer takes as `Ask`.

    `max_output_field` names the request's field for the output limit, where it is not the usual one of the dialect.
    OpenAI's own chat completions get `max_completion_tokens`, other makers' servers `max_tokens`.
    """

    def __init__(self, model: Model, *, max_output_field: str | None = None) -> None:
        self._model = model
        own_chat = model.dialect == "openai_chat" and not model.endpoint
        self._field = max_output_field or ("max_completion_tokens" if own_chat else None)

    async def __call__(self, question: Question) -> Answer:
        """Give the answer. Raises `ModelError`."""
        gathered = _Gathered()
        async for event in self._model.stream(self._body(question)):
            gathered.take(event)
        return gathered.answer()

    def _body(self, question: Question) -> bytes:
        dialect = wire(self._model.dialect)
        frame = frame_of(dialect.name, model=self._model.name, system=question.system)
        text = broken(question.user) if self._model.endpoint else question.user  # it quotes what may speak otherwise
        parts = (*(media for media, _ in question.media), Text(text))
        asked = Message(id="question", role=Role.USER, parts=parts)
        blobs = {media.digest: data for media, data in question.media if media.digest is not None}
        texts = dialect.write_messages((*frame.system, asked), blobs)
        return dialect.write_request(self._limited(frame, question.max_output), texts)

    def _limited(self, frame: Frame, tokens: int) -> Frame:
        if self._field is not None:
            return request.with_field(frame, self._field, str(tokens))
        return wire(frame.dialect).with_max_output(frame, tokens)


class _Gathered:
    """What was said so far."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls = 0
        self._completed = Completed(items=())

    def take(self, event: Event) -> None:
        """Take in an event."""
        match event:
            case TextDelta(text):
                self._text.append(text)
            case ReasoningDelta(text):
                self._reasoning.append(text)
            case CallStarted():
                self._calls += 1
            case Completed():
                self._completed = event
            case Restarted():
                self._text, self._reasoning, self._calls = [], [], 0
            case _:
                pass

    def answer(self) -> Answer:
        """Give all of it."""
        return Answer(
            text="".join(self._text),
            stop=self._completed.stop,
            reasoning="".join(self._reasoning),
            tool_calls=self._calls,
            usage=self._completed.usage,
            model=self._completed.model,
        )
