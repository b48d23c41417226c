"""What a session learned of the models that it talked to: how they count, and what they refused."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from unabridged.entry import Payload, ReportEntry, UsageEntry
from unabridged.report import FitReason
from unabridged.tokens.calibration import Calibration


class Ceiling(msgspec.Struct, frozen=True):
    """What a provider's refusal taught of a model, in tokens: nothing larger is tried again in this session."""

    window: int
    budget: int


class Learned(msgspec.Struct, frozen=True, omit_defaults=True):
    """All of it, as it stands after some entry of a branch. A store keeps it beside the entry that taught it."""

    models: Mapping[str, Mapping[str, Calibration]] = {}
    """How requests are counted, by model and endpoint."""
    ceilings: Mapping[str, Ceiling] = {}
    """What was refused, by model."""

    def calibration(self, model: str, endpoint: str) -> Calibration:
        """Give what was learned about a model at an endpoint; nothing yet is a calibration too."""
        return self.models.get(model, {}).get(endpoint) or Calibration()

    def after(self, payload: Payload) -> Learned:
        """Give what is known after one more entry; the same value where it teaches nothing."""
        match payload:
            case UsageEntry(model=model, endpoint=endpoint):
                known = self.calibration(model, endpoint).learn((payload.frame,), payload.price, payload.usage.input)
                models = {**self.models, model: {**self.models.get(model, {}), endpoint: known}}
                return Learned(models, self.ceilings)
            case ReportEntry(report=report) if report.reason is FitReason.PROVIDER_OVERFLOW:
                return Learned(self.models, {**self.ceilings, report.model: Ceiling(report.window, report.budget)})
            case _:
                return self
