"""What programs need of a machine, and strangers may see of it: programs and libraries, nobody's files."""

from __future__ import annotations

import os
from pathlib import Path

_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
_OF_ETC = (
    "alternatives", "bash.bashrc", "ca-certificates", "ca-certificates.conf", "crypto-policies", "gai.conf", "group",
    "host.conf", "hosts", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "locale.alias", "locale.conf", "localtime",
    "magic", "magic.mime", "mime.types", "nsswitch.conf", "passwd", "perl", "pki/ca-trust", "pki/tls/certs",
    "protocols", "resolv.conf", "services", "ssl/certs", "ssl/openssl.cnf", "terminfo", "timezone",
)  # fmt: skip


def system_paths() -> tuple[Path, ...]:
    """Give what there is of it here."""
    named = (*_FOLDERS, *(f"/etc/{name}" for name in _OF_ETC))
    return tuple(Path(path) for path in named if os.path.exists(path))
