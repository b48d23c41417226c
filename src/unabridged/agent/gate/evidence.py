"""What the log shows of a check: which command ran, how it ended, and whether anything was changed after it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum, auto

import msgspec

from unabridged.agent.gate.requests import Check
from unabridged.summarizer.gathering.files import files_of, shell_command
from unabridged.summarizer.gathering.outcome import says_failed
from unabridged.summarizer.gathering.steps import Step
from unabridged.summarizer.quoting import brief
from unabridged.summarizer.record import Change

LONGEST = 80
_RUNS = {
    Check.TESTS: re.compile(
        r"\b(?:py\.?test|unittest|tox|nox|jest|vitest|mocha|ava|ctest|phpunit|rspec|gtest)\b"
        r"|\b(?:npm|pnpm|yarn|bun) (?:run )?t(?:est)?\b"
        r"|\b(?:cargo|go|dotnet|swift|mix|zig build|deno|bun) (?:nex)?test\b"
        r"|\b(?:make|just|task|rake|gradlew?|mvnw?|bazel) (?:\S+ )*?\S*(?:test|check|verify)\b|\brun[-_]?tests?\b"
        r"|\btests?/\S+|\btest_\w+\.py\b",
        re.IGNORECASE,
    ),
    Check.LINT: re.compile(
        r"\b(?:ruff|eslint|flake8|pylint|clippy|golangci-lint|biome|rubocop|shellcheck|stylelint|oxlint|pre-commit)\b"
        r"|\blint\b",
        re.IGNORECASE,
    ),
    Check.TYPES: re.compile(
        r"\b(?:mypy|(?:based)?pyright|pyre|pytype|tsc|vue-tsc|flow check|ty check)\b|type-?check", re.IGNORECASE
    ),
    Check.BUILD: re.compile(
        r"\b(?:build|compile|tsc|cmake|ninja|gcc|g\+\+|clang|javac|rustc)\b|\bcargo (?:build|check|run|test)\b"
        r"|\bgo (?:build|install|vet|test)\b|\bmake\b(?! (?:test|lint|check|clean))"
        r"|\bmvnw? (?:\S+ )*(?:package|install)\b",
        re.IGNORECASE,
    ),
}
"""Commands that show a check, by what they run."""


class Shown(Enum):
    """How a check stands."""

    PASSED = auto()
    FAILED = auto()
    STALE = auto()
    ABSENT = auto()


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What was found."""

    shown: Shown
    command: str = ""
    outcome: str = ""
    changed: str = ""
    """A file that was changed after the command."""


def evidence_of(check: Check, steps: Sequence[Step]) -> Evidence:
    """Give what the newest command that shows a check says of it; a command in the background has not ended."""
    found = Evidence(shown=Shown.ABSENT)
    for step in steps:
        command = shell_command(step)
        if (
            command
            and step.answered
            and step.outcome.label.startswith(("exit", "ended"))
            and _RUNS[check].search(command)
        ):
            failed = step.outcome.failed or says_failed(step.text)
            label = step.outcome.label
            outcome = label if label.startswith("ended") else f"ended with {label}"
            outcome = outcome if step.outcome.failed else "wrote that it failed"
            found = Evidence(
                shown=Shown.FAILED if failed else Shown.PASSED, command=brief(command, LONGEST), outcome=outcome
            )
        elif found.shown is Shown.PASSED:
            changed = next((file.path for file in files_of(step) if file.change is not Change.NONE), "")
            if changed:
                found = msgspec.structs.replace(found, shown=Shown.STALE, changed=changed)
    return found
