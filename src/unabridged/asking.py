"""One request before it is known what it holds: how large it may be, and how that is counted."""

from __future__ import annotations

import hashlib

import msgspec

from unabridged.budget import Budget
from unabridged.frame import Frame
from unabridged.learned import Ceiling
from unabridged.policy import Policy
from unabridged.tokens import TokenCounter
from unabridged.tokens.calibration import Meter
from unabridged.tokens.price import Price, price_texts
from unabridged.transcript import Transcript
from unabridged.wire import Wire

REFUSED_SHARE = 0.8
"""Of a request that a provider refused without naming its limit, the share that is tried next."""

COMPACT_SHARE = 0.3
"""Where a compaction that somebody asks for lands between the floor and what the request takes."""
LEAST_SHRINK = 0.02
"""Of a refused request. What makes it smaller by less may make it larger as the provider frames messages."""


class Overflow(msgspec.Struct, frozen=True):
    """A provider's refusal: the request was too long."""

    limit: int | None = None
    """Tokens that the provider named as its window, where it did."""


class Compact(msgspec.Struct, frozen=True):
    """Somebody asks for a summary although the request fits: before something else begins, or to save money."""

    focus: str = ""
    """What the summary should keep above all, in their words."""


class Priced(msgspec.Struct, frozen=True):
    """A frame with what it costs. It is the same object step after step, and priced once."""

    frame: Frame
    digest: str
    price: Price
    max_output: int | None
    """The output limit that it asks for, in tokens."""

    @classmethod
    def of(cls, frame: Frame, wire: Wire, counter: TokenCounter) -> Priced:
        """Price a frame: every text of it that the provider tokenizes."""
        texts = list(wire.frame_texts(frame))
        spoken = f"{wire.name} guarded" if frame.guards else wire.name  # neither is comparable with another
        identity = "\x00".join([spoken, *texts])
        digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()
        return cls(frame, digest, price_texts(texts, counter), wire.max_output(frame))


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """One request: its frame, its budget, and the one counter."""

    frame: Frame
    digest: str
    price: Price
    max_output: int | None
    policy: Policy
    budget: Budget
    """What this fit goes by."""
    lasting: Budget
    """What the request may take whatever is asked for this once."""
    meter: Meter
    bare: Meter
    model: str
    forced: bool
    compacts: bool = False
    """Somebody asks for a compaction."""
    focus: str = ""

    def count(self, view: Price) -> int:
        """Give the tokens of the whole request with this view. Trigger, target, before and after use it alike."""
        return self.meter.tokens(self.meter.weight(self.price) + self.meter.weight(view))

    def is_smaller(self, view: Price, than: Price) -> bool:
        """Tell whether a request shrinks; after a refusal by enough that the provider's own count shrinks as well."""
        most = self.surely(than) * (1 - LEAST_SHRINK)
        return self.count(view) < self.count(than) and not (self.forced and self.surely(view) > most)

    def surely(self, view: Price) -> int:
        """Give the same without any margin: for refusing, where a false alarm would end a conversation."""
        return self.bare.tokens(self.bare.weight(self.price) + self.bare.weight(view))


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What a shell passes with each step, beside the frame."""

    policy: Policy
    window: int | None = None
    """The model's, in tokens; the policy may cap it."""
    model: str = ""
    overflow: Overflow | Compact | None = None
    """The provider refused the last request as too long, or somebody wants it smaller: it must shrink, whatever the
    count says."""


def ask_of(priced: Priced, wanted: Wanted, transcript: Transcript) -> Ask:
    """Work out what a request may take, by what is known of its model."""
    known = transcript.learned.calibration(wanted.model, priced.frame.endpoint)
    key = (priced.digest,)  # not the checkpoint: the difference in price says what a fit took out, as what came
    asked = priced.max_output
    budget = Budget.of(wanted.policy, window=wanted.window, max_output=asked)
    ceiling = transcript.learned.ceilings.get(wanted.model)
    if ceiling is not None:
        budget = _under(ceiling, budget, wanted.policy, asked)
    return Ask(
        frame=priced.frame,
        digest=priced.digest,
        price=priced.price,
        max_output=asked,
        policy=wanted.policy,
        budget=budget,
        lasting=budget,
        meter=known.meter(key),
        bare=known.bare(key),
        model=wanted.model,
        forced=wanted.overflow is not None,
    )


def smaller(ask: Ask, overflow: Overflow, present: Price) -> Ask:
    """Give what may be asked after a refusal: the window that the provider named, and less than was refused."""
    named = ask.budget.window if overflow.limit is None else min(overflow.limit, ask.budget.window)
    policy = msgspec.structs.replace(ask.policy, max_context_tokens=None)
    budget = Budget.of(policy, window=named, max_output=ask.max_output)
    refused = ask.count(present)
    if refused <= budget.total:  # by our count it would fit: the provider counts otherwise
        budget = msgspec.structs.replace(budget, total=max(1, int(refused * REFUSED_SHARE)))
    return msgspec.structs.replace(ask, budget=budget, lasting=budget)


def compacted(ask: Ask, wanted: Compact, present: Price) -> Ask:
    """Give what is asked where somebody wants a compaction: to land well below what the request takes now."""
    total = max(1, min(ask.budget.total, ask.count(present)))
    budget = msgspec.structs.replace(ask.budget, total=total, share=min(ask.budget.share, COMPACT_SHARE))
    return msgspec.structs.replace(ask, budget=budget, compacts=True, focus=wanted.focus)


def _under(ceiling: Ceiling, budget: Budget, policy: Policy, max_output: int | None) -> Budget:
    """Give the budget under what an earlier refusal taught: without it the refused request would go out again."""
    if ceiling.window < budget.window:
        uncapped = msgspec.structs.replace(policy, max_context_tokens=None)
        budget = Budget.of(uncapped, window=ceiling.window, max_output=max_output)
    return msgspec.structs.replace(budget, total=min(budget.total, ceiling.budget))
