"""Files that no tool reads or changes without a question: secrets, and what runs or decides something later."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from unabridged.sandbox.secret_files import SECRET_FILES, SECRET_FOLDERS, named_like_secret

_PROTECTED_INSIDE = (".git/hooks", ".git/config", ".git/config.worktree", ".git/info/attributes", ".git/modules",
                     ".unabridged")  # fmt: skip
_PROTECTED_NAMES = (
    ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin",
    ".inputrc", ".gitconfig", ".gitmodules", ".netrc", ".npmrc", ".pypirc", ".envrc", ".mcp.json", ".ripgreprc",
    "sitecustomize.py", "usercustomize.py",
)  # fmt: skip
_PROTECTED_FOLDERS = (".config", ".ssh", ".gnupg", ".local/bin", ".local/share/unabridged", ".local/state/unabridged")


class Guard(msgspec.Struct, frozen=True):
    """Why a path is not like others."""

    mark: str
    """What gave it away: `.ssh`, `.env`. Only a rule that names it overrules."""
    why: str


def secret(path: str, home: Path | None = None) -> Guard | None:
    """Tell whether a file is likely to hold a secret, by what it is called and where it lies."""
    at = os.path.normpath(path)
    for named in (*SECRET_FOLDERS, *SECRET_FILES):
        if _below(at, str((home or Path.home()) / named)):
            return Guard(named, f"{path} may hold secrets")
    for part in at.split(os.sep):
        if named_like_secret(part) or part in (".ssh", ".aws", ".gnupg"):
            return Guard(part, f"{path} may hold secrets")
    if at in ("/etc/shadow", "/etc/gshadow", "/etc/sudoers"):
        return Guard(at, f"{path} holds secrets of this machine")
    if at.startswith("/proc/") and not at.startswith("/proc/self/") and at.split(os.sep)[-1] in ("environ", "mem"):
        return Guard("/proc", f"{path} holds what another program keeps to itself")
    return None


def protected(path: str, home: Path | None = None) -> Guard | None:
    """Tell whether changing a file changes what runs later, or what an agent may do."""
    at = os.path.normpath(path)
    for inside in _PROTECTED_INSIDE:
        if f"/{inside}/" in f"{at}/":
            return Guard(inside, f"{path} decides what runs later")
    name = os.path.basename(at)
    if name == ".git":
        return Guard(".git", f"{path} is what git works by")
    if name in _PROTECTED_NAMES:
        return Guard(name, f"{path} decides what runs later")
    for named in _PROTECTED_FOLDERS:
        if _below(at, str((home or Path.home()) / named)):
            return Guard(named, f"{path} belongs to your own settings")
    return None


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
