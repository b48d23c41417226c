"""Puts the page together: markup, style, script and data in one file, with a policy that lets nothing else run."""

from __future__ import annotations

import base64
import hashlib
import zlib
from importlib.resources import files

import unabridged
from unabridged.policy import Policy
from unabridged.replay.page import tables
from unabridged.replay.page.content import Content
from unabridged.replay.page.markup import Markup, element, joined
from unabridged.replay.page.timeline import legend, timeline
from unabridged.replay.totals import totals_of

RAW_DEFLATE = -15
SCRIPTS = ("walk.js", "cards.js", "page.js")
"""In the order in which one needs the other."""


def page_of(content: Content, policy: Policy) -> bytes:
    """Give the page as UTF-8."""
    style, script = _asset("page.css"), joined(map(_asset, SCRIPTS))
    name = content.conversation.name
    head = element(
        "head",
        Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{_allowed(style, script)}">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup('<meta name="color-scheme" content="light dark">'),
        element("title", f"{name} replayed"),
        element("style", style),
    )
    data = element("script", Markup(_packed(content.data())), type="text/plain", id="data")
    body = element("body", _body(content, policy), data, element("script", script))
    return ("<!doctype html>\n" + element("html", head, body, lang="en") + "\n").encode("utf-8", "replace")


def _body(content: Content, policy: Policy) -> Markup:
    steps, conversation = content.steps, content.conversation
    totals = totals_of(steps, content.tariff.rates)
    models = {step.model for step in steps}
    about = joined(
        [
            f"{conversation.dialect}, {len(conversation.messages):,} messages, ",
            *(joined([element("bdi", model), ", "]) for model in sorted(models) if model),
            f"policy {policy.strategy} {policy.trim_order}, target {policy.target}",
        ]
    )
    picture = element("div", timeline(steps, conversation.name), id="plot")
    title = element("h1", conversation.name)
    header = element("header", title, element("p", about), tables.tiles(steps, totals), class_="top")
    line = element(
        "section",
        element("h2", "Timeline", class_="unseen", id="line"),
        picture,
        legend(steps),
        class_="line",
        aria_labelledby="line",
    )
    aside = element(
        "aside",
        element("h2", "Fits"),
        element("div", tables.fits(steps), class_="scroll", tabindex="0", role="region", aria_label="Fits"),
        element("h2", "Policy"),
        tables.settings(policy, content.tariff.note(models), steps),
    )
    without = "The request of each call, message by message, is shown by a script in this page. It needs no network."
    main = element("main", element("noscript", element("p", without)), id="request")
    foot = element(
        "footer", f"unabridged {unabridged.__version__}. The transcript stays whole; this page holds a copy of it."
    )
    return joined([header, line, element("div", aside, main, class_="panes"), foot])


def _asset(name: str) -> Markup:
    return Markup(files("unabridged.replay.page").joinpath(name).read_text(encoding="utf-8"))


def _allowed(style: str, script: str) -> str:
    """Give the content security policy: this style and this script, and nothing from anywhere."""
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _packed(data: bytes) -> str:
    """Deflate, and write in base64: no character of it means anything in markup."""
    packer = zlib.compressobj(9, zlib.DEFLATED, RAW_DEFLATE)
    return base64.b64encode(packer.compress(data) + packer.flush()).decode()
