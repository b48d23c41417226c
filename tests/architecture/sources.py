"""The repository's own files, read once, as the architecture tests see them."""

from __future__ import annotations

import ast
import functools
import io
import os
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.shared import REPOSITORY

PACKAGE = REPOSITORY / "src" / "unabridged"
NOT_OURS = {".git", ".venv", ".venv-oracles", ".env", "__pycache__", "node_modules", "build", "dist"}
CACHES = {".hypothesis", ".import_linter_cache", ".inline-snapshot", ".pytest_cache", ".ruff_cache"}


@dataclass(frozen=True)
class Source:
    """One Python file. `str()` of it is its path inside the repository."""

    path: Path
    text: str
    tree: ast.Module

    def __str__(self) -> str:
        return self.path.relative_to(REPOSITORY).as_posix()

    @property
    def module(self) -> str:
        """Dotted name of a file below src/, for example `unabridged.wire`."""
        parts = self.path.relative_to(REPOSITORY / "src").with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def comments(self) -> dict[int, str]:
        """Comments by line."""
        tokens = tokenize.generate_tokens(io.StringIO(self.text).readline)
        return {token.start[0]: token.string for token in tokens if token.type == tokenize.COMMENT}

    def at(self, node: ast.expr | ast.stmt | ast.ExceptHandler) -> str:
        """`path:line` of a node, as an editor opens it."""
        return f"{self}:{node.lineno}"


def files() -> Iterator[Path]:
    """Every file of the repository; caches, environments and build output are left out."""
    for folder, folders, names in os.walk(REPOSITORY):
        folders[:] = [name for name in folders if name not in NOT_OURS | CACHES and not name.endswith(".egg-info")]
        yield from (Path(folder, name) for name in names if name not in NOT_OURS)


@functools.cache
def python_sources() -> tuple[Source, ...]:
    """Every Python file of the repository."""
    found = sorted(path for path in files() if path.suffix == ".py")
    return tuple(_read(path) for path in found)


def package_sources() -> tuple[Source, ...]:
    """The Python files of the package itself."""
    return tuple(source for source in python_sources() if source.path.is_relative_to(PACKAGE))


def _read(path: Path) -> Source:
    text = path.read_text(encoding="utf-8")
    return Source(path, text, ast.parse(text, filename=str(path)))
