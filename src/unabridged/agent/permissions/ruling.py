"""What becomes of one access: the rules of all sources, the mode, and what is guarded in each."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import msgspec

from unabridged.agent.permissions.paths import Guard, protected, secret
from unabridged.agent.permissions.questions import Danger, Mode
from unabridged.agent.permissions.rules import Effect, Rule, Rules, address_matches, path_matches, strictest
from unabridged.agent.workspace import Workspace

# What every program on the machine may look at: no secret lies here.
_OPEN_TO_ALL = (
    "/usr", "/lib", "/lib64", "/bin", "/sbin", "/opt", "/nix/store", "/etc/os-release", "/etc/hosts", "/proc/cpuinfo",
    "/proc/meminfo", "/proc/version", "/dev/null", "/dev/zero", "/dev/urandom", "/dev/stdin", "/dev/stdout",
    "/dev/stderr",
)  # fmt: skip


class Ruling(msgspec.Struct, frozen=True):
    """What becomes of an access, and why."""

    effect: Effect
    why: str = ""
    danger: Danger = Danger.LOW
    proposes: str = ""
    """The rule that would allow it."""


ALLOWED = Ruling(Effect.ALLOW)


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """What holds for a session: rules of each source, the mode, the place."""

    workspace: Workspace
    mode: Mode = Mode.ASK
    argument: Rules = Rules()
    user: Rules = Rules()
    project: Rules = Rules()
    """Of the project itself: what allows in it is not heard."""
    session: Rules = Rules()
    """What a person allowed until the end of the session."""
    confined: bool = False
    """A sandbox holds the commands."""
    readable: tuple[Path, ...] = ()
    """Folders outside the workspace that tools may look at: where long output is kept."""
    home: Path = msgspec.field(default_factory=Path.home)

    def ruled(self, subject: str, matches: Callable[[Rule], bool]) -> Rule | None:
        """Give the rule that counts. An argument goes before the user's file; a project only narrows."""
        said = [
            strictest([rule for rule in rules.of(subject) if matches(rule)]) for rules in (self.argument, self.user)
        ]
        user = next((rule for rule in said if rule is not None), None)
        project = strictest([rule for rule in self.project.narrowing().of(subject) if matches(rule)])
        for rule in (user, project):
            if rule is not None and rule.effect is Effect.DENY:
                return rule
        session = strictest([rule for rule in self.session.of(subject) if matches(rule)])
        return session or project or user

    def narrows_commands(self) -> bool:
        """Tell whether any rule refuses commands, or has them asked about."""
        sources = (self.argument, self.user, self.project)
        return any(rule.effect is not Effect.ALLOW for rules in sources for rule in rules.of("shell"))


def read_ruling(policy: Policy, path: str) -> Ruling:
    """Say whether a file may be looked at."""
    real = os.path.realpath(path)
    guard = secret(path, policy.home) or secret(real, policy.home)
    rule = _path_rule(policy, "read", (path, real))
    settled = _settled(rule, guard, f"read({real})")
    if settled is not None:
        return settled
    if _open(policy, Path(real)):
        return ALLOWED
    return Ruling(Effect.ASK, f"{real} lies outside the workspace", Danger.LOW, _reading(policy, Path(real)))


def write_ruling(policy: Policy, path: str) -> Ruling:
    """Say whether a file may be changed."""
    real = os.path.realpath(path)
    guard = protected(path, policy.home) or protected(real, policy.home)
    guard = guard or secret(path, policy.home) or secret(real, policy.home)
    rule = _path_rule(policy, "edit", (path, real))
    if policy.mode is Mode.PLAN and (rule is None or rule.effect is not Effect.DENY):
        return Ruling(Effect.DENY, f"only looking is allowed now, and this changes {real}: say what you would change")
    settled = _settled(rule, guard, f"edit({real})")
    if settled is not None:
        return settled
    if not policy.workspace.holds(Path(real)):
        return Ruling(Effect.ASK, f"{real} lies outside the workspace", Danger.RAISED, f"allow edit({real})")
    if policy.mode in (Mode.ACCEPT_EDITS, Mode.AUTO):
        return ALLOWED
    return Ruling(Effect.ASK, f"it changes {real}", Danger.LOW, f"allow edit({policy.workspace.root}/**)")


def fetch_ruling(policy: Policy, url: str) -> Ruling:
    """Say whether an address may be read."""
    rule = policy.ruled("fetch", lambda rule: address_matches(rule.pattern, url))
    settled = _settled(rule, None, f"fetch({url})")
    if settled is not None:
        return settled
    scheme, _, rest = url.partition("://")
    host = rest.partition("/")[0]
    return Ruling(Effect.ASK, f"it reads from the network: {host}", Danger.RAISED, f"allow fetch({scheme}://{host}/**)")


def tool_ruling(policy: Policy, tool: str, *, reads_only: bool) -> Ruling:
    """Say whether a tool may be called that tells nothing of what it touches."""
    rule = policy.ruled(tool, lambda rule: not rule.pattern)
    settled = _settled(rule, None, tool)
    if settled is not None:
        return settled
    if reads_only or policy.mode is Mode.AUTO:
        return ALLOWED
    if policy.mode is Mode.PLAN:
        return Ruling(Effect.DENY, f"only looking is allowed now, and {tool} may change things: say what you would do")
    return Ruling(Effect.ASK, f"it is not known what {tool} touches", Danger.RAISED, f"allow {tool}")


def by_rule(rule: Rule) -> str:
    """Say that a rule decides."""
    return f"the rule `{rule}` of these settings says so"


def _path_rule(policy: Policy, subject: str, paths: tuple[str, str]) -> Rule | None:
    root = policy.workspace.root
    real = policy.ruled(subject, lambda rule: path_matches(rule.pattern, paths[1], root))
    given = policy.ruled(subject, lambda rule: path_matches(rule.pattern, paths[0], root))
    # What is refused under either name is refused; allowed it is by what it really is.
    return given if given is not None and given.effect is not Effect.ALLOW and (
        real is None or real.effect < given.effect) else real  # fmt: skip


def _settled(rule: Rule | None, guard: Guard | None, about: str) -> Ruling | None:
    """Give what a rule settles. A guarded path is allowed only by a rule that names what guards it."""
    if rule is not None and rule.effect is Effect.DENY:
        return Ruling(Effect.DENY, by_rule(rule))
    if guard is not None and not (rule is not None and rule.effect is Effect.ALLOW and guard.mark in rule.pattern):
        return Ruling(Effect.ASK, guard.why, Danger.HIGH, f"allow {about}")
    if rule is None:
        return None
    return ALLOWED if rule.effect is Effect.ALLOW else Ruling(Effect.ASK, by_rule(rule), Danger.RAISED)


def _reading(policy: Policy, path: Path) -> str:
    """Propose a rule: for the folder, unless that is half of the machine."""
    folder = path if path.is_dir() else path.parent
    wide = len(folder.parts) < 3 or folder in (policy.home, *policy.home.parents)
    if wide and path.is_dir():
        return ""
    return f"allow read({path})" if wide else f"allow read({folder}/**)"


def _open(policy: Policy, path: Path) -> bool:
    if policy.workspace.holds(path):
        return True
    return any(path.is_relative_to(each) for each in (*_OPEN_TO_ALL, *policy.readable))
