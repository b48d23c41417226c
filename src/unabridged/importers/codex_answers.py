"""Which items of a Codex rollout one model call gave: they are one message, or several where it thought anew.

The client writes down what a call reported once its items and the results of its calls are there. Items that come
after a result, with another call still open, belong to the answer before it: the client runs calls while the model
still writes.
"""

from __future__ import annotations

from unabridged.importers.gathering import Gathering
from unabridged.importers.json_reading import NOTHING, Fields, decoded, fields_of
from unabridged.message import Message, Role
from unabridged.report import Usage
from unabridged.wire import wire
from unabridged.wire.json_text import count

_DIALECT = "openai_responses"
_OF_THE_CLIENT = ("_output", "mcp_approval_response")


class Answers:
    """Puts the model's items of one conversation together, and what was reported for them."""

    def __init__(self, gathering: Gathering) -> None:
        self.model = ""
        self._gathering = gathering
        self._items: list[str] = []
        """Of the message that may still go on."""
        self._place = 0
        self._time: str | None = None
        self._open: list[str] = []
        """Its calls without a result."""
        self._stopped = True
        """Something else came after it."""
        self._call: int | None = None
        """The answer whose usage is still to come."""
        self._total = b""

    def is_models(self, kind: str, role: str) -> bool:
        """Tell whether an item is of the model's making."""
        return role == "assistant" if kind == "message" else not kind.endswith(_OF_THE_CLIENT)

    def take(self, kind: str, text: str, time: str | None) -> None:
        """Take an item of the model's."""
        thinks_anew = kind == "reasoning" and bool(self._items)
        if thinks_anew or (self._stopped and not self._open):
            self._begin(text, time)
        else:
            self._items.append(text)
        body = self._items[0] if len(self._items) == 1 else f"[{','.join(self._items)}]"
        message, media = wire(_DIALECT).read_message(body, id="an answer", time=self._time)
        if self._place < len(self._gathering.messages):
            self._gathering.replace(self._place, message)
        elif self._call is None:
            self._call = self._place
            self._gathering.answer(message, model=self.model)
        else:
            self._gathering.add(message)
        self._gathering.media |= media
        new = message.calls[-1:] if kind.endswith("_call") else ()
        self._open += [call.id for call in new]

    def interrupted(self, message: Message) -> None:
        """Note a message that somebody else made."""
        self._stopped = True
        for result in message.results:
            if result.call_id in self._open:
                self._open.remove(result.call_id)
        if message.role is not Role.TOOL:
            self._open, self._call = [], None

    def reported(self, event: Fields) -> None:
        """Take what was reported for the newest call. The client repeats it when only its limits changed."""
        info = fields_of(event.get("info", NOTHING))
        total = bytes(info.get("total_token_usage", NOTHING))
        if total == self._total:
            return
        self._total = total
        figures = decoded(info.get("last_token_usage", NOTHING), dict[str, object]) or {}
        if self._call is not None and count(figures, "input_tokens"):
            usage = Usage(
                input=count(figures, "input_tokens"),
                cached=count(figures, "cached_input_tokens"),
                output=count(figures, "output_tokens"),
                reasoning=count(figures, "reasoning_output_tokens"),
            )
            self._gathering.used(self._call, usage)
        self._stopped, self._open, self._call = True, [], None

    def _begin(self, text: str, time: str | None) -> None:
        self._items, self._place, self._time = [text], len(self._gathering.messages), time
        self._stopped, self._open = False, []
