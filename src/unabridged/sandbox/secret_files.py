"""Which files are likely to hold secrets, by what they are called and where they lie."""

from __future__ import annotations

import fnmatch
import os
from pathlib import Path

SECRET_FOLDERS = (
    ".ssh", ".aws", ".gnupg", ".azure", ".kube", ".docker", ".password-store", ".config/gcloud", ".config/gh",
    ".config/op", ".config/unabridged/keys", ".local/share/keyrings", ".local/share/kwalletd", ".mozilla",
    ".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge", ".thunderbird",
    ".terraform.d", ".oci", ".config/rclone", ".config/hub", ".config/sops", ".claude", ".codex", ".gemini",
)  # fmt: skip
SECRET_FILES = (
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

_ENOUGH = 20_000
_NOT_ENTERED = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__", ".tox", "site-packages"})


def secret_places(home: Path | None = None) -> tuple[Path, ...]:
    """Give the places in a home that no command may open: for the sandbox to hide."""
    at = home or Path.home()
    return tuple(at / named for named in (*SECRET_FOLDERS, *SECRET_FILES))


def secrets_below(folder: Path) -> tuple[tuple[Path, ...], bool]:
    """Give the secrets that lie in a folder, and whether all of it was looked at."""
    found: list[Path] = []
    seen = 0
    for at, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in _NOT_ENTERED]
        found += [Path(at, name) for name in names if named_like_secret(name)]
        seen += len(names) + len(folders)
        if seen > _ENOUGH:
            return tuple(found), False
    return tuple(found), True


def kept_from_commands(folder: Path) -> tuple[Path, ...]:
    """Give the secrets of a workspace that programs seldom need: not the keys that a test brings along."""
    return tuple(path for path in secrets_below(folder)[0] if _named(path.name, _KEPT_FROM_COMMANDS))


def named_like_secret(name: str) -> bool:
    """Tell whether a file is called as those that hold secrets."""
    return _named(name, _SECRET_NAMES) and not _named(name, _NO_SECRET)


def _named(name: str, patterns: tuple[str, ...]) -> bool:
    # Some file systems do not tell `.ENV` from `.env`.
    return any(fnmatch.fnmatchcase(name.lower(), pattern) for pattern in patterns)
