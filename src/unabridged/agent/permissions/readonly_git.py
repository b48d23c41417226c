"""Which git commands only look."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

_COMMON = (
    "oneline stat shortstat numstat name-only name-status patch no-patch graph decorate no-decorate all branches tags "
    "remotes format pretty abbrev-commit abbrev no-abbrev-commit date since after until before author committer grep "
    "max-count skip no-merges merges first-parent reverse follow color no-color cached staged summary dirstat raw "
    "word-diff unified no-renames find-renames find-copies diff-filter check ignore-all-space ignore-space-change "
    "ignore-blank-lines histogram patience minimal porcelain short branch long show-stash untracked-files ignored "
    "left-right cherry-pick topo-order date-order pickaxe-regex pickaxe-all full-history no-ext-diff no-textconv "
    "merge-base relative text function-context exit-code quiet root no-walk simplify-by-decoration source oneline"
)
_SHORT = r"-(?:\d+|[psuzbiwMCqLSGnUltreEFIhacvdSDBRW][^-]*)"
_BY_COMMAND: dict[str, str] = {
    "status": _COMMON,
    "log": _COMMON,
    "diff": _COMMON,
    "show": _COMMON,
    "blame": "porcelain line-porcelain show-name show-number date root show-email",
    "shortlog": _COMMON + " numbered email",
    "rev-list": _COMMON + " count objects",
    "rev-parse": "show-toplevel abbrev-ref short verify git-dir is-inside-work-tree show-prefix symbolic-full-name "
    "absolute-git-dir show-cdup is-bare-repository all branches tags remotes quiet git-common-dir",
    "ls-files": "cached deleted modified others ignored stage exclude-standard full-name error-unmatch unmerged killed",
    "ls-tree": "name-only full-tree full-name long",
    "describe": "tags all always long dirty abbrev match exact-match contains first-parent",
    "merge-base": "all is-ancestor fork-point octopus",
    "name-rev": "name-only tags refs always",
    "cat-file": "",
    "grep": "line-number ignore-case name-only files-with-matches count word-regexp extended-regexp fixed-strings "
    "perl-regexp cached heading break context show-function and or not all-match max-depth",
    "branch": "list all remotes verbose show-current no-color sort format contains merged no-merged points-at column",
    "tag": "list sort format contains merged no-merged points-at column",
    "remote": "verbose",
    "stash": _COMMON,
    "version": "",
}  # fmt: skip
# Settings of a repository that make git run something.
_RUNS = re.compile(
    r"(?:^|\])\s*(?:fsmonitor|external|textconv|command|pager|clean|smudge|process|hookspath|sshcommand|worktree|"
    r"program|editor|askpass|helper)\b|^\s*\[\s*(?:include|includeif|alias|pager|filter|diff|hook)\b",
    re.IGNORECASE | re.MULTILINE,
)


def git_only_looks(texts: Sequence[str]) -> bool:
    """Tell whether `git` with these words is known to change nothing."""
    rest = list(texts)
    while rest and rest[0] in ("--no-pager", "-P", "--no-optional-locks"):
        rest.pop(0)
    if not rest or rest[0] not in _BY_COMMAND:
        return rest in (["--version"], ["--help"])
    command, rest = rest[0], rest[1:]
    allowed = _BY_COMMAND[command].split()
    if command == "stash" and (not rest or rest.pop(0) not in ("list", "show")):
        return False
    if command in ("branch", "tag", "remote"):
        return _only_lists(command, rest, allowed)
    # After `--` too: it may be the value of an option, and what follows an option.
    return all(_allowed(command, text, allowed) for text in rest if text.startswith("-") and text != "--")


def runs_something(folder: Path) -> str:
    """Give the setting of a repository around a folder that makes git run a program; "" where there is none."""
    for each in (folder, *folder.parents):
        found = each / ".git"
        if found.is_file() or found.is_symlink():
            return "" if found.is_file() and not found.is_symlink() else "a link in place of the repository"
        if found.is_dir():
            return _setting(found / "config") or _setting(found / "config.worktree")
    return ""


def _setting(config: Path) -> str:
    try:
        text = config.read_bytes()[:100_000].decode(errors="replace")
    except FileNotFoundError:
        return ""
    except OSError:
        return "settings that cannot be read"
    found = _RUNS.search(text)
    return found[0].strip() if found else ""


def _allowed(command: str, text: str, long: Sequence[str]) -> bool:
    if text.startswith("--"):
        return text[2:].partition("=")[0] in long
    if command == "grep":
        # `-O` opens what it finds in a pager of the caller's choice.
        return bool(re.fullmatch(r"-(?:[nilLcwEFPhHvIaop]+|[ABCm]?\d+|[ABCem])", text))
    if command == "cat-file":
        return text in ("-p", "-t", "-s", "-e")
    return bool(re.fullmatch(_SHORT, text))


def _only_lists(command: str, rest: Sequence[str], long: Sequence[str]) -> bool:
    """Without an option that lists, a name makes a branch or a tag."""
    letters = {"branch": "-[arvl]+", "tag": r"-(?:l|n\d*)", "remote": "-v"}[command]
    options = [text for text in rest if text.startswith("-")]
    if not all(text[2:].partition("=")[0] in long if text.startswith("--") else re.fullmatch(letters, text)
               for text in options):  # fmt: skip
        return False
    names = [text for text in rest if not text.startswith("-")]
    return not names or (command != "remote" and bool({"-l", "--list"} & set(options)))
