"""Whether a command line may run: every command in it, every file the shell opens for it, and what cannot be told."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from unabridged.agent.permissions.bash import Word
from unabridged.agent.permissions.dangers import acts, could_act, danger, proposal
from unabridged.agent.permissions.paths import protected, secret
from unabridged.agent.permissions.questions import Danger, Mode
from unabridged.agent.permissions.readonly import goes_below, may_open, only_looks
from unabridged.agent.permissions.readonly_git import runs_something
from unabridged.agent.permissions.rules import Effect, Rule, command_matches
from unabridged.agent.permissions.ruling import ALLOWED, Policy, Ruling, by_rule, read_ruling, write_ruling
from unabridged.agent.permissions.unwrapping import Step, unwrap
from unabridged.sandbox.secret_files import secrets_below

_NO_FILE = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin")
_MOST_FOLDERS = 16
_MOST_NAMES = 1000
_PLANNING = "only looking is allowed now: use what is known to change nothing, and say what you would run"


def command_rulings(policy: Policy, command: str, folder: str) -> list[Ruling]:
    """Judge a command line piece by piece; it may run where all of them may."""
    found = unwrap(command)
    bases = _folders(found.steps, folder)
    rulings = [_unclear(policy, why) for why in found.unclear]
    rulings += [_unclear(policy, f"it sets {name}, which can change what a program does") for name in found.changes]
    if not policy.workspace.holds(Path(os.path.realpath(folder))):
        rulings.append(Ruling(Effect.ASK, f"it begins in {folder}, outside the workspace", Danger.RAISED))
    for step in found.steps:
        rulings += _step(policy, step, bases)
    for redirect in found.redirects:
        rulings += _opened(policy, redirect.target, bases, writes=redirect.writes)
    return rulings


def _unclear(policy: Policy, why: str) -> Ruling:
    rule = policy.ruled("shell", lambda rule: not rule.pattern)
    if rule is not None and rule.effect is Effect.DENY:
        return Ruling(Effect.DENY, by_rule(rule))
    if policy.mode is Mode.PLAN:
        return Ruling(Effect.DENY, f"{why}; {_PLANNING}")
    allowed = rule is not None and rule.effect is Effect.ALLOW
    if not policy.narrows_commands() and (allowed or (policy.mode is Mode.AUTO and policy.confined)):
        return ALLOWED
    return Ruling(Effect.ASK, why, Danger.HIGH)


def _step(policy: Policy, step: Step, bases: Sequence[str]) -> list[Ruling]:
    texts = step.texts
    rule = policy.ruled("shell", lambda rule: command_matches(rule, texts))
    if rule is not None and rule.effect is not Effect.ALLOW:
        return [Ruling(rule.effect, by_rule(rule), danger(step))]
    could = policy.ruled("shell", lambda rule: _could_match(rule, texts))
    if could is not None and could.effect is not Effect.ALLOW:
        return [Ruling(Effect.ASK, f"it may turn out to be what `{could}` is about", Danger.HIGH)]
    looks = not step.behind and only_looks(step.words)
    if looks and os.path.basename(texts[0] or "") == "git":
        looks = not any(runs_something(Path(base)) for base in bases)
    if looks:
        return [*_files(policy, step, bases), *_below(step, bases)]
    if policy.mode is Mode.PLAN:
        return [Ruling(Effect.DENY, f"`{step}` may change things; {_PLANNING}")]
    if rule is not None:
        return [_by_prefix(step, rule), *_guarded(step, bases, policy.home)]
    return [_by_mode(policy, step), *_guarded(step, bases, policy.home)]


def _by_prefix(step: Step, rule: Rule) -> Ruling:
    """A prefix covers any words, but not an option that makes a command do something else."""
    option = acts(step, rule.pattern) or could_act(step)
    if option and rule.pattern:
        return Ruling(Effect.ASK, f"with {option} `{step}` may do more than `{rule}` says", Danger.HIGH)
    return ALLOWED


def _by_mode(policy: Policy, step: Step) -> Ruling:
    harm = danger(step)
    if policy.mode is Mode.AUTO and harm is not Danger.HIGH:
        return ALLOWED
    proposed = proposal(step)
    return Ruling(Effect.ASK, f"it runs `{step}`", harm, proposed)


def _could_match(rule: Rule, texts: Sequence[str | None]) -> bool:
    """Tell whether a rule that narrows would match, if the words not yet known were what it names."""
    if rule.effect is Effect.ALLOW or None not in texts:
        return False
    wanted = rule.pattern.removesuffix(":*").removesuffix("*").split()
    known = [wanted[at] if text is None and at < len(wanted) else text for at, text in enumerate(texts)]
    return command_matches(rule, known)


def _files(policy: Policy, step: Step, bases: Sequence[str]) -> list[Ruling]:
    """Judge what a command that only looks would open."""
    rulings: list[Ruling] = []
    for path in _paths(may_open(step.words), bases):
        is_secret = secret(path, policy.home) or secret(os.path.realpath(path), policy.home)
        if is_secret or os.path.lexists(path):
            rulings.append(read_ruling(policy, path))
    return rulings


def _below(step: Step, bases: Sequence[str]) -> list[Ruling]:
    depth = goes_below(step.words)
    if not depth:
        return []
    rulings: list[Ruling] = []
    named = [path for path in _paths(may_open(step.words), bases) if os.path.isdir(path)]
    for folder in dict.fromkeys(named or bases):
        secrets, whole = secrets_below(Path(folder))
        opened = [path for path in secrets if depth == "all" or not _hidden(path.relative_to(folder))]
        if opened:
            rulings.append(
                Ruling(Effect.ASK, f"it goes through all files, and {opened[0]} may hold secrets", Danger.HIGH)
            )
        elif not whole:
            rulings.append(Ruling(Effect.ASK, f"it goes through more files of {folder} than could be looked at"))
    return rulings


def _guarded(step: Step, bases: Sequence[str], home: Path) -> list[Ruling]:
    """Find secrets and protected files among the words of a command that is allowed, by whatever."""
    rulings: list[Ruling] = []
    named = [piece for word in step.words[1:] for piece in _pieces(word)]
    for path in _paths(named, bases):
        real = os.path.realpath(path)
        guard = secret(path, home) or secret(real, home) or protected(path, home) or protected(real, home)
        if guard is not None:
            rulings.append(Ruling(Effect.ASK, guard.why, Danger.HIGH))
    return rulings


def _pieces(word: Word) -> list[str]:
    text = word.text if word.text is not None else re.sub("[\"']", "", word.raw)
    return [each for each in (text, *text.replace("=", ":").split(":")[1:]) if each and not each.startswith("-")]


def _opened(policy: Policy, target: Word, bases: Sequence[str], *, writes: bool) -> list[Ruling]:
    if target.text is None or target.glob:
        return [_unclear(policy, f"which file `{target.raw}` is, is known only when it runs")]
    if target.text in _NO_FILE:
        return []
    ruling = write_ruling if writes else read_ruling
    return [ruling(policy, path) for path in _paths([target.text], bases)]


def _paths(names: Sequence[str], bases: Sequence[str]) -> Iterator[str]:
    """Give what names may stand for, from each folder that a command may be in."""
    for name in names:
        if "\0" in name or len(name) > 4096:
            continue
        for base in bases:
            at = os.path.join(base, os.path.expanduser(name))
            yield at
            if any(sign in name for sign in "*?["):
                found = glob.iglob(at)
                yield from (path for _, path in zip(range(_MOST_NAMES), found, strict=False))


def _folders(steps: Sequence[Step], start: str) -> list[str]:
    """Give every folder that commands may run in: where it begins, and where each `cd` leads, links followed or not."""
    found = [start]
    for step in steps:
        texts = step.texts
        if texts[0] != "cd" or None in texts or len(found) > _MOST_FOLDERS:
            continue
        target = next((text for text in texts[1:] if text and not text.startswith("-")), "~")
        for base in list(found):
            at = os.path.join(base, os.path.expanduser(target))
            found += [each for each in (os.path.normpath(at), os.path.realpath(at)) if each not in found]
    return found


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)
