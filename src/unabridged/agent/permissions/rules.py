"""Rules: `allow shell(npm test *)`, `deny read(~/.ssh/**)`, `ask edit(src/**)`, `deny mcp_github_*`.

`shell(words *)` is a command that begins with these words, `shell(words)` exactly this one; a `deny` or an `ask`
holds for whatever follows as well. `read` and `edit` take a path pattern: `*` stays within a folder, `**` crosses
folders; relative ones begin at the workspace. `fetch` takes a pattern of addresses. A bare word is the name of a tool.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Iterable, Sequence
from enum import IntEnum
from pathlib import Path

import msgspec

from unabridged.errors import BadSetting

ON_ACCESS = ("shell", "read", "edit", "fetch")
_GIT_TAKES_NEXT = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env")
_FORM = re.compile(r"^(?P<effect>allow|ask|deny)\s+(?P<subject>[\w*-]+)\s*(?:\((?P<pattern>.*)\))?$", re.DOTALL)


class Effect(IntEnum):
    """What becomes of a call; of several, the largest counts."""

    ALLOW = 0
    ASK = 1
    DENY = 2


class Rule(msgspec.Struct, frozen=True):
    """One line of the user's or the project's settings."""

    effect: Effect
    subject: str
    pattern: str = ""
    """Empty: whatever it is about."""

    @classmethod
    def parse(cls, text: str) -> Rule:
        """Read a rule. Raises `BadSetting`."""
        found = _FORM.match(text.strip())
        pattern = (found["pattern"] or "").strip() if found else ""
        if not found or (found["pattern"] is not None and not pattern):
            raise BadSetting("permissions", text, "a rule is like `allow shell(npm test *)` or `deny read(~/.ssh/**)`")
        subject = "edit" if found["subject"] == "write" else found["subject"]
        if pattern and subject not in ON_ACCESS:
            raise BadSetting("permissions", text, f"only {', '.join(ON_ACCESS)} take a pattern in parentheses")
        return cls(Effect[found["effect"].upper()], subject, pattern)

    def __str__(self) -> str:
        """Give the rule as it is written."""
        return f"{self.effect.name.lower()} {self.subject}" + (f"({self.pattern})" if self.pattern else "")


class Rules(msgspec.Struct, frozen=True):
    """Rules of one source: an argument, the user's file, the project's."""

    each: tuple[Rule, ...] = ()

    @classmethod
    def parse(cls, lines: Iterable[str]) -> Rules:
        """Read one rule a line; blank lines and those that begin with `#` say nothing. Raises `BadSetting`."""
        return cls(tuple(Rule.parse(line) for line in lines if line.strip() and not line.lstrip().startswith("#")))

    def of(self, subject: str) -> tuple[Rule, ...]:
        """Give the rules about one kind of access, or one tool."""
        if subject in ON_ACCESS:
            return tuple(rule for rule in self.each if rule.subject == subject)
        return tuple(rule for rule in self.each if fnmatch.fnmatchcase(subject, rule.subject))

    def narrowing(self) -> Rules:
        """Give those that take something away."""
        return Rules(tuple(rule for rule in self.each if rule.effect is not Effect.ALLOW))


def strictest(rules: Sequence[Rule]) -> Rule | None:
    """Give the rule that counts among those that match."""
    return max(rules, key=lambda rule: rule.effect, default=None)


def command_matches(rule: Rule, words: Sequence[str | None]) -> bool:
    """Tell whether a simple command is meant; a word that is not known before it runs is None.

    A command by its path is an `allow` only where the rule names the path; refused or asked is it by its name too.
    """
    if not rule.pattern:
        return True
    wanted, any_more = _words(rule.pattern)
    if rule.effect is Effect.ALLOW:
        return (len(words) == len(wanted) or (any_more and len(words) > len(wanted))) and _begin(wanted, words)
    named = [os.path.basename(words[0] or ""), *words[1:]] if words else []
    return _begin(wanted, words) or _begin(wanted, named) or _begin(wanted, _without_options(named))


def path_matches(pattern: str, path: str, root: Path) -> bool:
    """Tell whether an absolute path is meant; a folder's pattern `x/**` means the folder as well."""
    if not pattern:
        return True
    whole = os.path.join(root, os.path.expanduser(pattern))
    return re.fullmatch(_as_regex(whole), path) is not None


def address_matches(pattern: str, url: str) -> bool:
    """Tell whether an address is meant. `https://host/**` is that host and no longer name that begins like it."""
    return not pattern or re.fullmatch(_as_regex(pattern), url) is not None


def _words(pattern: str) -> tuple[list[str], bool]:
    trimmed = pattern.removesuffix(":*") if pattern.endswith(":*") else pattern.removesuffix(" *")
    any_more = trimmed != pattern or pattern == "*"
    return ([] if pattern == "*" else trimmed.split()), any_more


def _begin(wanted: Sequence[str], words: Sequence[str | None]) -> bool:
    return len(words) >= len(wanted) and all(a == b for a, b in zip(wanted, words, strict=False))


def _without_options(words: Sequence[str | None]) -> list[str | None]:
    # `git -C x push` and `git --no-pager push` are a `git push` to whoever refuses that.
    kept = [*words[:1]]
    takes_next = False
    for word in words[1:]:
        option = not takes_next and word is not None and word.startswith("-")
        if not option and not takes_next:
            kept.append(word)
        takes_next = option and words[:1] == ["git"] and word in _GIT_TAKES_NEXT
    return kept


def _as_regex(pattern: str) -> str:
    made: list[str] = []
    for piece in re.split(r"(/\*\*|\*\*/?|\*|\?)", pattern):
        if piece == "/**":
            made.append("(?:/.*)?")
        elif piece.startswith("**"):
            made.append(".*")
        else:
            made.append({"*": "[^/]*", "?": "[^/]"}.get(piece, re.escape(piece)))
    return "".join(made)
