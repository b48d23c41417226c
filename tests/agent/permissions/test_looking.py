"""Looking around in a workspace is free: an agent that asks about each `ls` is switched to `auto` and left there."""

from __future__ import annotations

import pytest

from tests.agent.permissions.place import Place
from unabridged.agent.permissions.questions import Mode
from unabridged.agent.permissions.rules import Effect

FREE = [
    "pwd",
    "ls -la",
    "ls -la src 2>/dev/null",
    "cat src/a.py",
    "cat -n src/a.py | head -20",
    "head -n 5 src/a.py && tail -5 src/a.py",
    "wc -l src/*.py",
    "git status",
    "git status --porcelain -b",
    "git log --oneline -5",
    "git log -p --since='2 weeks ago' -- src",
    "git diff --stat HEAD~1",
    "git --no-pager diff",
    "git show HEAD",
    "git branch -a",
    "git rev-parse --show-toplevel",
    "git ls-files | wc -l",
    "git blame src/a.py",
    "grep -rn 'print' src --include='*.py'",
    'grep -E "a|b" src/a.py',
    "rg -n print -g '*.py'",
    "find . -name '*.py' -not -path './x/*' -type f | sort | uniq -c",
    "sed -n 1,20p src/a.py",
    "sed -n '1,5p;7p' src/a.py",
    "awk '{print $1}' src/a.py",
    "cd src && ls",
    "cd src; pwd",
    "test -f src/a.py && echo yes || echo no",
    "[ -d src ] && ls src",
    "[[ -f src/a.py ]] && echo yes",
    "if [ -f src/a.py ]; then cat src/a.py; fi",
    "for f in src/*.py; do echo $f; done",
    'echo $(date) "$(pwd)" $HOME',
    "which python3; uname -a",
    "diff -u src/a.py src/a.py",
    "ls \\\n  -la src",
    "ls # everything",
    "# what is here\nls\n\npwd",
    "cat <<'EOF'\n$(not run)\nEOF",
    "CI=1 ls",
    "x=1",
    "set -euo pipefail\nls",
    "timeout 5 ls",
    "command -v python3",
    "ls /usr/lib",
    "du -sh src | sort -h",
    "jq -r .name src/a.py",
    "echo 'a;b' \"c && d\" e\\;f",
]


@pytest.mark.parametrize("command", FREE)
@pytest.mark.parametrize("mode", [Mode.ASK, Mode.PLAN])
def test_looking_is_free_in_each_mode(place: Place, command: str, mode: Mode) -> None:
    assert place.effect(command, place.policy(mode)) is Effect.ALLOW
