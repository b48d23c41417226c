"""Searching files: with ripgrep where it is installed, else with a worker of our own that answers in the same way.

Both run as a program that can be stopped: no pattern freezes the agent.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from unabridged.agent.files.ignoring import Ignored, top_of
from unabridged.agent.tool import ToolError
from unabridged.agent.tools.child import Child, running
from unabridged.agent.workspace import Workspace

SECONDS = 20.0
"""How long a search may take."""
LARGEST = 32 * 1024 * 1024
"""Bytes of a file that is searched."""
_WORKER = "unabridged.agent.tools.search_worker"
# A backslash that is itself escaped does not make a line end of the n behind it.
_LINE_END = re.compile(r"(?<!\\)(?:\\\\)*\\n|\n")


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """What is looked for, and where."""

    folder: str
    """Absolute, without links. Answers are relative to it."""
    file: str = ""
    """Only this one in it."""
    top: str = ""
    """The folder whose `.gitignore` counts first; "" for what lies in the folder alone."""
    in_repository: bool = False
    """The top holds a repository of git."""
    hidden: bool = False
    pattern: str | None = None
    """A regular expression; None lists files."""
    any_case: bool = False
    context: int = 0
    once: bool = False
    """One match of each file is enough."""
    names: str = ""
    """A simple pattern of file names that all others may be passed over by; it may let through too many."""


class Searches(msgspec.Struct, frozen=True):
    """How files are searched on this machine."""

    ripgrep: str = ""
    """Path of the program; "" for the worker."""
    seconds: float = SECONDS

    @classmethod
    def found(cls, workspace: Workspace) -> Searches:
        """Look for ripgrep, but never among files that the agent may itself have written."""
        program = shutil.which("rg")
        trusted = program is not None and not workspace.holds(Path(program).resolve())
        return cls(os.path.abspath(program) if program is not None and trusted else "")

    @asynccontextmanager
    async def asking(self, query: Query) -> AsyncGenerator[Child]:
        """Begin a search."""
        folder = Path(query.folder)
        if self.ripgrep:
            environment = {"LC_ALL": "C.UTF-8", "PATH": os.defpath}
            async with running(_ripgrep(self.ripgrep, query), folder, environment, self.seconds) as child:
                yield child
            return
        # Not from the folder that is searched: a module of Python's own name may lie there.
        environment = {"PYTHONPATH": os.pathsep.join(each for each in sys.path if each), "PYTHONUTF8": "1"}
        command = [sys.executable, "-P", "-m", _WORKER, msgspec.json.encode(query).decode()]
        async with running(command, Path(folder.anchor), environment, self.seconds) as child:
            yield child


def located(workspace: Workspace, path: Path) -> Query:
    """Give a query about a resolved path: where it begins, and which `.gitignore` files count. Raises `ToolError`."""
    if not path.is_dir() and not path.is_file():
        raise ToolError(f"{workspace.shown(path)} is neither a file nor a folder: it cannot be searched")
    folder, file = (path.parent, path.name) if path.is_file() else (path, "")
    holder = next((each for each in workspace.folders if each == folder or each in folder.parents), None)
    top, in_repository = top_of(folder, holder)
    # Who asks for a folder that is left out means it.
    wanted = top == folder or not Ignored(top).path(folder, is_folder=True)
    return Query(folder=str(folder), file=file, top=str(top) if wanted else "", in_repository=in_repository)


def counts(query: Query) -> Callable[[str], bool]:
    """Give what tells whether an answer counts: ripgrep lets through some that are left out."""
    folder = Path(query.folder)
    # It reads the .gitignore of folders above only where there is a repository.
    reads_above = query.in_repository or query.top in ("", query.folder)
    rules = None if reads_above or query.file else Ignored(Path(query.top))
    # A line that takes something back makes it show a file even where it is hidden.
    shows_all = query.hidden or bool(query.file)

    def judge(path: str) -> bool:
        if not shows_all and any(part.startswith(".") for part in path.split("/")):
            return False
        return rules is None or not rules.path(folder / path, is_folder=False)

    return judge


def checked(pattern: str) -> str:
    """Give a regular expression if lines can match it. Raises `ToolError`."""
    if not pattern or "\0" in pattern:
        raise ToolError("the pattern is empty: give a regular expression, or use glob to list files")
    if _LINE_END.search(pattern):
        raise ToolError("the pattern has a line end: it is matched line by line; look for one line, with context")
    return pattern


def _ripgrep(program: str, query: Query) -> list[str]:
    command = [program, "--no-config", "--no-messages", "--no-require-git", "--no-ignore-dot", "--no-ignore-global"]
    command += ["--no-ignore-exclude", "--glob", "!.git"]
    if not (query.top and query.in_repository):
        command.append("--no-ignore-parent")
    if query.hidden:
        command.append("--hidden")
    if query.names:
        # Other than a glob, a type does not bring back what is left out.
        command += ["--type-add", f"wanted:{query.names}", "--type", "wanted"]
    if query.pattern is None:
        return [*command, "--files", "--null", "--", "./"]
    command += ["--json", "--crlf", "--no-mmap", "--sort", "path", "--engine", "auto", "--max-filesize", str(LARGEST)]
    command += ["--context", str(query.context)]
    command += ["--ignore-case"] if query.any_case else ["--case-sensitive"]
    command += ["--max-count", "1"] if query.once else []
    return [*command, "--regexp", query.pattern, "--", f"./{query.file}"]
