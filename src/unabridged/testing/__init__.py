"""What tests of this library are made of, and what users of it can test their own parts with.

`violations` judges a request payload by the rules that its provider publishes; it shares no code with the parts that
write and repair payloads, so that neither can hide the other's mistake. `FakeProvider` is a provider with a real
window: it counts, refuses, streams and reports usage as the four APIs do, over real HTTP with `serving`. `Scripted`,
`Working` and `Chaotic` are models for it.

`unabridged.testing.notation` writes conversations in one line and prints views in the same words;
`unabridged.testing.passages` has texts of every kind, and `unabridged.testing.strategies` draws texts, messages and
whole transcripts with hypothesis (extra `testing`).
"""

from __future__ import annotations

from unabridged.testing.models import Asked, Call, Chaotic, Failure, Model, Reply, Scripted, Working
from unabridged.testing.provider import FakeProvider, Refused, Served, serving
from unabridged.testing.validity import Violation, violations

__all__ = [
    "Asked",
    "Call",
    "Chaotic",
    "Failure",
    "FakeProvider",
    "Model",
    "Refused",
    "Reply",
    "Scripted",
    "Served",
    "Violation",
    "Working",
    "serving",
    "violations",
]
