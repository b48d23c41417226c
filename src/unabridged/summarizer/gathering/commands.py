"""Commands and calls with their outcomes; which of them failed, and whether the same succeeded later."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import cast

import msgspec

from unabridged.summarizer.gathering.files import PATHS, files_of, shell_command
from unabridged.summarizer.gathering.outcome import RUNNING, says_failed, telling_line
from unabridged.summarizer.gathering.shell import is_filtered, is_quiet, only_looks
from unabridged.summarizer.gathering.steps import Step
from unabridged.summarizer.quoting import brief
from unabridged.summarizer.record import Ran

LONGEST = 180
"""Characters of a command or call that are shown."""
LONGEST_ARGUMENT = 60
LONGEST_NOTE = 140
_SESSIONS = ("session_id", "bash_id", "shell_id", "shellId", "process_id", "task_id")
SUCCEEDED = ("ok", "exit 0", "")
"""Outcomes that mend an earlier failure."""

_LOOKS = re.compile(
    r"^(?:get|list|search|find|read|view|open|query|fetch|look_?up|retrieve|describe|show|calculate|think|screenshot|glob|"
    r"grep|ls|web_?search|web_?fetch|tool_?search|todo|task_?(?:list|get|create|update|tracker)|update_plan|"
    r"write_todos|set_?todo|bash_?output|write_stdin|skill|ask|enter|exit|load|check|count|resolve|wait|poll)"
    r"|(?:_|\b)(?:screenshot|read|search|list|view|get|console_messages|logs|tabs)(?:_|$)",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"^\[[\w./ ()-]+ [0-9a-f]{7,40}\] .+"  # git commit
    r"|^.*?[0-9a-f]{7,40}\.\.\.?[0-9a-f]{7,40} .*"  # git push
    r"|^\s*https?://\S+\s*$"
    r"|^.*?\b\d+ (?:passed|failed|tests? |examples?|specs?|errors?)\b.*"
    r"|^(?:ok|PASS|OK|SUCCESS|Success|Done|BUILD SUCCESS\w*)\b.*",
    re.MULTILINE,
)
_NOTHING = re.compile(r"\(.*no output.*\)|\(empty\)|done\.?|ok\.?|success\.?|null|\{\}|\[\]", re.IGNORECASE)
_BEFORE = re.compile(r"^(?:timeout \S+|sudo|time|env|[A-Z_]+=\S*) ")
_BEHIND = re.compile(r"(?:\s*2>&1|\s*[12]?>\s*/dev/null|\s*\|\s*(?:tail|head|cat|tee|less|Select-Object)\b[^|]*|…)$")


def key_of(what: str) -> str:
    """Give what makes two commands the same: how an output was shortened says nothing, where it ran does."""
    previous = ""
    while previous != what:
        previous = what
        what = _BEHIND.sub("", _BEFORE.sub("", what, count=1), count=1)
    return what.strip()


def ran_of(steps: Iterable[Step]) -> list[Ran]:
    """Give what was run, in order. What only looked is left out.

    A call that did to a file what it should has an empty outcome: it mends an earlier failure, and is listed elsewhere.
    A command that went on in the background has the outcome that a later look at it gave.
    """
    runs: list[Ran] = []
    running: dict[str, int] = {}
    for step in steps:
        watched = running.get(_session(step))
        if watched is not None and step.outcome.label.startswith("exit"):
            failed = step.outcome.failed
            says = _says(step, failed)
            runs[watched] = Ran(what=runs[watched].what, outcome=step.outcome.label, says=says, failed=failed)
        ran = _ran(step)
        if ran is None:
            continue
        if ran.outcome.startswith(RUNNING):
            running[ran.outcome.removeprefix(RUNNING)] = len(runs)
        runs.append(ran)
    return runs


def _session(step: Step) -> str:
    """Give the session, or process, in the background that a call looks at."""
    number = step.number_of(*_SESSIONS)
    return step.text_of(*_SESSIONS) if number is None else str(number)


def _ran(step: Step) -> Ran | None:
    command = shell_command(step)
    failed = step.outcome.failed
    if command:
        if only_looks(command):
            return None
        failed = failed or (step.outcome.label in SUCCEEDED and is_filtered(command) and says_failed(step.text))
        what = brief(command, LONGEST)
        silent = not failed and step.outcome.label in SUCCEEDED and is_quiet(command)
    elif _LOOKS.search(step.call.name.rsplit("__", 1)[-1]):
        return None
    else:
        what = described(step)
        silent = not failed and any(True for _ in files_of(step))
    outcome = "failed by its output" if failed and not step.outcome.failed else step.outcome.label
    return Ran(what=what, outcome="" if silent else outcome, says=_says(step, failed), failed=failed)


def _says(step: Step, failed: bool) -> str:
    if failed:
        return telling_line(step.text)
    if step.outcome.label.startswith(("declined", "running", "no result")):
        return ""
    end = step.text[-2_000:].strip()
    if "\n" not in end and len(end) <= LONGEST_NOTE:
        return "" if _NOTHING.fullmatch(end) else brief(end, LONGEST_NOTE)
    found = [line for line in _TELLS.findall(end) if len(line) <= 4 * LONGEST_NOTE]
    return brief(found[-1], LONGEST_NOTE) if found else ""


def described(step: Step) -> str:
    """Give a call on one line: its name, and its arguments as far as they are short."""
    path = step.text_of(*PATHS)
    if path:
        return brief(f"{step.call.name} {path}", LONGEST)
    if step.call.custom or not step.arguments:
        return brief(f"{step.call.name} {step.call.arguments if step.call.custom else ''}", LONGEST)
    told = ", ".join(f"{name}={_shown(value)}" for name, value in step.arguments.items())
    return brief(f"{step.call.name} {told}", LONGEST)


def _shown(value: object, depth: int = 2) -> str:
    if isinstance(value, str):
        return brief(value, LONGEST_ARGUMENT)
    if isinstance(value, dict) and depth:
        value = list(cast("dict[str, object]", value).values())
    if isinstance(value, list) and depth:
        return f"[{', '.join(_shown(item, depth - 1) for item in cast('list[object]', value)[:5])}]"
    return "…" if isinstance(value, list | dict) else brief(str(value), LONGEST_ARGUMENT)


def settled(runs: Iterable[Ran]) -> tuple[tuple[Ran, ...], tuple[Ran, ...]]:
    """Give the failures and the rest, each command once, where it ran last.

    A failure whose command succeeded afterwards is mended, and stays among the failures with what it said. One of a
    call that changed a file is forgotten then: how often an edit was tried tells nobody anything.
    """
    known: dict[str, Ran] = {}
    for ran in runs:
        key = key_of(ran.what)
        before = known.pop(key, None)
        if before is not None and before.failed and not ran.failed and ran.outcome:
            ran = msgspec.structs.replace(before, mended=before.mended or ran.outcome in SUCCEEDED)
        known[key] = ran
    failures = tuple(ran for ran in known.values() if ran.failed)
    return failures, tuple(ran for ran in known.values() if not ran.failed and ran.outcome)
