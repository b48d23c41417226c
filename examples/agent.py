"""Gives the agent a task that a toy can do: two questions, with a real model on this machine. Needs no key.

The model is SmolLM2 with 135 million parameters. Its chat template has no place for tools, so it is told of none and
calls none, and what it says is often wrong. That is shown as it is. The session, the counts and the times are real.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path

from unabridged.agent.events import Ended, Event, Spent
from unabridged.agent.opening import Wanted, opened
from unabridged.agent.settings import Settings
from unabridged.agent.watching import Watcher
from unabridged.models.local.weights import SMOLLM2

QUESTIONS = ("What is the capital of France? Answer in one short sentence.", "And of Italy? One short sentence.")


async def main() -> None:
    """Ask both in one session, and say what came of it."""
    settings = Settings(model=SMOLLM2.name, mode="plan", gate=False)
    spent: list[Spent] = []

    def watch(event: Event) -> None:
        if isinstance(event, Spent):
            spent.append(event)

    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "sessions.db")
        began = time.monotonic()
        async with opened(Wanted(settings=settings, folder=Path(folder), store=store)) as office:
            desk = office.desk(Watcher(tell=watch))
            print(f"{office.chosen.says}; loaded in {time.monotonic() - began:.1f} s")
            for question in QUESTIONS:
                ended: Ended = await desk.turn(question)
                counted = spent[-1].usage.input if spent[-1].usage is not None else 0
                print(f"\n> {question}\n{ended.text.strip() or ended.detail}")
                print(f"  {ended.ending.value}, {ended.steps} step, {counted:,} tokens sent, {ended.seconds:.1f} s")
            offered = ", ".join(tool.name for tool in office.shop.tools)
            print(f"\nIt was offered {offered}, and more; its template drops tools, so it saw none of them.")
            print(f"The session is whole: {desk.resume().messages} messages.")


if __name__ == "__main__":
    asyncio.run(main())
