"""Anthropic Messages: where thinking blocks must and must not stand.

Whether a block is unaltered only the service can tell, by its signature.
"""

from __future__ import annotations

from collections.abc import Iterator

from unabridged.testing.validity.anthropic.request import THINKING, Request, Turn
from unabridged.testing.validity.violation import Violation


def check_thinking(request: Request) -> Iterator[Violation]:
    """Yield assistant turns that end with thinking, and with manual thinking those that must start with it.

    Adaptive thinking does not ask for a thinking block in front.
    """
    answers = [turn for turn in request.turns if turn.role == "assistant"]
    for turn in answers:
        if turn.blocks and turn.blocks[-1].kind in THINKING:
            last = turn.blocks[-1]
            says = f"messages.{last.message}: The final block in an assistant message cannot be `{last.kind}`."
            yield Violation("thinking_last", last.where, says)
    if request.thinking == "enabled":
        for turn in answers:
            yield from _front(turn, final=turn is answers[-1])


def _front(turn: Turn, *, final: bool) -> Iterator[Violation]:
    if not turn.blocks or turn.blocks[0].kind in THINKING:
        return
    first = turn.blocks[0]
    if any(block.kind in THINKING for block in turn.blocks):
        says = (
            f"{first.where}: If an assistant message contains any thinking blocks, the first block must be "
            f"`thinking` or `redacted_thinking`. Found `{first.kind}`."
        )
        yield Violation("thinking_not_first", first.where, says)
    elif final and (turn.last or any(turn.of("tool_use"))):
        says = (
            f"{first.where}.type: Expected `thinking` or `redacted_thinking`, but found `{first.kind}`. "
            "When `thinking` is enabled, a final `assistant` message must start with a thinking block "
            "(preceeding the lastmost set of `tool_use` and `tool_result` blocks)."
        )
        yield Violation("thinking_not_first", first.where, says)
