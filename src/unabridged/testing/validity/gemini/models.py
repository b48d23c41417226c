"""Gemini: what holds for some models alone. The model stands in the address of a request, and in the SDK's payloads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from unabridged.testing.validity.gemini.turns import Turn
from unabridged.testing.validity.violation import Json, Violation, as_object

_ENDS_WITH_USER = re.compile(r"(models/)?gemini-(3\.([2-9]|\d\d)|[4-9])")
"""Models that do not go on from a turn of their own, as those up to 3.1 do."""
_SIGNS = re.compile(r"(models/)?gemini-[3-9]")
"""Models that refuse calls without a thought signature."""


def check_end(body: Json, turns: Sequence[Turn]) -> Iterator[Violation]:
    """Yield a last turn that is the model's, where the model does not go on from one."""
    model = body.get("model")
    if isinstance(model, str) and turns and turns[-1].role == "model" and _ENDS_WITH_USER.match(model):
        yield Violation("ends_with_model", turns[-1].where, "Requests ending with a model turn are not supported.")


def check_signatures(body: Json, turns: Sequence[Turn]) -> Iterator[Violation]:
    """Yield turns of calls, since the user last spoke, of which the first call has no thought signature."""
    model = body.get("model")
    if not isinstance(model, str) or not _SIGNS.match(model):
        return
    spoken = [turn.number for turn in turns if turn.role == "user" and len(turn.responses) < len(turn.parts)]
    for turn in turns[(spoken[-1] if spoken else -1) + 1 :]:
        if turn.calls and not turn.calls[0].get("thought_signature"):
            name = (as_object(turn.calls[0].get("function_call")) or {}).get("name")
            says = (
                "Function call is missing a thought_signature in functionCall parts. This is required for tools to "
                "work correctly, and missing thought_signature may lead to degraded model performance. "
                f"Additional data, function call `default_api:{name}` , position {turn.number + 1}. "
            )
            yield Violation("call_without_signature", turn.where, says)
