"""Policies to be put side by side, and those that a sweep tries."""

from __future__ import annotations

import msgspec

from unabridged.errors import BadSetting
from unabridged.policy import ORDERS, TOOL_OUTPUT_FIRST, Policy
from unabridged.replay.walk import is_mortal

TARGETS = (0.4, 0.5, 0.6, 0.7, 0.8)
"""Where a fit lands in a sweep; 0.7 is the default."""


class Variant(msgspec.Struct, frozen=True):
    """A policy with the name that it has in a table."""

    key: str
    """As it is written in a list: `none`, `trim:oldest_first`, `summarize`, `summarize:folding`."""
    policy: Policy

    @property
    def label(self) -> str:
        """For people."""
        return self.key.replace(":", " ")


def side_by_side(policy: Policy, wanted: str | None) -> list[Variant]:
    """Give what `--compare` puts side by side: everything that is not compared is as in `policy`.

    `wanted` names some of them, with commas between; `trim` names all of its orders. Raises `BadSetting` for others.
    """
    known = [
        Variant("none", _changed(policy, strategy="none")),
        *(Variant(f"trim:{order}", _changed(policy, strategy="trim", trim_order=order)) for order in ORDERS),
        Variant("summarize", _changed(policy, strategy="summarize", fold_in_turn=False)),
        Variant("summarize:folding", _changed(policy, strategy="summarize", fold_in_turn=True)),
    ]
    if wanted is None:
        return known
    chosen: list[Variant] = []
    for name in filter(None, (each.strip() for each in wanted.split(","))):
        exact = [each for each in known if each.key == name]
        named = exact or [each for each in known if each.key.partition(":")[0] == name]
        if not named:
            raise BadSetting("policies", name, f"known are trim, {', '.join(each.key for each in known)}")
        chosen += [each for each in named if each not in chosen]
    if not chosen:
        raise BadSetting("policies", wanted, "name at least one")
    return chosen


def grid(policy: Policy) -> list[Variant]:
    """Give what `--sweep` tries: every target with every order, everything else as in `policy`."""
    if is_mortal(policy):
        raise BadSetting("strategy", policy.strategy, "it has neither a target nor an order to try: choose another one")
    return [
        Variant(f"{target} {order}", _changed(policy, target=target, trim_order=order))
        for target in TARGETS
        for order in ORDERS
    ]


def is_default(policy: Policy) -> bool:
    """Tell whether a policy has the target and the order that hold where nothing is said."""
    return policy.target == Policy().target and policy.trim_order == TOOL_OUTPUT_FIRST


def settings_of(policy: Policy) -> str:
    """Write a policy as JSON: what differs from the defaults, and always what a sweep chooses between."""
    chosen = {"strategy": policy.strategy, "trimOrder": policy.trim_order, "target": policy.target}
    return msgspec.json.encode(chosen | _differing(policy)).decode()


def _differing(policy: Policy) -> dict[str, object]:
    said, usual = (msgspec.to_builtins(each) for each in (policy, Policy()))
    return {name: value for name, value in said.items() if value != usual[name]}


def _changed(policy: Policy, **settings: object) -> Policy:
    return msgspec.structs.replace(policy, **settings)
