"""Small enough to read: no file here is exempt, and there is no list to add one to."""

from __future__ import annotations

import ast

from tests.architecture.sources import Source, python_sources
from tests.shared import REPOSITORY

MODULE_LINES = 400
TEST_MODULE_LINES = 500
FUNCTION_LINES = 40
PARAMETERS = 6

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(source: Source) -> list[Function]:
    return [node for node in ast.walk(source.tree) if isinstance(node, Function)]


def parameters(function: Function) -> int:
    """All parameters, keyword-only ones too; `self` and `cls` are not a caller's to give."""
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    variadic = [argument for argument in (arguments.vararg, arguments.kwarg) if argument]
    return len([argument for argument in named if argument.arg not in {"self", "cls"}]) + len(variadic)


def test_no_module_is_too_long() -> None:
    too_long = []
    for source in python_sources():
        lines = len(source.text.splitlines())
        limit = TEST_MODULE_LINES if source.path.is_relative_to(REPOSITORY / "tests") else MODULE_LINES
        if lines > limit:
            too_long.append(f"{source}: {lines} lines, the limit is {limit}")
    assert too_long == []


def test_no_function_is_too_long() -> None:
    too_long = []
    for source in python_sources():
        for function in functions(source):
            lines = (function.end_lineno or function.lineno) - function.lineno + 1
            if lines > FUNCTION_LINES:
                too_long.append(f"{source.at(function)} {function.name}: {lines} lines, the limit is {FUNCTION_LINES}")
    assert too_long == []


def test_no_function_takes_too_many_parameters() -> None:
    too_many = [
        f"{source.at(function)} {function.name}: {parameters(function)} parameters, the limit is {PARAMETERS}"
        for source in python_sources()
        for function in functions(source)
        if parameters(function) > PARAMETERS
    ]
    assert too_many == []
