"""What a provider's error means for the context: whether the request was too long, and for which window.

No status proves it: quotas come as 413, overflows as 200. So the texts and codes of an error decide, wherever they
stand in it, and first those that only look like an overflow: a rate limit in tokens, an output limit, a broken list.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

import msgspec

DEEPEST = 6
"""Levels of causes and bodies that are looked into."""


class ModelErrorKind(enum.StrEnum):
    """What kind of error a model call ended with."""

    PROMPT_TOO_LONG = "prompt_too_long"
    """The request is larger than the window: `reactive_compact` makes a smaller one."""
    API_ERROR = "api_error"
    """The provider refused or failed for another reason. A smaller request would not help."""
    UNKNOWN_MODEL_ERROR = "unknown_model_error"


class ModelError(msgspec.Struct, frozen=True):
    """An error that was looked at."""

    kind: ModelErrorKind
    limit: int | None = None
    """Tokens of the window, where the provider named it."""


_QUOTA = re.compile(
    r"rate[ _-]?limit|per (?:min(?:ute)?|day|hour)\b|\b[tr]p[md]\b|throttl|quota|resource_exhausted|please wait"
    r"|overloaded|too many requests"
)
_OUTPUT = re.compile(
    r"maximum tokens you requested|max tokens must be less|maximum output length|range of max_tokens"
    r"|max(?:_completion)?_tokens'? is too large"
)
_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|max_prompt_tokens_exceeded|input_too_large"
    r"|(?:prompt|input|request) (?:is |are )?too long|too large for model|too many tokens: (?:size|total)"
    r"|maximum (?:context|prompt|model|allowed(?: input)?) length|max(?:imum)? length of the (?:model|prompt)"
    r"|exceeds?(?: the| this| your| available| model| max(?:imum)?)* (?:context|length)"
    r"|exceeds? max(?:imum)? length|context window exceeds|longer than the model|exceeded model token limit"
    r"|tokens?\b[^.]{0,60}\bexceeds? (?:the )?(?:configured |maximum |model )?(?:limit|number|length)"
    r"|(?:inputs|prompt)\W{1,3}(?:tokens )?[^.]{0,40}must be <=|prompt \d+ > \d+"
    r"|reduce the length of the (?:messages|input)|range of input length"
    r"|loaded with context length|greater than the context length"
    r"|超过最大长度|上下文长度|输入长度超"
)
_WINDOW = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?:>=?|<=) ?(\d{3,})",
        r"\blimit(?: of|:| for this model is)? (\d{3,})",
        r"tokens allowed \(?(\d{3,})|\[1, ?(\d{3,})|with (\d{3,}) maximum",
        r"(?:context|prompt|model|allowed(?: input)?) (?:length|size|window)(?: is| of(?: only)?|:)? \(?(\d{3,})",
    )
)
"""Where the window stands in a text, the surest first: a number beside it may be the size of the request."""
_URL = re.compile(r"https?://\S+")


def classify_model_error(error: BaseException) -> ModelError:
    """Tell what an exception of a model client means. Reads its text, code, type, body and causes."""
    found = " ".join(_texts(error, 0)).lower()
    answered = getattr(error, "status_code", None) is not None or getattr(error, "body", None) is not None
    if _TOO_LONG.search(found) and not _QUOTA.search(found) and not _OUTPUT.search(found):
        return ModelError(ModelErrorKind.PROMPT_TOO_LONG, _limit(found))
    return ModelError(ModelErrorKind.API_ERROR if answered else ModelErrorKind.UNKNOWN_MODEL_ERROR)


def _limit(found: str) -> int | None:
    named = next(filter(None, (pattern.search(found) for pattern in _WINDOW)), None)
    return int(next(filter(None, named.groups()))) if named is not None else None


def _texts(thing: object, depth: int) -> Iterator[str]:
    """Give every text of an error, addresses left out: one that names a page on rate limits says nothing of this."""
    if depth > DEEPEST:
        return
    inner: list[object] = []
    if isinstance(thing, BaseException):
        inner = [str(thing), *(getattr(thing, name, None) for name in ("code", "type", "body", "__cause__"))]
    elif isinstance(thing, Mapping):
        inner = list(cast("Mapping[Any, object]", thing).values())
    elif isinstance(thing, list):
        inner = cast("list[object]", thing)
    elif isinstance(thing, str | int):
        yield _URL.sub("", str(thing))
    for each in inner:
        yield from _texts(each, depth + 1)
