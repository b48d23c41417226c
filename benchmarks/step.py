"""What one step costs: append three messages, fit, and have the request's messages; history kept, exact counts.

Whatever else runs on a machine makes a step dearer and never cheaper. So the median is taken block by block, over a
while, and the quietest block is told, of the control alike.
"""

from __future__ import annotations

import json
import time
from statistics import median

from benchmarks.control import Control
from benchmarks.workloads import Message, Workloads
from unabridged import Conversation, Policy, Usage

SIZES = (1_000, 10_000, 100_000)
BLOCKS = 15
STEPS = 50
"""In each block."""
PAUSE_S = 0.4
"""Between two blocks, so that a noisy neighbour has time to go."""
BUDGET = 102_400
PROMISED_MS = 0.2


class Bench:
    """A conversation of some length beside the control, both a step further each time."""

    def __init__(self, workloads: Workloads, size: int) -> None:
        history, self._more = workloads.history(size)
        self._talk, self._control = Conversation(window=128_000, model="bench", policy=Policy()), Control(BUDGET)
        for message in history:
            text = json.dumps(message, ensure_ascii=False)
            self._talk.add(text)
            self._control.append(text)
        started = time.process_time()
        fitted = self._talk.fit()
        self.first = time.process_time() - started
        self._talk.answered(Usage(input=fitted.sent.price))
        self._control.request()
        self.ours: list[float] = []
        self.theirs: list[float] = []

    def block(self) -> None:
        """Go some steps further."""
        for _ in range(STEPS):
            call = self._more.calls(2)
            new = [json.dumps(m, ensure_ascii=False) for m in self._said(call)]
            started = time.process_time()
            for text in new:
                self._talk.add(text)
            fitted = self._talk.fit()
            assert fitted.texts
            self.ours.append(time.process_time() - started)
            self._talk.answered(Usage(input=fitted.sent.price))
            started = time.process_time()
            for text in new:
                self._control.append(text)
            self._control.request()
            self.theirs.append(time.process_time() - started)

    def _said(self, call: Message) -> list[Message]:
        return [call, *(self._more.result(each, 150) for each in call["tool_calls"])]


def table(workloads: Workloads) -> bool:
    """Print milliseconds of CPU by length of history; tell whether the promise holds."""
    print("one step: append 3 messages, fit, request's messages (CPU ms, quietest median; the control in turn)")
    print(f"{'history':>10}{'unabridged':>13}{'p90':>9}{'control':>10}{'ratio':>8}{'first fit':>12}")
    medians = [_row(size, Bench(workloads, size)) for size in SIZES]
    flat = medians[-1] / medians[0]
    print(f"from {SIZES[0]:,} to {SIZES[-1]:,} messages: x {flat:.2f}; promised: at most {PROMISED_MS} ms, flat")
    return max(medians) <= PROMISED_MS


def _row(size: int, bench: Bench) -> float:
    for _ in range(BLOCKS):
        bench.block()
        time.sleep(PAUSE_S)
    middle, floor = _quietest(bench.ours) * 1e3, _quietest(bench.theirs) * 1e3
    p90 = sorted(bench.ours)[len(bench.ours) * 9 // 10] * 1e3
    print(f"{size:>10,}{middle:>13.3f}{p90:>9.3f}{floor:>10.3f}{middle / floor:>8.2f}{bench.first * 1e3:>9.0f} ms")
    return middle


def _quietest(times: list[float]) -> float:
    return min(median(times[start : start + STEPS]) for start in range(0, len(times), STEPS))
