"""Imports point one way. The layers themselves are contracts in pyproject.toml, kept by `make check`."""

from __future__ import annotations

import ast
import graphlib
from collections.abc import Iterator

from tests.architecture.sources import Source, package_sources


def imports(source: Source, known: set[str]) -> set[str]:
    """The package's modules that a module imports anywhere, in functions too; TYPE_CHECKING blocks are left out."""
    found: set[str] = set()
    for node in _runtime_nodes(source.tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            origin = _origin(source, node)
            submodules = {f"{origin}.{alias.name}" for alias in node.names} & known
            found |= submodules or {origin}
            # `from package import submodule, name` needs both.
            if len(submodules) < len(node.names):
                found.add(origin)
    return (found & known) - {source.module}


def _runtime_nodes(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    children = ast.iter_child_nodes(node)
    if isinstance(node, ast.If) and ast.unparse(node.test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}:
        children = iter(node.orelse)
    for child in children:
        yield from _runtime_nodes(child)


def _origin(source: Source, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    # In a package's own __init__, one dot is the package itself.
    depth = node.level - (source.path.name == "__init__.py")
    parents = source.module.split(".")
    above = parents[: len(parents) - depth]
    return ".".join([*above, *filter(None, [node.module])])


def test_no_two_modules_import_each_other_by_any_detour() -> None:
    sources = package_sources()
    known = {source.module for source in sources}
    graph = {source.module: imports(source, known) for source in sources}
    try:
        graphlib.TopologicalSorter(graph).prepare()
        cycle: list[str] = []
    except graphlib.CycleError as error:
        cycle = list(reversed(error.args[1]))
    assert cycle == [], "these modules import each other in a circle: " + " -> ".join(cycle)
