"""What the options come to: the policy, the window, the prices, and the kind of output."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

import msgspec
from rich.console import Console

from unabridged.budget import DEFAULT_WINDOW, Budget
from unabridged.models.prices.pricing import PriceList
from unabridged.policy import Policy
from unabridged.replay.costs.tariff import Tariff
from unabridged.replay.options import Options
from unabridged.replay.outlet import Outlet
from unabridged.replay.policies.variants import grid, side_by_side
from unabridged.strategy import strategy_named


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """What a run does the same for every conversation."""

    policy: Policy
    window: int
    tariff: Tariff


def terms_of(options: Options) -> Terms:
    """Work out what is asked for. Raises `BadSetting` for what cannot work."""
    policy = policy_of(options)
    prices = PriceList(datetime.now(UTC).date())
    tariff = Tariff(prices, named=options.model)
    window = options.window
    if window is None:
        window = DEFAULT_WINDOW if options.model is None else prices.window(options.model)
    Budget.of(policy, window=window)
    return Terms(policy=policy, window=window, tariff=tariff)


def policy_of(options: Options) -> Policy:
    """Make the policy; what is not given is as `Policy` has it."""
    strategy_named(options.strategy)
    usual = Policy()
    return Policy(
        strategy=options.strategy,
        trim_order=usual.trim_order if options.order is None else options.order,
        target=usual.target if options.target is None else options.target,
        min_reclaim_tokens=usual.min_reclaim_tokens if options.min_reclaim is None else options.min_reclaim,
        fold_in_turn=options.fold_in_turn,
    )


def outlet_of(options: Options, terms: Terms, console: Console) -> Outlet:
    """Give the kind of output that is asked for. What it needs is imported here: the others start without it."""
    if options.compare or options.sweep:
        return _contest(options, terms, console)
    if options.html is not None:
        from unabridged.replay.page import PageFile

        return PageFile(console, options.html, terms.tariff, inputs=options.files)
    if options.as_json:
        from unabridged.replay.records import Records

        return Records(sys.stdout.buffer, terms.tariff, payloads=options.payloads)
    if options.why is not None:
        from unabridged.replay.asked import Asked

        return Asked(console, options.why, step=options.step)
    if options.step is not None:
        from unabridged.replay.moment import Moment

        return Moment(console, options.step)
    from unabridged.replay.sections import Sections

    return Sections(console, terms.tariff)


def _contest(options: Options, terms: Terms, console: Console) -> Outlet:
    from unabridged.replay.policies.contest import Contest, Rows

    variants = side_by_side(terms.policy, options.policies) if options.compare else grid(terms.policy)
    contest = Contest(variants, terms.tariff)
    if options.as_json:
        return Rows(sys.stdout.buffer, contest)
    if options.compare:
        from unabridged.replay.policies.comparing import Comparison

        return Comparison(console, contest)
    from unabridged.replay.policies.sweeping import Sweep

    return Sweep(console, contest)
