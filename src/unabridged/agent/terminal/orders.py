"""What a line that begins with a slash can be."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from unabridged.agent.terminal.front import Front


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """One command."""

    name: str
    does: str
    act: Callable[[Front, str], Awaitable[None]]
    takes: str = ""
    beside: bool = False
    """It can be given while something runs."""
