"""How much a request may carry, and why.

window  = what the model takes, capped by request or project
reserve = the output asked for, kept between `window - int(window x threshold)` and half the window
budget  = window - reserve                       128,000 -> 102,400; asking for 64,000 -> 64,000
fit     when count(request) >= budget
target  = floor + int(share x (budget - floor))  where a fit lands
limit   = window - min(1024, window // 32)       what a request may take when its floor is above the budget
"""

from __future__ import annotations

import msgspec

from unabridged.errors import BadSetting
from unabridged.policy import Policy

DEFAULT_WINDOW = 128_000
"""Tokens, where neither request, project nor registry know better."""
LEAST_WINDOW = 1_000
"""Tokens; a model below it cannot hold a task, a tool output and an answer."""
SMALLEST_ANSWER, SMALLEST_SHARE = 1_024, 32
"""Tokens of the least answer worth a call; in a small window one of so many shares of it."""


class Budget(msgspec.Struct, frozen=True):
    """Tokens of one request. Never 0 or less."""

    window: int
    reserve: int
    """Kept free for the answer: an output limit asked for beyond it is lowered on the wire."""
    total: int
    """What the whole request may take."""
    share: float
    """Where a fit lands between floor and total."""

    @classmethod
    def of(cls, policy: Policy, *, window: int | None = None, max_output: int | None = None) -> Budget:
        """Work out the budget for a model's window and the output limit that the request asks for."""
        known = DEFAULT_WINDOW if window is None else window
        if known < LEAST_WINDOW:
            raise BadSetting("window", known, f"give the model's window in tokens, at least {LEAST_WINDOW:,}")
        cap = policy.max_context_tokens
        if cap is not None and cap < LEAST_WINDOW:
            raise BadSetting("maxContextTokens", cap, f"leave at least {LEAST_WINDOW:,} tokens")
        if cap is not None and window is not None and cap > window:
            raise BadSetting("maxContextTokens", cap, f"it may only lower the window of {window:,} tokens")
        size = known if cap is None else cap
        low, high = size - int(size * policy.threshold), size // 2
        asked = max_output or policy.reserve_output_tokens or 0
        reserve = max(low, min(asked, high))
        return cls(window=size, reserve=reserve, total=size - reserve, share=policy.target)

    def target(self, floor: int) -> int:
        """Give where a fit lands, clearly below the budget, so that one fit does not call for the next."""
        return floor + int(self.share * max(0, self.total - floor))

    @property
    def limit(self) -> int:
        """What a request may take at most: the window less a small answer."""
        return self.window - min(SMALLEST_ANSWER, self.window // SMALLEST_SHARE)

    def output_for(self, tokens: int, max_output: int | None) -> int | None:
        """Give the output limit that must go out with a request of this size; None where what was asked for fits."""
        if tokens <= self.total:
            return self.reserve if max_output is not None and max_output > self.reserve else None
        room = self.window - min(tokens, self.limit)  # what is beyond the limit is a margin: no answer pays for it
        return room if max_output is None or max_output > room else None
