"""Errors as the API says them: a status, a code for programs, a sentence with the remedy for people.

    {"error": {"code": "not_found", "message": "no session with the id 's-1' ..."}}

What went wrong inside is logged, and not said: nothing of another tenant, no key and no text of a user is in a message.
"""

from __future__ import annotations

from typing import Any

from unabridged.errors import (
    BadInput,
    BadSetting,
    CannotFit,
    Conflict,
    LeaseLost,
    NotFound,
    SessionBusy,
    StoreError,
    UnabridgedError,
)
from unabridged.models.model import ModelError


class ApiError(UnabridgedError):
    """Something that a client did, or that it has to live with. `headers` go along, such as `Retry-After`."""

    def __init__(self, status: int, code: str, message: str, *, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.headers = headers or {}


def api_error(error: UnabridgedError) -> ApiError:
    """Give what the API says of an error of ours."""
    if isinstance(error, ApiError):
        return error
    if isinstance(error, NotFound):
        return ApiError(404, "not_found", f"no such {error.what}")
    if isinstance(error, ModelError):
        return ApiError(502, f"model_{error.meaning.kind.value}", "the model's provider did not answer")
    for kind, status, code, said in _SAID:
        if isinstance(error, kind):
            return ApiError(status, code, said or str(error), headers={"Retry-After": "1"} if status == 503 else None)
    return ApiError(500, "internal", "something went wrong inside; it was logged")


_ELSEWHERE = "somebody else wrote to this session meanwhile: read it again"
_SAID: tuple[tuple[type[UnabridgedError], int, str, str], ...] = (
    (SessionBusy, 409, "session_busy", "another turn of this session runs: wait for its end, watch it, or stop it"),
    (LeaseLost, 409, "conflict", _ELSEWHERE),
    (Conflict, 409, "conflict", _ELSEWHERE),
    (CannotFit, 422, "cannot_fit", ""),
    (BadSetting, 422, "bad_setting", ""),
    (BadInput, 422, "bad_input", ""),
    (StoreError, 503, "store_unavailable", "the database cannot do this now: try again"),
)
"""Status, code and sentence of each; "" says what the error says."""


def body_of(error: ApiError) -> dict[str, Any]:
    """Give an error as the body of an answer."""
    return {"error": {"code": error.code, "message": str(error)}}
