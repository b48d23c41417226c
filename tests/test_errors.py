"""Errors, as those get them who work with several processes."""

from __future__ import annotations

import copy
import pickle

import pytest

from unabridged.errors import (
    BadInput,
    BadSetting,
    CannotFit,
    Conflict,
    LeaseLost,
    NotFound,
    SessionBusy,
    StoreError,
    StoreFault,
    UnabridgedError,
)
from unabridged.models.model import ModelError
from unabridged.models.overflow import meaning_of

ALL = (
    UnabridgedError("odd"),
    BadInput("odd"),
    BadSetting("window", 3, "give more"),
    CannotFit(floor=3, limit=2, window=2, parts=(("frame", 3),)),
    Conflict(expected=1, actual=2),
    NotFound("message", "m1"),
    StoreError(StoreFault.FULL, "no room"),
    SessionBusy("s1", 2.5),
    LeaseLost("s1"),
    ModelError(meaning_of("prompt is too long: 9 tokens > 8 maximum"), ran=True),
)


@pytest.mark.parametrize("error", ALL, ids=lambda error: type(error).__name__)
def test_an_error_comes_whole_out_of_another_process(error: UnabridgedError) -> None:
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert vars(again) == vars(error)
