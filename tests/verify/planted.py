"""Plants faults, one at a time, in a copy of the package, and looks whether a test notices. `make verify-planted`.

Each is named by what it breaks, and says which tests should fail. A fault that nobody notices is a promise that nobody
keeps: it fails the run, and so does one whose place in the source is gone.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.shared import REPOSITORY

PACKAGE = REPOSITORY / "src" / "unabridged"
BELOW, OVER, TASK, VALID = "01_below", "02_over", "03_the_task", "04_the_view"
KEPT, MARKED, SAME, ONCE = "05_nothing", "06_nothing", "07_same", "08_one"
HARM, COUNTED, SUMMED, ASKED = "09_failures", "10_counting", "12_summaries", "13_asking"
PATIENCE_S = 900


@dataclass(frozen=True)
class Fault:
    """What it breaks, where, and what should notice it: properties by the start of their name, or a test module."""

    name: str
    file: str
    was: str
    now: str
    noticed_by: tuple[str, ...]


FAULTS = (
    Fault(
        "the summary stands last",
        "view.py",
        "items.insert(_behind_task(items, shown.summary), cutter.made(made))",
        "items.append(cutter.made(made))",
        (SUMMED,),
    ),
    Fault(
        "the summary stands before the task",
        "view.py",
        "return place if summary.before_task else place + 1",
        "return place",
        (SUMMED,),
    ),
    Fault(
        "every summary has the system's rank",
        "view.py",
        'if role == "system" else',
        "if role else",
        (SUMMED,),
    ),
    Fault(
        "the marker counts one too many",
        "view.py",
        "markers.dropped(dropped)",
        "markers.dropped(dropped + 1)",
        (MARKED,),
    ),
    Fault(
        "a marker counts what stands in the summary too",
        "view.py",
        "dropped = end - start if run.verdict is Verdict.DROP else 0",
        "dropped = end - start",
        (MARKED,),
    ),
    Fault(
        "a step does not inherit from what was decided before",
        "transcript.py",
        "while chain[-1].step and chain[-1].parent is not None and chain[-1].parent in by_id:",
        "while False:",
        (SAME, ONCE),
    ),
    Fault(
        "a shown text is one character longer than its ranges say",
        "view.py",
        "Text(render(piece.text, cut.keep, ",
        "Text(render(piece.text, ((cut.keep[0][0], cut.keep[0][1] + 1), *cut.keep[1:]), ",
        (MARKED,),
    ),
    Fault(
        "the task may be dropped",
        "strategy/situation.py",
        "found[transcript.humans[0]] = Reason.TASK",
        "pass",
        (TASK,),
    ),
    Fault(
        "the newest human message may be cut",
        "strategy/situation.py",
        "found[transcript.humans[-1]] = Reason.NEWEST_HUMAN",
        "found[transcript.humans[-1]] = Reason.UNANSWERED",
        (TASK,),
    ),
    Fault(
        "what nobody answered may be dropped",
        "strategy/situation.py",
        "for at in range(answer + 1, len(records))",
        "for at in range(answer + 1, len(records)) if not records[at].message.is_human",
        (TASK,),
    ),
    Fault(
        "the unread step may be dropped",
        "strategy/situation.py",
        "found[answer] = Reason.UNREAD_STEP",
        "pass",
        (TASK,),
    ),
    Fault(
        "system messages may be dropped",
        "strategy/layout.py",
        "(Reason.SYSTEM if record.message.role is Role.SYSTEM else None)",
        "None",
        (TASK,),
    ),
    Fault(
        "the tail may begin with a result",
        "repair/calls.py",
        "held = [bool(item.message.results) for item in items]",
        "held = [False for _ in items]",
        (VALID,),
    ),
    Fault(
        "ids are rewritten for the call and not for its result",
        "repair/ids.py",
        "fresh.append(msgspec.structs.replace(part, call_id=next(news)))",
        "fresh.append(part)",
        (VALID,),
    ),
    Fault(
        "a call that nothing answered stays open",
        "repair/calls.py",
        "unanswered = [id for id in entry.open if id != _UNKNOWN]",
        "unanswered = list[str]()",
        (VALID,),
    ),
    Fault(
        "a view that grows is not looked at",
        "projection.py",
        "        if self._needs_mending():\n            self.fresh()\n\n",
        "\n",
        (VALID, SAME),
    ),
    Fault(
        "prefix sums miss what was appended",
        "projection.py",
        "            self.tokens += item.price.tokens\n",
        "",
        (SAME, OVER),
    ),
    Fault(
        "the margin before the first report is dropped",
        "tokens/calibration.py",
        "bare.slope * (1 + MARGIN), surcharge)",
        "bare.slope, 0.0)",
        ("tests/tokens/test_calibration.py",),
    ),
    Fault(
        "pictures cost nothing",
        "tokens/media.py",
        "def media_tokens(",
        "def media_tokens(media: Media, dialect: str = '') -> int:\n    return 0\n\n\ndef _media_tokens(",
        ("tests/tokens/test_media.py",),
    ),
    Fault(
        "what an earlier try missed is not made up for",
        "deciding.py",
        "overshoot = 2 * overshoot + after - ask.budget.total + 1",
        "overshoot = 0",
        ("tests/strategy/test_trim.py",),
    ),
    Fault(
        "a round comes back that does not fit",
        "strategy/rungs.py",
        "most = min(draft.goal + reach, draft.most)",
        "most = draft.goal + reach",
        ("tests/strategy/test_trim.py",),
    ),
    Fault(
        "a fit lands at the budget",
        "budget.py",
        "return floor + int(self.share * max(0, self.total - floor))",
        "return max(floor, self.total - 1)",
        (ONCE,),
    ),
    Fault(
        "the output limit is not lowered when the floor goes out",
        "budget.py",
        "return room if max_output is None or max_output > room else None",
        "return None",
        (OVER,),
    ),
    Fault(
        "a moved estimate lifts a checkpoint",
        "engine.py",
        "if ask.budget.total <= checkpoint.budget or checkpoint.asked:",
        "if checkpoint.asked:",
        ("tests/test_engine.py",),
    ),
    Fault(
        "a refusal of the provider is not believed",
        "asking.py",
        "total=max(1, int(refused * REFUSED_SHARE))",
        "total=budget.total",
        (HARM,),
    ),
    Fault(
        "what was refused stays in the branch",
        "conversation.py",
        "self.transcript.record(RefusedEntry(tuple(new), str(refusal)))",
        "pass",
        (HARM,),
    ),
    Fault(
        "what a forgotten summary stood for is not reported",
        "strategy/layout.py",
        "(_forgotten(situation) if forgets else 0)",
        "0",
        ("tests/strategy/test_summarize.py", MARKED),
    ),
    Fault(
        "dropped messages count as truncated too",
        "strategy/layout.py",
        "truncated=len(cut),",
        "truncated=len(cut) + len(gone),",
        (MARKED,),
    ),
    Fault(
        "media that leave are not reported",
        "strategy/layout.py",
        "media_dropped=media,",
        "media_dropped=0,",
        (MARKED,),
    ),
    Fault(
        "long turns are folded whatever the policy says",
        "engine.py",
        "(phase is not Phase.STEP or wanted.policy.fold_in_turn)",
        "True",
        (SUMMED,),
    ),
    Fault(
        "an empty summary counts as one",
        "folding.py",
        "if not text.strip():",
        "if False:",
        ("tests/strategy/test_summarize.py", SUMMED),
    ),
    Fault(
        "a summary that was made upon another one is taken",
        "folding.py",
        "outcome.span.upon != _in_force(situation)",
        "False",
        ("tests/strategy/test_summarize.py", SUMMED),
    ),
    Fault(
        "minReclaimTokens is not looked at",
        "strategy/trim.py",
        "if situation.policy.min_reclaim_tokens:",
        "if False:",
        (SUMMED,),
    ),
    Fault(
        "a fallback is not told",
        "reporting.py",
        "fallback=result.fallback, cause=result.reason",
        "fallback=None",
        (SUMMED,),
    ),
    Fault(
        "half a surrogate pair goes out",
        "repair/surrogates.py",
        '_HALF = re.compile("[\\ud800-\\udfff]")',
        '_HALF = re.compile("[\\ud800-\\ud801]")',
        ("tests/repair/test_surrogates.py",),
    ),
)


def main() -> int:
    """Print a table; give 0 if every fault was noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=300, help="of each property (default 300)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--seed", type=int, default=1, help="the same seed, the same stories")
    parser.add_argument("--only", default="", help="only faults whose name holds this text")
    given = parser.parse_args()
    chosen = [fault for fault in FAULTS if given.only in fault.name]
    print(f"{'planted fault':64}{'':12}{'seconds':>8}  noticed by", flush=True)
    with ThreadPoolExecutor(given.jobs) as pool:
        noticed = list(pool.map(lambda fault: _plant(fault, given.examples, given.seed), chosen))
    print(f"{sum(noticed)} of {len(chosen)} planted faults were noticed")
    return 0 if all(noticed) else 1


