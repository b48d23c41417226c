"""The tables of the page, as plain markup: they can be read without the script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from unabridged.policy import Policy
from unabridged.replay.page.markup import Markup, element
from unabridged.replay.sizes import dollars, share, short
from unabridged.replay.totals import Totals, death
from unabridged.replay.walk import Step
from unabridged.replay.words import reason_of
from unabridged.report import FitReason, Report


def tiles(steps: Sequence[Step], totals: Totals) -> Markup:
    """Give the numbers that matter most."""
    dead = death(steps)
    sent, full = short(totals.sent), short(totals.full)
    facts = [
        ("model calls", f"{totals.calls:,}", f"{totals.refused:,} cannot fit" if totals.refused else "all of them fit"),
        ("fits", f"{totals.fits:,}", _where(totals)),
        ("tokens sent", sent, f"{share(totals.sent, totals.full)} of {full} with nothing left out"),
        ("from the cache", share(totals.cached, totals.sent), "of the tokens sent"),
        ("mean fill", _fill(totals), "of the budget, since the first fit" if totals.calls_after else "of the budget"),
    ]
    if totals.is_priced:
        facts.append(
            ("cost", dollars(totals.cost.cached), f"with a prompt cache; {dollars(totals.cost.uncached)} without")
        )
    if totals.over_budget:
        facts.append(("over budget", f"{totals.over_budget:,}", "requests"))
    lives = "the whole transcript stays within the window"
    ends = (
        ("without fitting", "lives", lives)
        if dead is None
        else ("without fitting", f"dead at {dead.number:,}", f"{dead.full:,} tokens, the window is {dead.window:,}")
    )
    return element("dl", *(_tile(*fact) for fact in [*facts, ends]), class_="tiles")


def _tile(name: str, value: str, more: str) -> Markup:
    return element("div", element("dt", name), element("dd", element("b", value), " ", element("span", more)))


def _where(totals: Totals) -> str:
    counts = [
        (totals.fits_before_turns, "before a turn"),
        (totals.fits_between_steps, "between steps"),
        (totals.repairs, "repaired besides"),
    ]
    return ", ".join(f"{count:,} {name}" for count, name in counts if count) or "nothing had to go"


def _fill(totals: Totals) -> str:
    sent = totals.calls - totals.refused
    fill = totals.fill_since if totals.fill_since is not None else totals.fill / sent if sent else 0.0
    return f"{fill:.2f}"


def fits(steps: Iterable[Step]) -> Markup:
    """Give every call at which something was done, or nothing could be."""
    rows = [_fit(step) for step in steps if step.report is not None or step.refusal is not None]
    if not rows:
        return element("p", "Nothing had to go: every request was within its budget.", class_="dim")
    head = element("tr", *(element("th", name, scope="col") for name in ("call", "tokens", "what went", "cached")))
    return element("table", element("thead", head), element("tbody", *rows), class_="fits")


def _fit(step: Step) -> Markup:
    call = element("a", f"{step.number:,}", href=f"#call-{step.number}")
    if step.report is None:
        floor = 0 if step.refusal is None else step.refusal.floor
        cells = [element("td", f"at least {short(floor)}"), element("td", "cannot fit"), element("td", "")]
    else:
        report = step.report
        size = f"{short(report.tokens_before)} → {short(report.tokens_after)}"
        cached = share(step.cached, step.tokens or 0)
        cells = [element("td", size), element("td", _went(report)), element("td", cached)]
    state = "bad" if step.report is None or step.report.over_budget else None
    return element("tr", element("td", call), *cells, class_=state)


def _went(report: Report) -> str:
    counts = [
        (report.compacted, "compacted"),
        (report.dropped, "dropped"),
        (report.truncated, "truncated"),
        (report.repaired, "repaired"),
    ]
    words = ", ".join(f"{count:,} {name}" for count, name in counts if count)
    usual = report.reason is FitReason.THRESHOLD_EXCEEDED and report.fallback is None
    return words if words and usual else f"{words}: {reason_of(report)}" if words else reason_of(report)


def settings(policy: Policy, prices: str, steps: Sequence[Step]) -> Markup:
    """Give the policy, and where the prices are from."""
    first = steps[0]
    said, usual = _said(policy), _said(Policy())
    rows = [
        _setting("window", f"{first.window:,}"),
        _setting("budget", f"{first.budget:,}"),
        _setting("prices", prices),
    ]
    rows += [_setting(name, value, chosen=value != usual.get(name)) for name, value in said.items()]
    return element("table", element("tbody", *rows), class_="settings")


def _said(policy: Policy) -> dict[str, str]:
    values: dict[str, object] = msgspec.to_builtins(policy)
    return {name: _value(value) for name, value in values.items() if value is not None}


def _setting(name: str, value: str, *, chosen: bool = False) -> Markup:
    return element(
        "tr",
        element("th", name, scope="row"),
        element("td", element("bdi", value)),
        class_="chosen" if chosen else None,
    )


def _value(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)
