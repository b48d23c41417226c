"""OpenAI Responses: which requests the service refuses for the structure of their `input`.

Rules from the API reference (`create a model response`, request schema) and from texts of refusals that the service is
known to give: measured ones for the shapes (publicly recorded against gpt-5.6 in August 2026), reported ones for what
belongs together (vercel/ai#7099, openai/openai-agents-python#2727, continuedev/continue#10092 and #10200,
AnswerDotAI/fastllm#45). What it accepts stays unflagged: an answer first or last, system messages anywhere, something
between a call and its output, items without ids, empty text.

Two rules are those of others who speak the same: that a call id comes once in a request (earendil-works/pi#9057), and
that the model's own items are not followed by nothing. With `previous_response_id` or `conversation` what came before
is not in the payload, so an output may answer a call that is not to be seen.
"""

from __future__ import annotations

from collections.abc import Iterator

from unabridged.testing.validity.openai_responses.item import check_item
from unabridged.testing.validity.openai_responses.pairing import check_pairing
from unabridged.testing.validity.openai_responses.sequence import check_ids, check_reasoning
from unabridged.testing.validity.violation import Json, Violation, as_list, as_object, kind_of

__all__ = ["check"]

_KEPT_ELSEWHERE = ("previous_response_id", "conversation")


def check(body: Json) -> Iterator[Violation]:
    """Yield what the service would refuse, the shapes of items before the rules between them."""
    shapes = list(_shapes(body))
    if shapes:
        yield from shapes
        return
    items = [item for value in as_list(body.get("input")) or () if (item := as_object(value)) is not None]
    yield from check_ids(items)
    yield from check_pairing(items, continues=any(body.get(name) is not None for name in _KEPT_ELSEWHERE))
    yield from check_reasoning(items)


def _shapes(body: Json) -> Iterator[Violation]:
    given = body.get("input")
    if "input" not in body:
        yield Violation("input_missing", "input", "Missing required parameter: 'input'.")
    elif given is None:
        says = "Invalid type for 'input': expected a string, but got an object instead."
        yield Violation("input_not_text_or_items", "input", says)
    elif given == "" or as_list(given) == []:
        if all(body.get(name) is None for name in (*_KEPT_ELSEWHERE, "prompt")):
            says = "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation' must be provided."
            yield Violation("input_empty", "input", says)
    elif not isinstance(given, str | list):
        says = f"expected one of a string or array of input items, but got {kind_of(given)} instead."
        yield Violation("input_not_text_or_items", "input", f"Invalid type for 'input': {says}")
    for index, value in enumerate(as_list(body.get("input")) or ()):
        yield from check_item(index, value)
