"""What one step costs: append three messages, fit, and have the request's messages; history kept, exact counts.

Whatever else runs on a machine makes a step dearer and never cheaper. So the median is taken block by block, and the
quietest block is told, of the control alike.
"""

from __future__ import annotations

import json
import time
from statistics import median

from benchmarks.control import Control
from benchmarks.workloads import Workloads
from unabridged import Conversation, Policy, Usage

SIZES = (1_000, 10_000, 100_000)
BLOCKS = 5
STEPS = 100
"""In each block."""
BUDGET = 102_400
PROMISED_MS = 0.2


def table(workloads: Workloads) -> bool:
    """Print milliseconds of CPU by length of history; tell whether the promise holds."""
    print("one step: append 3 messages, fit, request's messages (CPU ms, quietest median; the control in turn)")
    print(f"{'history':>10}{'unabridged':>13}{'p90':>9}{'control':>10}{'ratio':>8}{'first fit':>12}")
    medians = [_row(workloads, size) for size in SIZES]
    flat = medians[-1] / medians[0]
    print(f"from {SIZES[0]:,} to {SIZES[-1]:,} messages: x {flat:.2f}; promised: at most {PROMISED_MS} ms, flat")
    return max(medians) <= PROMISED_MS


def _row(workloads: Workloads, size: int) -> float:
    history, more = workloads.history(size)
    talk, control = Conversation(window=128_000, model="bench", policy=Policy()), Control(BUDGET)
    for message in history:
        text = json.dumps(message, ensure_ascii=False)
        talk.add(text)
        control.append(text)
    started = time.process_time()
    fitted = talk.fit()
    first = time.process_time() - started
    talk.answered(Usage(input=fitted.sent.price))
    control.request()
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(BLOCKS * STEPS):
        call = more.calls(2)
        new = [json.dumps(m, ensure_ascii=False) for m in (call, *(more.result(c, 150) for c in call["tool_calls"]))]
        started = time.process_time()
        for text in new:
            talk.add(text)
        fitted = talk.fit()
        assert fitted.texts
        ours.append(time.process_time() - started)
        talk.answered(Usage(input=fitted.sent.price))
        started = time.process_time()
        for text in new:
            control.append(text)
        control.request()
        theirs.append(time.process_time() - started)
    middle, floor = _quietest(ours) * 1e3, _quietest(theirs) * 1e3
    p90 = sorted(ours)[len(ours) * 9 // 10] * 1e3
    print(f"{size:>10,}{middle:>13.3f}{p90:>9.3f}{floor:>10.3f}{middle / floor:>8.2f}{first * 1e3:>9.0f} ms")
    return middle


def _quietest(times: list[float]) -> float:
    return min(median(times[start : start + STEPS]) for start in range(0, len(times), STEPS))
