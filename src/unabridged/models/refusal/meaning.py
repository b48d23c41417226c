"""What an error means: a kind, and the numbers that the provider named."""

from __future__ import annotations

import enum

import msgspec

LEAST_ANSWER = 1_024
"""Tokens of an answer that is worth asking for; of a small window an eighth is enough."""


class ErrorKind(enum.StrEnum):
    """What has to change before the request can succeed."""

    OVERFLOW = "overflow"
    """The input is larger than the window: make it smaller."""
    OUTPUT_LIMIT = "output_limit"
    """More output was asked for than the model gives, or than the window leaves: ask for less, keep the history."""
    RATE_LIMIT = "rate_limit"
    """A rate, a quota, a bill, or a server with too much to do. The window has nothing to do with it."""
    PAYLOAD = "payload_too_large"
    """Bytes or pixels, not tokens: send fewer or smaller media."""
    STRUCTURE = "malformed_history"
    """Calls without results, roles out of order, altered signatures: mend the list. A smaller one fails as well."""
    CONTENT_FILTER = "content_filter"
    """The provider does not want to answer this."""
    OTHER = "other"
    """Anything else. A smaller request would not help."""


class Meaning(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An error that was looked at. Numbers are tokens as the provider counts them; None where it named none."""

    kind: ErrorKind
    limit: int | None = None
    """The window; of a `rate_limit` the quota; of a `payload_too_large` bytes."""
    requested: int | None = None
    """What the whole request came to: input and the output asked for, where both were named."""
    input: int | None = None
    output: int | None = None
    """Output that was asked for."""
    output_allowed: int | None = None
    """The most output that may be asked for: a limit of the model's own, or what the window leaves."""
    suspected: bool = False
    """Nobody said so: an unexplained refusal of a request that nearly fills the window. Fit once, try once."""
    alone_over_quota: bool = False
    """This one request is larger than the whole quota: waiting does not help."""
    billing: bool = False
    """Money is missing, or a plan is used up: waiting does not help."""
    retry_after_s: float | None = None
    status: int | None = None
    """HTTP status, where one was given or named. It proves nothing: quotas come as 413, overflows as 200."""
    provider: str = ""
    """A guess by host, words and form; "" where there is none. Servers borrow each other's words."""
    quote: str = ""
    """What the provider said, in short, without keys, tokens and addresses."""

    @property
    def over_window(self) -> bool:
        """Tell whether input and asked output together did not fit the window, whichever of them is to blame."""
        return self.kind is ErrorKind.OVERFLOW or (
            self.kind is ErrorKind.OUTPUT_LIMIT and self.limit is not None and self.input is not None
        )

    @property
    def waiting_helps(self) -> bool:
        """Tell whether the very same request may succeed later."""
        return self.kind is ErrorKind.RATE_LIMIT and not self.alone_over_quota and not self.billing


def least_answer(window: int) -> int:
    """Give the tokens that an answer needs at least in this window."""
    return min(LEAST_ANSWER, window // 8)
