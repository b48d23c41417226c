"""Whole runs, judged from outside: share served from a prompt cache, fill, requests over budget, invalid ones."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from benchmarks.judge import Judge, Verdicts
from benchmarks.workloads import Message, Workloads
from unabridged import Conversation, Policy, Usage
from unabridged.testing.validity import violations

BUDGET = 102_400
WINDOW = 128_000


def table(workloads: Workloads) -> bool:
    """Print a row for each run; tell whether what is promised of them holds."""
    print("runs at a window of 128,000 (budget 102,400), judged on the requests with exact o200k counts")
    print(
        f"{'run':36}{'steps':>7}{'cached':>9}{'breaks':>8}{'fill':>7}{'fits':>6}{'over':>6}{'invalid':>9}{'ms/step':>9}"
    )
    main = _row("200 steps, a user every 10", workloads.run(200))
    others = [
        _row("500 steps, one single turn", workloads.run(500, user_every=None)),
        _row("120 steps, Chinese Japanese Korean", workloads.run(120, profile="cjk")),
        _row("a result of 800,000 characters, last", _steps(workloads.huge("last")[0])),
        _row("the same in the middle", _steps(workloads.huge("middle")[0])),
    ]
    sound = not any(verdicts.over or invalid for verdicts, invalid in (main, *others))
    print("promised: 91 % of the first run's tokens cached at a mean fill of 0.75; 0 over and 0 invalid everywhere")
    return sound and main[0].prefix >= 0.91 and main[0].fill >= 0.75


def _steps(messages: list[Message]) -> Iterator[list[Message]]:
    """Split a transcript where its agent asked its model: before every assistant message, and at the end."""
    new: list[Message] = []
    for message in messages:
        if message["role"] == "assistant" and new:
            yield new
            new = []
        new.append(message)
    yield new


def _row(name: str, run: Iterable[list[Message]]) -> tuple[Verdicts, int]:
    talk, judge = Conversation(policy=Policy(), window=WINDOW, model="bench"), Judge(BUDGET)
    spent = invalid = fits = 0.0
    for new in run:
        started = time.process_time()
        for message in new:
            talk.add(message)
        fitted = talk.fit()
        messages = fitted.messages()
        spent += time.process_time() - started
        fits += fitted.checkpoint is not None
        invalid += bool(violations("openai_chat", {"model": "bench", "messages": messages}))
        talk.answered(Usage(input=judge.see(messages)))
    verdicts = judge.verdicts
    per_step = spent / verdicts.steps * 1e3
    print(
        f"{name:36}{verdicts.steps:>7}{verdicts.prefix:>9.1%}{verdicts.breaks:>8}{verdicts.fill:>7.2f}{fits:>6.0f}"
        f"{verdicts.over:>6}{invalid:>9.0f}{per_step:>9.2f}"
    )
    return verdicts, int(invalid)
