"""Markup that cannot be broken into: what is not markup already is escaped, wherever it stands."""

from __future__ import annotations

import html
from collections.abc import Iterable


class Markup(str):
    """Text that is markup: it was made here, and is not escaped again."""

    __slots__ = ()


def element(name: str, *children: Markup | str, **attributes: str | None) -> Markup:
    """Give an element. Underscores in attribute names stand for hyphens, one at the end for nothing."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{given}>{joined(children)}</{name}>")


def joined(children: Iterable[Markup | str]) -> Markup:
    """Give several pieces as one."""
    return Markup("".join(child if isinstance(child, Markup) else html.escape(child) for child in children))
