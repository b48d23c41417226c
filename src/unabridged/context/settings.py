"""The articles' settings, read from the environment and refused at once where they cannot work."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TypeVar

import msgspec

from unabridged.budget import DEFAULT_WINDOW, Budget
from unabridged.errors import BadSetting
from unabridged.policy import Policy

_VARIABLES = {
    "window": "CONTEXT_WINDOW",
    "threshold": "COMPRESSION_THRESHOLD",
    "minRetainRounds": "MIN_RETAIN_ROUNDS",
    "summarizerTimeoutS": "SUMMARY_TIMEOUT",
}
"""The articles' variables by the names of our settings."""

_Number = TypeVar("_Number", int, float)


class ContextConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The four settings of the articles. What cannot work is a `BadSetting` that names the variable."""

    context_window: int = DEFAULT_WINDOW
    """`CONTEXT_WINDOW`: tokens that the model takes, prompt and answer together."""
    compression_threshold: float = 0.8
    """`COMPRESSION_THRESHOLD`: share of the window that a request may take."""
    min_retain_rounds: int = 10
    """`MIN_RETAIN_ROUNDS`: newest rounds that a summary leaves as they are. A wish that the budget overrules."""
    summary_timeout: float = 120.0
    """`SUMMARY_TIMEOUT`: seconds that a summary may take."""

    def __post_init__(self) -> None:
        try:
            Budget.of(self.policy(), window=self.context_window)
        except BadSetting as error:
            raise BadSetting(_VARIABLES[error.setting], error.value, error.remedy) from error

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> ContextConfig:
        """Read the settings from environment variables; one that is unset or empty has its default.

        A `.env` file is not opened: one in a foreign repository must not change how a conversation is kept.
        """
        given = os.environ if environ is None else environ
        own = cls()
        return cls(
            context_window=_read(given, _VARIABLES["window"], own.context_window),
            compression_threshold=_read(given, _VARIABLES["threshold"], own.compression_threshold),
            min_retain_rounds=_read(given, _VARIABLES["minRetainRounds"], own.min_retain_rounds),
            summary_timeout=_read(given, _VARIABLES["summarizerTimeoutS"], own.summary_timeout),
        )

    def policy(self, *, summarize: bool = False) -> Policy:
        """Give the same settings as the engine takes them.

        With `summarize` what leaves gives way to a summary, at every step as in the articles, not only before a turn.
        """
        return Policy(
            strategy="summarize" if summarize else "trim",
            fold_in_turn=summarize,
            threshold=self.compression_threshold,
            min_retain_rounds=self.min_retain_rounds,
            summarizer_timeout_s=self.summary_timeout,
        )


def _read(environ: Mapping[str, str], variable: str, default: _Number) -> _Number:
    text = environ.get(variable, "").strip()
    try:
        return type(default)(text) if text else default
    except ValueError as error:
        number = "a whole number" if isinstance(default, int) else "a number"
        raise BadSetting(variable, text, f"give {number}, such as {default}") from error
