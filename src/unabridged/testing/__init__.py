"""What tests of this library are made of, and what users of it can test their own parts with.

`violations` judges a request payload by the rules that its provider publishes. It shares no code with the
parts that write and repair payloads, so that neither can hide the other's mistake.
"""

from __future__ import annotations

from unabridged.testing.validity import Violation, violations

__all__ = ["Violation", "violations"]
