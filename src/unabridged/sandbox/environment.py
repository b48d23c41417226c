"""What a command finds in its environment: what programs need to run, nothing that could be a secret."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

_KEPT = (
    "PATH HOME LANG LANGUAGE LC_* TERM COLORTERM COLUMNS LINES TZ USER LOGNAME SHELL VIRTUAL_ENV CONDA_PREFIX "
    "CONDA_DEFAULT_ENV PYENV_ROOT PYENV_VERSION NVM_DIR NVM_BIN NODE_ENV RBENV_ROOT RUSTUP_HOME CARGO_HOME GOPATH "
    "GOROOT JAVA_HOME SDKMAN_DIR ASDF_DIR ASDF_DATA_DIR SSL_CERT_FILE SSL_CERT_DIR CI NO_COLOR"
)
_NEVER = (
    "*KEY* *TOKEN* *SECRET* *PASSWORD* *PASSWD* *PASSPHRASE* *CREDENTIAL* *AUTH* *COOKIE* *SESSION* AWS_* AZURE_* "
    "GCP_* GOOGLE_* GITHUB_* GH_* GITLAB_* NPM_* OPENAI_* ANTHROPIC_* GEMINI_* *_PAT *_DSN *DATABASE_URL* LD_* DYLD_* "
    "BASH_* PROMPT_COMMAND PS4 ENV IFS SHELLOPTS"
)


def clean_environment(given: Mapping[str, str], temp: Path, keep: Iterable[str] = ()) -> dict[str, str]:
    """Give the environment of a command. `keep` names more variables to pass on; what looks like a secret never is."""
    names = (*_KEPT.split(), *keep)
    found = {
        name: value
        for name, value in given.items()
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in names) and not may_be_secret(name)
    }
    # A folder that is not absolute would be looked for in the workspace: whoever writes there would choose the program.
    folders = [folder for folder in found.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(folder)]
    cache = temp / "cache"
    return {
        **found,
        "PATH": os.pathsep.join(folders),
        "TMPDIR": str(temp),
        "XDG_CACHE_HOME": str(cache),
        "npm_config_cache": str(cache / "npm"),
        "PAGER": "cat",
        "GIT_PAGER": "cat",
        "GIT_TERMINAL_PROMPT": "0",
        # A repository must not choose programs that git runs while it only looks.
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": "false",
        "GIT_CONFIG_KEY_1": "safe.bareRepository",
        "GIT_CONFIG_VALUE_1": "explicit",
    }


def may_be_secret(name: str) -> bool:
    """Tell whether a variable may hold a secret, or change what every program does."""
    return any(fnmatch.fnmatchcase(name.upper(), pattern) for pattern in _NEVER.split())
