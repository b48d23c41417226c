"""What a provider's error means for the context: whether the request was too long, and for which window.

The articles' names over `unabridged.models.overflow`, which tells more: quotas, output limits, broken lists.
"""

from __future__ import annotations

import enum

import msgspec

from unabridged.models.overflow import meaning_of


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


def classify_model_error(error: BaseException) -> ModelError:
    """Tell what an exception of a model client means. Reads its text, code, type, body and causes.

    Input and asked output that are too long only together count as too long: a fit to the window that was named lowers
    the output too.
    """
    meaning = meaning_of(error)
    if meaning.over_window:
        return ModelError(ModelErrorKind.PROMPT_TOO_LONG, meaning.limit)
    answered = getattr(error, "status_code", None) is not None or getattr(error, "body", None) is not None
    return ModelError(ModelErrorKind.API_ERROR if answered else ModelErrorKind.UNKNOWN_MODEL_ERROR)
