"""A checkpoint: a plan that was decided and is kept. Derived from the transcript, and never its truth."""

from __future__ import annotations

import msgspec

from unabridged.plan import Plan


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the view is made by, until undone. It names ids, never positions.

    It counts only on a branch that holds `reaches` with the transcript digest `digest`; anywhere else it is
    ignored, with a reason. A `step` checkpoint holds only the cuts of outputs as they arrived and
    inherits everything else from its `parent`.
    """

    id: str
    parent: str | None = None
    step: bool = False
    reaches: str
    """Id of the last message that it decides on."""
    digest: str
    """Digest of the transcript chain at `reaches`."""
    plan: Plan
    summary: str | None = None
    """What stands for the compacted messages, without the words that introduce it."""
    summary_role: str = "user"
    """The rank that it is shown with: `user` or `system`."""
    strategy: str
    """The one that made it: `trim`, `step` or `summarize`."""
    budget: int
    """Tokens that a request could take when it was made. Only a larger budget may lift it, never a moved estimate."""
    asked: bool = False
    """Somebody asked for it, or it stands upon one that was asked for: nothing but an undo takes it back."""
