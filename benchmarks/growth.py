"""What must not grow faster than what it is given: the time for four times as much, over the time for as much.

Quadratic work would take sixteen times as long. The input of each row is the worst kind known for it.
"""

from __future__ import annotations

import string
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from tests.summarizer.spans import assistant, called, ran, request, span, user
from unabridged.message import Message
from unabridged.store.jsonl import read_log
from unabridged.summarizer import Answer, SummaryRequest, extract
from unabridged.summarizer.checking import flaw_in
from unabridged.summarizer.prompt import HEADINGS
from unabridged.tokens import EstimateCounter, ExactCounter
from unabridged.tokens.classes import dense_share

TIMES = 4
PROMISED = 8.0
"""For four times as much: far from sixteen, and not so near four that a busy machine decides."""
PROMISED_IMPORT_MS = 100
IMPORTED = """
import time
start = time.process_time()
{statement}
print((time.process_time() - start) * 1000)
"""

Make = Callable[[int], Any]
Do = Callable[[Any], object]


def table() -> bool:
    """Print a row for each; tell whether the promises hold."""
    print(f"growth: CPU ms for an input, for {TIMES} times as much, and their ratio (promised: at most {PROMISED:g})")
    ratios = [_row(name, make, do) for name, (make, do) in _cases().items()]
    print()
    print(f"import, CPU ms in a fresh interpreter (promised: under {PROMISED_IMPORT_MS})")
    imports = [
        _import_ms(statement) for statement in ("import msgspec", "import unabridged", "from unabridged import *")
    ]
    return max(ratios) <= PROMISED and max(imports) < PROMISED_IMPORT_MS


def _row(name: str, make: Make, do: Do) -> float:
    few, many = make(1), make(TIMES)
    do(few)
    once, more = (min(_seconds(do, given) for _ in range(3)) for given in (few, many))
    ratio = more / max(once, 1e-4)  # what takes less than a tenth of a millisecond is noise
    print(f"{name:44}{once * 1e3:>10.1f}{more * 1e3:>10.1f}{ratio:>8.1f}", flush=True)
    return ratio


def _seconds(do: Do, given: object) -> float:
    started = time.process_time()
    do(given)
    return time.process_time() - started


def _import_ms(statement: str) -> float:
    code = IMPORTED.format(statement=statement)
    runs = (subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(7))
    quickest = min(float(run.stdout) for run in runs)
    print(f"{statement:44}{quickest:>10.1f}")
    return quickest


def _cases() -> dict[str, tuple[Make, Do]]:
    exact, estimate = ExactCounter().count, EstimateCounter().count
    letters = "".join(Random(1).choices(string.ascii_lowercase, k=1_000_000))
    marks = "".join(Random(2).choices(string.punctuation, k=1_000_000))
    patterns = {"one letter": "a", "spaces": " ", "line breaks": "\n", "a ruler": "=", "emoji": "😀", "Han": "的"}
    cases: dict[str, tuple[Make, Do]] = {}
    for name, pattern in patterns.items():
        cases[f"count exactly: {name}"] = (_repeated(pattern), exact)
        cases[f"estimate: {name}"] = (_repeated(pattern), estimate)
    cases["count exactly: letters without a break"] = (lambda times: letters[: 250_000 * times], exact)
    cases["count exactly: punctuation"] = (lambda times: marks[: 250_000 * times], exact)
    cases["estimate: letters and digits"] = (_repeated("a1"), estimate)
    cases["machine data: one letter"] = (_repeated("a"), dense_share)
    cases["machine data: digits and dashes"] = (_repeated("1a-"), dense_share)
    cases["read a log: one damaged line"] = (_damaged, _opened)
    cases["extract a summary: a working session"] = (_working, extract)
    odd = {"tags": "<think>", "fences": "```\n", "hunks": "--- a\n+++ b\n", "quotes": '"', "paths": "a/", "dots": "a."}
    for name, pattern in odd.items():
        cases[f"extract a summary: {name}"] = (_worst(pattern), extract)
        cases[f"judge a summary: {name}"] = (_worst(pattern), _judged)
    return cases


def _repeated(pattern: str) -> Make:
    return lambda times: pattern * (250_000 // len(pattern) * times)


def _damaged(times: int) -> bytes:
    header = b'{"kind":"unabridged","version":1,"session":"s-1","counter":"o200k"}\n'
    return header + b'{"seq": 0, "kind": "mess' * (10_000 * times) + b"\n" + b"{" * (125_000 * times)


def _opened(data: bytes) -> object:
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        return read_log(Path(file.name))


def _working(times: int) -> SummaryRequest:
    messages: list[Message] = []
    while len(messages) < 2_500 * times:
        n = len(messages)
        messages += [user(f"Part {n}: keep the port 8431.")] if n % 20 == 0 else []
        messages.append(assistant(f"I found that JobRunner{n % 40} reads src/module_{n % 90}.py twice. " * 6))
        messages += ran(f"make part-{n % 60}", f"src/module_{n}.py:{n}: ok, v1.{n % 9}.3 at 9759b6{n:04x}\n" * 40)
    return request(messages, limit=4_000)


def _worst(pattern: str) -> Make:
    def made(times: int) -> SummaryRequest:
        text = pattern * (50_000 // len(pattern) * times)
        edit = called("Edit", {"file_path": text, "old_string": text}, text)
        messages = span(user(text), assistant(text), ran(text, text, error=True), edit)
        return request(messages, limit=1_000, previous=text)

    return made


def _judged(asked: SummaryRequest) -> object:
    assert asked.previous is not None
    return flaw_in(Answer(text=asked.previous, stop="stop"), asked.messages, HEADINGS)


if __name__ == "__main__":
    sys.exit(0 if table() else 1)
