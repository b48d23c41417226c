"""How a call ended: exit codes in the forms that clients give them, and the line that says most about a failure."""

from __future__ import annotations

import re

import msgspec

from unabridged.summarizer.quoting import brief

LONGEST_LINE = 200
RUNNING = "running as "
"""Begins the label of a command that goes on in the background; its number follows."""
TAIL = 600
"""Characters at the end of a result where clients and shells say how it ended."""

_HEAD_CODES = re.compile(
    r"\s*(?:Chunk ID: \w+\s+|Wall time: [\d.]+ seconds\s+|Command: .*\n|Directory: .*\n)*"
    r"(?:exit code:?|process exited with code|<returncode>|<exit_code>|command exited with code|error: exit code:?)"
    r"\s*(-?\d{1,6})\b",
    re.IGNORECASE,
)
_TAIL_CODES = re.compile(
    r"(?:^\[?(?:the )?command (?:completed|finished|failed|exited)(?: running)? with (?:exit )?code:? (-?\d{1,6})"
    r"|^<(?:exited|shellId: \S+ completed) with exit code (-?\d{1,6})>"
    r"|^exit code: (-?\d{1,6})"
    r"|^\[exit (-?\d{1,6}), [\d.]+ s, sandbox: "
    r"|<(?:returncode|exit_code)>(-?\d{1,6})</)",
    re.IGNORECASE | re.MULTILINE,
)
_SIGNALLED = re.compile(r"^\[(ended (?:by SIG\w+|after the limit of [\d.]+ s)), [\d.]+ s, sandbox: ", re.MULTILINE)
_JSON_CODES = re.compile(r'"(?:exit_?code|returncode|exitStatus)"\s*:\s*(-?\d{1,6})', re.IGNORECASE)
_DECLINED = re.compile(
    r"\s*(?:The user doesn't want to (?:proceed|take this action)|\[?Request interrupted by user|The user rejected|"
    r"(?:Tool call|Operation|Command|Edit|Call) (?:was )?(?:rejected|denied|declined|cancell?ed) by (?:the )?user|"
    r"User (?:rejected|denied|declined|cancell?ed))",
    re.IGNORECASE,
)
_RUNNING = re.compile(
    r"(?:running in (?:the )?background with id:?|process running with session id|started background \w+ with id:?)"
    r"\s*([\w-]+)",
    re.IGNORECASE,
)
_SAYS_ERROR = re.compile(
    r"\s*(?:<tool_use_error>|<error>|error\b[ :]|(?:\w+\.)*\w+(?:Error|Exception)\b|Traceback|"
    r"no replacement was performed|failed to\b|cannot\b|could not\b|permission denied|unknown (?:tool|function)|"
    r"\w+ failed:)",
    re.IGNORECASE,
)
_TELLING = (
    re.compile(r"^\s*(?:--- FAIL: |FAILED |FAIL: |✗ |✘ |× |not ok \d)\S.*", re.MULTILINE),
    re.compile(r"^(?:\w+\.)*[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Warning)\b:?.*", re.MULTILINE),
    re.compile(r"^\S+?:\d+(?::\d+)?: .+|^\S+\(\d+,\d+\): error .+|^error(?:\[\w+\])?: .+", re.MULTILINE),
    re.compile(
        r"^.*?\b(?:panic|fatal|error|Error|ERROR|ERR!|FATAL|CONFLICT|denied|not found|No such file)\b.*", re.MULTILINE
    ),
)
_VERDICT = re.compile(
    r"^(?:FAIL|FAILED|BUILD FAILED|Traceback \(most recent call last\):|panic: .*|npm ERR! .*|make: \*\*\* .*"
    r"|error: .*exited with code [1-9]\d*|.*\bERROR task failed|=+ .*\b[1-9]\d* failed\b.*|Tests?:\s+[1-9]\d* failed.*"
    r"|test result: FAILED.*|error(?:\[E\d+\])?: could not compile .*)$",
    re.MULTILINE,
)
_TAGS = re.compile(r"</?(?:tool_use_error|error|output|stdout|stderr|system)>")
_LABEL = re.compile(
    r"^[ \t]*(?:\[?(?:STDOUT|STDERR|ERROR|OUTPUT)\]?:[ \t]*|exit code:? ?-?\d+[ \t]*"
    r"|(?:Chunk ID|Wall time|Original token count|Process (?:exited|running) with (?:code|session ID)):?.*)$",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that only names what follows, or that holds nothing but the code."""


class Outcome(msgspec.Struct, frozen=True):
    """How a call ended."""

    label: str
    """`exit 2`, `failed`, `ok`, `declined by the user`, `running as 12`, `no result`."""
    failed: bool = False


def outcome_of(text: str, *, is_error: bool) -> Outcome:
    """Say how a call ended, by its result."""
    if _DECLINED.match(text) or (is_error and _DECLINED.search(text, 0, TAIL)):
        return Outcome("declined by the user")
    code = exit_code(text)
    if code is not None:
        return Outcome(f"exit {code}", failed=code != 0)
    signalled = _SIGNALLED.search(text, max(0, len(text) - TAIL))
    if signalled:
        return Outcome(signalled[1], failed=True)
    if is_error:
        return Outcome("failed", failed=True)
    running = _RUNNING.search(text, 0, TAIL)
    if running:
        return Outcome(f"{RUNNING}{running[1][:40]}")
    if _SAYS_ERROR.match(text):
        return Outcome("failed", failed=True)
    return Outcome("ok")


def exit_code(text: str) -> int | None:
    """Give the exit code that a client put before, behind or around an output; None where there is none."""
    found = _HEAD_CODES.match(text)
    if found:
        return int(found[1])
    tails = list(_TAIL_CODES.finditer(text, max(0, len(text) - TAIL)))
    if tails:
        return int(next(filter(None, tails[-1].groups())))
    if text.startswith("{"):
        ends = text if len(text) < 2 * TAIL else f"{text[:TAIL]} {text[-TAIL:]}"
        inside = _JSON_CODES.findall(ends)
        return int(inside[-1]) if inside else None
    return None


def says_failed(text: str) -> bool:
    """Tell whether an output ends as a failed build or test does, whatever its exit code: a pipe hides that."""
    return _VERDICT.search(text, max(0, len(text) - 4 * TAIL)) is not None


def telling_line(text: str) -> str:
    """Give the line of a failed output that says most: a failing test, the end of a traceback, the first error."""
    body = _LABEL.sub("", _TAGS.sub("", text if len(text) <= 8_000 else f"{text[:4_000]}\n{text[-4_000:]}"))
    for place, pattern in enumerate(_TELLING):
        found = pattern.findall(body)
        if found:
            # Of several exceptions the last is the one that came through; of several errors the first caused the rest.
            return brief(found[-1] if place == 1 else found[0], LONGEST_LINE)
    last = body.strip().rsplit("\n", 1)[-1]
    return brief(last, LONGEST_LINE)
