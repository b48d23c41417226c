"""Files of rules: the user's own, where answers are kept, and the project's, which can only narrow."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import msgspec

from unabridged.agent.permissions.rules import Effect, Rules
from unabridged.errors import BadInput, BadSetting
from unabridged.folders import config_folder

_HEAD = (
    "# Rules of the coding agent, one a line: allow|ask|deny, then what about. Answers given as `always` are added.\n"
)
_NAME = "permissions.rules"


def user_file() -> Path:
    """Give the place of the user's own rules."""
    return config_folder() / _NAME


def project_file(root: Path) -> Path:
    """Give the place of a project's rules."""
    return root / ".unabridged" / _NAME


class RuleFile(msgspec.Struct, frozen=True):
    """A file of rules, which need not be there."""

    path: Path

    def rules(self) -> Rules:
        """Read it. Raises `BadInput` with the line that cannot be read, or where the file cannot."""
        try:
            text = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return Rules()
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"{self.path} cannot be read ({error}): mend it or take it away") from None
        for number, line in enumerate(text.splitlines(), 1):
            try:
                Rules.parse([line])
            except BadSetting as error:
                raise BadInput(f"{self.path}, line {number}: {error}") from None
        return Rules.parse(text.splitlines())

    def unheard(self) -> tuple[str, ...]:
        """Give the rules that a project's file must not hold: those that allow."""
        return tuple(str(rule) for rule in self.rules().each if rule.effect is Effect.ALLOW)

    def add(self, rules: Rules) -> None:
        """Keep more rules, for the user only to read. Written whole and moved into place: nothing sees half a file."""
        known = self.rules().each
        lines = [str(rule) for rule in rules.each if rule not in known]
        if not lines:
            return
        before = self.path.read_text(encoding="utf-8") if self.path.exists() else _HEAD
        # A home may be kept elsewhere through links: the file behind the link is the one to change.
        target = Path(os.path.realpath(self.path))
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{_NAME}-")
        with open(handle, "w", encoding="utf-8") as file:
            file.write(before.rstrip("\n") + "\n" + "\n".join(lines) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, target)
