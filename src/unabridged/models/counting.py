"""Has the provider count a request before it goes out, where that costs nothing or decides something.

Vocabularies differ from content to content by more than one ratio can tell: SmolLM2's is 19 % denser than o200k in the
median, and in digits, hex and base64 they differ by 1.2 to 3 times (`docs/counting.md`). What a provider counts is
recorded like what it reports, and measured from afterwards.
"""

from __future__ import annotations

from unabridged.budget import Budget
from unabridged.conversation import Conversation
from unabridged.errors import CannotFit
from unabridged.fitted import Fitted
from unabridged.models.model import Model

AGREED = 0.01
"""By what share the provider's count and ours may differ, and ours is kept."""
UNSURE = 0.25
"""Of what was added since the last report: our count of nine out of ten additions is nearer than that."""
TRIES = 3
"""Each count makes the next plan a better one; the second agrees as a rule."""


class Counting:
    """What a model's provider counts, for one conversation. One that does not count is asked no more."""

    def __init__(self, talk: Conversation, model: Model) -> None:
        self._talk = talk
        self._model = model
        self._counts = True
        self._has_counted = False
        self._known = 0
        self._counted = b""
        """The request that was counted last: as long as nothing else was, it is known exactly."""

    def reported(self, tokens: int) -> None:
        """Take in what was reported for the last request: what is added to it is what our count may be wrong about."""
        self._known = tokens

    async def prepare(self) -> None:
        """Have the next request counted before it is decided, so that what is decided and told of it is right."""
        for _ in range(TRIES):
            try:
                probe = self._talk.preview()
            except CannotFit:
                return  # the fit refuses as well, and takes back what it was refused for
            if await self.agrees(probe):
                return

    async def agrees(self, fitted: Fitted) -> bool:
        """Tell whether our count of a request is the provider's; where it is not, the provider's is recorded."""
        if not self._is_worth_asking(fitted):
            return True
        body = fitted.body()
        if body == self._counted:
            return True
        tokens = await self._count(body)
        self._counted = body
        if tokens is None or abs(tokens - fitted.tokens) <= AGREED * tokens:
            return True
        self._talk.counted(fitted, tokens)
        self._known = tokens
        return False

    async def _count(self, body: bytes) -> int | None:
        """Ask the provider; again where one that has counted before does not: a line that was idle may be closed."""
        tokens = await self._model.count(body) or None
        if tokens is None and self._has_counted:
            tokens = await self._model.count(body) or None
        self._has_counted = self._counts = self._has_counted or tokens is not None
        return tokens

    def _is_worth_asking(self, fitted: Fitted) -> bool:
        """Tell whether a count is free, or the request so near its budget that it decides."""
        if not self._counts or self._model.counts_at_once:
            return self._counts
        unsure = UNSURE * max(0, fitted.tokens - self._known)
        return fitted.tokens + unsure >= Budget.of(self._talk.policy, window=self._talk.window).total
