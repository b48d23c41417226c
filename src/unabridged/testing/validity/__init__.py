"""Whether a provider would accept the structure of a request: an independent judge of payloads.

Written from what the providers publish and answer, never from this project's own repair or wire code. It
looks at plain JSON and knows nothing of `Message` values. Where services differ or have become laxer with
time (first role, empty messages), the rule as published counts, so that a payload without violations is
safe on the older models and on the resold ones too.

What a payload alone cannot show is not checked: whether a signature is genuine and its block unaltered,
whether a file id or a URL exists, how many pages a document has, how many tokens and bytes it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import msgspec

from unabridged.errors import BadInput
from unabridged.testing.validity import anthropic, gemini, openai_chat, openai_responses
from unabridged.testing.validity.violation import Json, Violation, as_object

__all__ = ["Violation", "violations"]

_CHECKS: dict[str, Callable[[Json], Iterator[Violation]]] = {
    "anthropic": anthropic.check,
    "gemini": gemini.check,
    "openai_chat": openai_chat.check,
    "openai_responses": openai_responses.check,
}


def violations(dialect: str, body: bytes | Mapping[str, object]) -> list[Violation]:
    """List why the provider of `dialect` would refuse the request `body`; an empty list means that it would not.

    A service looks at the shape of each message before it looks at how messages belong together, and so does
    this: while one message is malformed, the rules between messages are not tried. Time is linear in the size
    of the body.

    Args:
        dialect: `anthropic` (Messages), `openai_chat` (Chat Completions), `openai_responses` or `gemini` (contents).
        body: The whole request, as bytes or as decoded JSON.

    Raises:
        BadInput: The dialect is unknown.
    """
    check = _CHECKS.get(dialect)
    if check is None:
        raise BadInput(f"no rules for the dialect {dialect!r}: use one of {', '.join(sorted(_CHECKS))}")
    if isinstance(body, bytes):
        try:
            decoded: object = msgspec.json.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            return [Violation("body_not_json", "", f"The request body is not valid JSON: {error}")]
    else:
        decoded = dict(body)
    request = as_object(decoded)
    if request is None:
        return [Violation("body_not_json", "", "The request body is not a JSON object.")]
    return list(check(request))
