"""A workspace with a repository, a home with secrets, and what is made of a command there."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

import msgspec

from unabridged.agent.access import Asked, Runs, Verdict
from unabridged.agent.permissions.gate import Gate
from unabridged.agent.permissions.questions import Answer, Mode, Question
from unabridged.agent.permissions.rules import Effect, Rules
from unabridged.agent.permissions.ruling import Policy
from unabridged.agent.workspace import Workspace


class Place(msgspec.Struct, frozen=True):
    """Where a test happens."""

    root: Path
    home: Path

    @classmethod
    def under(cls, folder: Path) -> Place:
        root, home = folder / "project", folder / "person"
        (root / "src").mkdir(parents=True)
        (root / "src" / "a.py").write_text("print(1)\n")
        (home / ".ssh").mkdir(parents=True)
        (home / ".ssh" / "id_rsa").write_text("PRIVATE")
        subprocess.run(["git", "init", "-q", str(root)], check=True)
        return cls(root, home)

    def policy(self, mode: Mode = Mode.ASK, rules: Iterable[str] = (), *, confined: bool = False) -> Policy:
        user = Rules.parse(rules)
        return Policy(workspace=Workspace.at(self.root), home=self.home, mode=mode, user=user, confined=confined)

    def asked(self, command: str, folder: Path | None = None) -> Asked:
        return Asked(tool="shell", title=command, touches=(Runs(command, str(folder or self.root)),))

    def effect(self, command: str, policy: Policy | None = None) -> Effect:
        """What rules and mode make of a command, before anybody is asked."""
        return max(ruling.effect for ruling in Gate(policy or self.policy()).judge(self.asked(command)))

    async def verdict(self, command: str, policy: Policy | None = None) -> Verdict:
        return await Gate(policy or self.policy()).allow(self.asked(command))


async def never(question: Question) -> Answer:
    """Stands for a person who must not be asked."""
    raise AssertionError(f"nobody is to be asked about {question.title!r}: {question.why}")
