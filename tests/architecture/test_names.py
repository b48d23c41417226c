"""Names that say nothing, and shortcuts that hide something, are not let in."""

from __future__ import annotations

import ast
import re

from tests.architecture.sources import PACKAGE, Source, files, package_sources, python_sources
from tests.shared import REPOSITORY

SAY_NOTHING = {"util", "helper", "common", "manager", "handler", "base", "misc"}
SPEAK_TO_A_TERMINAL = ("cli", "mcp", "replay", "transfer")
VALUES = ("message", "frame", "entry", "checkpoint", "plan", "report", "policy")

SILENCED = re.compile(r"#\s*(?:type|pyright):\s*ignore(?P<code>\[[\w\-, ]+\])?(?P<reason>.*)")


def names(node: ast.AST) -> set[str]:
    """Every plain or dotted last name that an expression mentions."""
    found = {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}
    return found | {child.attr for child in ast.walk(node) if isinstance(child, ast.Attribute)}


def says_why(source: Source, line: int) -> bool:
    """A comment in words stands on this line or the one above."""
    near = [source.comments.get(line - 1, ""), source.comments.get(line, "")]
    return any(re.search(r"#\s*(?!noqa|type:|pyright:)\w", comment) for comment in near)


def test_every_module_name_says_what_it_is_about() -> None:
    modules = [path.relative_to(REPOSITORY) for path in files() if path.suffix == ".py"]
    offenders = [
        path.as_posix()
        for path in modules
        if {part.removesuffix("s") for part in path.with_suffix("").parts} & SAY_NOTHING
    ]
    assert offenders == []


def test_only_shells_print() -> None:
    offenders = [
        source.at(node)
        for source in package_sources()
        if source.path.relative_to(PACKAGE).with_suffix("").parts[0] not in SPEAK_TO_A_TERMINAL
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    assert offenders == []


def test_catching_everything_comes_with_a_reason() -> None:
    offenders = [
        source.at(node)
        for source in python_sources()
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or names(node.type) & {"Exception", "BaseException"})
        and not says_why(source, node.lineno)
    ]
    assert offenders == []


def test_a_silenced_type_error_names_its_rule_and_its_reason() -> None:
    offenders = []
    for source in python_sources():
        for line, comment in source.comments.items():
            silenced = SILENCED.search(comment)
            if silenced is None:
                continue
            reason = re.search(r"\w", silenced["reason"]) or says_why(source, line)
            if not silenced["code"] or not reason:
                offenders.append(f"{source}:{line}")
    assert offenders == []


def test_values_know_the_type_of_everything_they_hold() -> None:
    offenders = [
        source.at(node)
        for source in package_sources()
        if source.path.parent == PACKAGE and source.path.stem in VALUES
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Name) and node.id == "Any"
    ]
    assert offenders == []