def _plant(fault: Fault, examples: int, seed: int) -> bool:
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "unabridged")
        shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
        source = (copy / fault.file).read_text("utf-8")
        if fault.was not in source:
            print(f"{fault.name:64}{'NO PLACE':12}", flush=True)
            return False
        (copy / fault.file).write_text(source.replace(fault.was, fault.now), "utf-8")
        by = next((name for name in fault.noticed_by if _fails(name, Path(folder), examples, seed)), None)
    seconds = time.monotonic() - started
    print(f"{fault.name:64}{'noticed' if by else 'UNNOTICED':12}{seconds:8.0f}  {by or ''}", flush=True)
    return by is not None


def _fails(name: str, folder: Path, examples: int, seed: int) -> bool:
    """Tell whether the properties of a file fail over the copy: by an assertion or an error, not for want of a test."""
    found = [Path(name)] if name.endswith(".py") else (REPOSITORY / "tests" / "properties").glob(f"test_{name}*.py")
    tests = sorted(map(str, found))
    env = {**os.environ, "HYPOTHESIS_PROFILE": "planted", "UNABRIDGED_EXAMPLES": str(examples)}
    env["PYTHONPATH"] = os.pathsep.join((str(folder), str(REPOSITORY)))
    options = ("-q", "-x", "-n", "0", "-p", "no:cacheprovider", "--tb=no", f"--hypothesis-seed={seed}")
    command = [sys.executable, "-m", "pytest", *options, *tests]
    run = subprocess.run(
        command, cwd=REPOSITORY, env=env, capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    return run.returncode == 1


if __name__ == "__main__":
    sys.exit(main())
