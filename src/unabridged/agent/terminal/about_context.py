"""Commands about what the model sees: how much, what left, which model, what it may do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from unabridged.agent.permissions.questions import Mode
from unabridged.agent.terminal.cards import fitting
from unabridged.agent.terminal.fits import divider
from unabridged.agent.terminal.ink import BAD, DIM, GOOD, NOTE, WARN, Ink, ink_of, one_line, short
from unabridged.agent.terminal.orders import Order
from unabridged.errors import BadInput

if TYPE_CHECKING:
    from unabridged.agent.breakdown import Breakdown, Share
    from unabridged.agent.terminal.front import Front
    from unabridged.report import Report
    from unabridged.store.steps import Fate

DRY = "--dry-run"


async def _compact(front: Front, given: str) -> None:
    words = given.split()
    focus = " ".join(word for word in words if word != DRY)
    if DRY in words:
        _shown(front, front.desk.preview_compact(focus), "would come to")
        return
    if not front.desk.session:
        raise BadInput("there is nothing to compact yet")

    async def compacting() -> None:
        if await front.desk.compact(focus) is None:
            front.say("nothing can be summed up: what is there must stay", DIM)

    front.work(compacting())


async def _uncompact(front: Front, _: str) -> None:
    _shown(front, front.desk.undo(), "is planned anew from the originals")


def _shown(front: Front, report: Report | None, words: str) -> None:
    ink, width = ink_of(front.screen.console), front.screen.console.width
    line = divider(report, ink, width) if report is not None else None
    if line is None:
        front.say(f"the view {words}: everything fits, nothing is taken out", DIM)
    else:
        front.say(f"the view {words}", DIM)
        front.screen.show(line)


async def _context(front: Front, given: str) -> None:
    first, _, rest = given.partition(" ")
    if first == "why":
        _why(front, rest.strip())
        return
    if first:
        raise BadInput("/context takes nothing, or `why` and the number of a message")
    front.screen.show(*drawn(front.desk.context(), ink_of(front.screen.console), front.screen.console.width))


def drawn(context: Breakdown, ink: Ink, width: int) -> Sequence[Text]:
    """Draw what fills a request: a bar for each layer and kind, and one for all of it."""
    share = 100 * context.tokens / context.window
    style = BAD if context.tokens >= context.budget else WARN if context.tokens >= 0.85 * context.budget else GOOD
    cells = max(min(width - 2, 60), 10)
    full = min(cells, round(cells * context.tokens / context.window))
    budget = min(cells - 1, round(cells * context.budget / context.window))
    bar = Text(ink.full * full, style).append(ink.empty * (cells - full), DIM)
    bar.plain = f"{bar.plain[:budget]}|{bar.plain[budget + 1 :]}"
    summed = (
        f"{share:.0f} % of {short(context.window)}: {context.tokens:,} tokens; compacted at {context.budget:,} (|); "
        f"{context.shown:,} of {context.messages:,} messages shown"
    )
    lines = [bar, Text(summed, DIM)]
    largest = max((each.tokens for each in (*context.layers, *context.kinds)), default=1)
    for name, shares in (("layers", context.layers), ("messages", context.kinds)):
        lines.append(Text(name, "bold"))
        lines += [fitting(_row(each, largest, ink, width), width) for each in shares if each.tokens]
    return lines


def _row(share: Share, largest: int, ink: Ink, width: int) -> Text:
    cells = max(min(width - 32, 40), 4)
    filled = max(1, round(cells * share.tokens / max(largest, 1)))
    return Text.assemble(f"  {share.name:<18.18} {share.tokens:>8,} ", (ink.full * filled, NOTE))


def _why(front: Front, asked: str) -> None:
    if not asked:
        raise BadInput("say which message: its number or its id, as in `/context why 17`")
    message, fates = front.desk.why(asked)
    front.say(f"{message.role.value} {message.id}: {one_line(message.text)[:200] or '(no text)'}")
    if not fates:
        front.say("  nothing was ever taken out of it", DIM)
    for fate in fates:
        front.say(f"  {fate_words(fate)}", NOTE)


def fate_words(fate: Fate) -> str:
    """Say what was decided on a message."""
    verdict, reason = (each.value.replace("_", " ") for each in (fate.verdict, fate.reason))
    cut = f", cut in {len(fate.cuts)} places" if fate.cuts else ""
    return f"from step {fate.step} on: {verdict} ({reason}; {fate.strategy}){cut}"


async def _usage(front: Front, _: str) -> None:
    count, used = front.desk.usage()
    answers = "1 answer" if count == 1 else f"{count:,} answers"
    from unabridged.models.prices.spending import pricing_of

    cost = pricing_of(front.office.shop.model.name)(used) if used.input else None
    priced = f", about ${cost:,.2f}" if cost is not None else ""
    front.say(f"{answers} in this session: {used.input:,} tokens in, {used.output:,} out{priced}")
    if used.input:
        front.say(
            f"  from the cache {used.cached:,} ({100 * used.cached / used.input:.0f} %), written to it "
            f"{used.cache_write:,}, thought {used.reasoning:,}",
            DIM,
        )


async def _model(front: Front, name: str) -> None:
    if name:
        await front.office.switch_model(front.desk, name)
        front.say(f"going on with {name}; its window is {front.desk.window:,} tokens", DIM)
    else:
        front.say(f"{front.office.chosen.says}; its window is {front.desk.window:,} tokens. /model NAME takes another")


async def _mode(front: Front, name: str) -> None:
    if name:
        if name not in list(Mode):
            raise BadInput(f"{name!r} is no mode: use one of {', '.join(Mode)}")
        front.office.switch_mode(Mode(name))
    front.say(f"mode: {front.office.mode.value} ({', '.join(Mode)}; Shift-Tab goes to the next)", DIM)


async def _plan(front: Front, _: str) -> None:
    await _mode(front, Mode.ASK if front.office.mode is Mode.PLAN else Mode.PLAN)


ORDERS = (
    Order(name="compact", takes=f"[FOCUS] [{DRY}]", does="sum up what is old now", act=_compact),
    Order(name="uncompact", does="take it back: plan anew from the originals", act=_uncompact),
    Order(name="context", takes="[why ID]", does="show what fills the window, or a message's fate", act=_context),
    Order(name="usage", does="show what this session cost", act=_usage, beside=True),
    Order(name="model", takes="[NAME]", does="go on with another model", act=_model),
    Order(name="mode", takes="[NAME]", does="say what is allowed without a question", act=_mode, beside=True),
    Order(name="plan", does="only look, or no longer", act=_plan, beside=True),
)
