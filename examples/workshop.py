"""A copy of this repository, and an agent's tools that work in it. `record_session.py` uses it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
TOO_LONG = 100_000
"""Characters of one output; what is longer is cut, as an agent's tools do."""


@dataclass(frozen=True)
class Call:
    """A tool call, and how its output is made."""

    name: str
    arguments: dict[str, object]
    run: Callable[[], tuple[str, bool]]


@dataclass
class Workshop:
    """A copy of the repository, and the tools that work in it."""

    root: Path

    def bash(self, command: str) -> Call:
        return Call("Bash", {"command": command}, lambda: self._shell(command))

    def read(self, path: str, first: int = 1, lines: int | None = None) -> Call:
        arguments: dict[str, object] = {"file_path": f"/repo/{path}"}
        if lines is not None:
            arguments |= {"offset": first, "limit": lines}
        return Call("Read", arguments, lambda: self._numbered(path, first, lines))

    def grep(self, pattern: str, where: str) -> Call:
        command = f"grep -rnE --include='*.py' {json.dumps(pattern)} {where} | sort | head -n 120"
        return Call("Grep", {"pattern": pattern, "path": f"/repo/{where}"}, lambda: self._shell(command))

    def write(self, path: str, content: str) -> Call:
        return Call("Write", {"file_path": f"/repo/{path}", "content": content}, lambda: self._written(path, content))

    def edit(self, path: str, old: str, new: str) -> Call:
        arguments: dict[str, object] = {"file_path": f"/repo/{path}", "old_string": old, "new_string": new}
        return Call("Edit", arguments, lambda: self._edited(path, old, new))

    def sources(self, folder: str) -> list[str]:
        """Python files below a folder, in order."""
        return sorted(path.relative_to(self.root).as_posix() for path in (self.root / folder).rglob("*.py"))

    def size(self, path: str) -> tuple[int, int]:
        """Lines and characters of a file."""
        text = (self.root / path).read_text(encoding="utf-8")
        return len(text.splitlines()), len(text)

    def _shell(self, command: str) -> tuple[str, bool]:
        environment = {**os.environ, "PYTHONPATH": str(self.root / "src"), "NO_COLOR": "1", "COLUMNS": "120"}
        environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.root,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        output = self._without_machine(done.stdout.decode("utf-8", "replace")).rstrip()
        if len(output) > TOO_LONG:
            output = output[:TOO_LONG] + f"\n... [{len(output) - TOO_LONG} more characters]"
        failed = done.returncode != 0
        return (f"Exit code {done.returncode}\n{output}" if failed else output or "(no output)"), failed

    def _numbered(self, path: str, first: int, lines: int | None) -> tuple[str, bool]:
        whole = (self.root / path).read_text(encoding="utf-8").splitlines()
        read = whole[first - 1 :] if lines is None else whole[first - 1 : first - 1 + lines]
        return "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(read, first)), False

    def _written(self, path: str, content: str) -> tuple[str, bool]:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(content, encoding="utf-8")
        return f"File created: /repo/{path}", False

    def _edited(self, path: str, old: str, new: str) -> tuple[str, bool]:
        text = (self.root / path).read_text(encoding="utf-8")
        if text.count(old) != 1:
            return f"The text to replace stands {text.count(old)} times in /repo/{path}, once was expected.", True
        (self.root / path).write_text(text.replace(old, new), encoding="utf-8")
        return f"The file /repo/{path} has been updated.", False

    def _without_machine(self, text: str) -> str:
        """Take out what only the recording machine is called."""
        places = {str(self.root): "/repo", str(REPOSITORY): "/repo", sys.prefix: "/venv", sys.base_prefix: "/python"}
        for place, name in sorted(places.items(), key=lambda each: -len(each[0])):
            text = text.replace(place, name)
        return text.replace(str(Path.home()), "~")
