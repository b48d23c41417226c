"""A model as a summarizer: with its own window, and pictures where it sees them."""

from __future__ import annotations

from unabridged.models.asker import Asker
from unabridged.models.model import Model
from unabridged.models.registry import limits_of
from unabridged.models.windows import window_of_model
from unabridged.summarizer import ModelSummarizer


def summarizer_of(model: Model, *, window: int | None = None, sees: bool | None = None) -> ModelSummarizer:
    """Give a summarizer that asks a model, the one of the conversation or another.

    `window` is in tokens; without it the window is what `window_of_model` says. `sees` says whether pictures are
    attached; without it the registry does. Raises `BadSetting` for a window that holds nothing.
    """
    if sees is None:
        limits = limits_of(model.name, endpoint=model.endpoint)
        sees = limits is not None and limits.sees
    tokens = window if window is not None else window_of_model(model).tokens
    return ModelSummarizer(Asker(model), window=tokens, model=model.name, sees=sees)
