"""Files that no tool reads or changes without a question: secrets, and what runs or decides something later."""

from __future__ import annotations

import fnmatch
import os
from pathlib import Path

import msgspec

_SECRET_FOLDERS = (
    ".ssh", ".aws", ".gnupg", ".azure", ".kube", ".docker", ".password-store", ".config/gcloud", ".config/gh",
    ".config/op", ".config/unabridged/keys", ".local/share/keyrings", ".local/share/kwalletd", ".mozilla",
    ".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge", ".thunderbird",
    ".terraform.d", ".oci", ".config/rclone", ".config/hub", ".config/sops", ".claude", ".codex", ".gemini",
)  # fmt: skip
_SECRET_FILES = (
    ".netrc", "_netrc", ".pgpass", ".my.cnf", ".npmrc", ".pypirc", ".git-credentials", ".vault-token", ".htpasswd",
    ".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history",
    ".config/git/credentials", ".config/unabridged/keys.json",
    ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".config/pip/pip.conf", ".pip/pip.conf",
    ".local/share/unabridged/keys", ".local/state/unabridged/keys",
)  # fmt: skip
_SECRET_NAMES = (
    ".env", ".env.*", "*.env", ".envrc", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk",
    "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", ".netrc", ".git-credentials", ".pgpass", "credentials.json",
    "service-account*.json", "secrets.y*ml", "secrets.json", ".npmrc", ".pypirc",
)  # fmt: skip
_KEPT_FROM_COMMANDS = (".env", ".env.*", "*.env", ".envrc", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*.kdbx")
_NO_SECRET = (".env.example", ".env.sample", ".env.template", ".env.dist", "*.pub", ".env.test.example")

_PROTECTED_INSIDE = (".git/hooks", ".git/config", ".git/config.worktree", ".git/info/attributes", ".git/modules",
                     ".unabridged")  # fmt: skip
_PROTECTED_NAMES = (
    ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin",
    ".inputrc", ".gitconfig", ".gitmodules", ".netrc", ".npmrc", ".pypirc", ".envrc", ".mcp.json", ".ripgreprc",
    "sitecustomize.py", "usercustomize.py",
)  # fmt: skip
_PROTECTED_FOLDERS = (".config", ".ssh", ".gnupg", ".local/bin", ".local/share/unabridged", ".local/state/unabridged")
_ENOUGH = 20_000
_NOT_ENTERED = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__", ".tox", "site-packages"})


class Guard(msgspec.Struct, frozen=True):
    """Why a path is not like others."""

    mark: str
    """What gave it away: `.ssh`, `.env`. Only a rule that names it overrules."""
    why: str


def secret(path: str, home: Path | None = None) -> Guard | None:
    """Tell whether a file is likely to hold a secret, by what it is called and where it lies."""
    at = os.path.normpath(path)
    for named in (*_SECRET_FOLDERS, *_SECRET_FILES):
        if _below(at, str((home or Path.home()) / named)):
            return Guard(named, f"{path} may hold secrets")
    for part in at.split(os.sep):
        if _named(part, _NO_SECRET):
            continue
        if _named(part, _SECRET_NAMES) or part in (".ssh", ".aws", ".gnupg"):
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


def secret_places(home: Path | None = None) -> tuple[Path, ...]:
    """Give the places in a home that no command may open: for the sandbox to hide."""
    at = home or Path.home()
    return tuple(at / named for named in (*_SECRET_FOLDERS, *_SECRET_FILES))


def secrets_below(folder: Path) -> tuple[tuple[Path, ...], bool]:
    """Give the secrets that lie in a folder, and whether all of it was looked at."""
    found: list[Path] = []
    seen = 0
    for at, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in _NOT_ENTERED]
        found += [Path(at, name) for name in names if _named(name, _SECRET_NAMES) and not _named(name, _NO_SECRET)]
        seen += len(names) + len(folders)
        if seen > _ENOUGH:
            return tuple(found), False
    return tuple(found), True


def _named(name: str, patterns: tuple[str, ...]) -> bool:
    # Some file systems do not tell `.ENV` from `.env`.
    return any(fnmatch.fnmatchcase(name.lower(), pattern) for pattern in patterns)


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def kept_from_commands(folder: Path) -> tuple[Path, ...]:
    """Give the secrets of a workspace that programs seldom need: not the keys that a test brings along."""
    return tuple(path for path in secrets_below(folder)[0] if _named(path.name, _KEPT_FROM_COMMANDS))
