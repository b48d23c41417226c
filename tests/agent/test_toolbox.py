"""Tools as models see them, and what they write read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.agent.working import DIALECTS, Look
from unabridged.agent.assembly import parts_of
from unabridged.agent.settings import Settings
from unabridged.agent.tool import ToolError
from unabridged.agent.toolbox import Toolbox, parameters_of
from unabridged.agent.workspace import Workspace
from unabridged.framing import frame_of
from unabridged.message import ToolCall
from unabridged.testing import violations


class Inner(msgspec.Struct):
    old: Annotated[str, msgspec.Meta(description="What is there.")]
    title: int | None = None


class Nested(msgspec.Struct):
    edits: Annotated[list[Inner], msgspec.Meta(description="In order.")]
    deep: bool = False
    limit: Annotated[int, msgspec.Meta(description="How many.", ge=1)] | None = None


class Edits(Look):
    name = "edits"
    arguments: type[msgspec.Struct] = Nested


def read(arguments: str) -> Any:
    return Toolbox([Edits()]).read(ToolCall("c", "edits", arguments))[1]


def test_nested_objects_stand_where_they_belong() -> None:
    schema = parameters_of(Nested)
    assert schema["required"] == ["edits"]
    items = schema["properties"]["edits"]["items"]
    assert items["properties"]["old"] == {"type": "string", "description": "What is there."}
    assert items["properties"]["title"] == {"type": "integer"}
    assert schema["properties"]["limit"] == {"type": "integer", "description": "How many.", "minimum": 1}
    assert "$ref" not in json.dumps(schema)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_takes_the_list(dialect: str) -> None:
    schemas = Toolbox([Edits(), Look()]).schemas(dialect)
    assert "edits" in json.dumps(schemas)
    body = {"openai_chat": {"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": schemas}}
    if dialect in body:
        assert violations(dialect, body[dialect]) == []


def test_what_a_model_writes_is_read_kindly() -> None:
    assert read('{"edits": [{"old": "a"}], "limit": "3", "deep": null}') == Nested([Inner("a")], limit=3)
    assert read('{"edits": [{"old": "a\\nb"}]}') == Nested([Inner("a\nb")])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ('{"edits": [{"old": 3}]}', "edits[0].old"),
        ('{"edits": [], "limit": 0}', "limit"),
        ('{"edits": [], "dep": 1}', "takes no `dep`"),
        ('{"edits"', "no JSON"),
        ("[1]", "one JSON object"),
        ("", "edits"),
    ],
)
def test_what_it_gets_wrong_is_named(arguments: str, says: str) -> None:
    with pytest.raises(ToolError) as wrong:
        read(arguments)
    assert says in str(wrong.value)


ANYTHING = st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists).map(json.dumps)


@given(st.text() | ANYTHING)
def test_no_arguments_raise_anything_else(arguments: str) -> None:
    with pytest.raises(ToolError, match=r"."):
        read(arguments)


@pytest.mark.anyio
async def test_every_tool_there_is_can_be_told_of_in_every_dialect(tmp_path: Path) -> None:
    settings = Settings(web=True, sandbox="dangerously-none")
    async with parts_of(settings, Workspace.at(tmp_path), None) as parts:
        for dialect in DIALECTS:
            schemas = Toolbox(parts.tools).schemas(dialect)
            assert "$ref" not in json.dumps(schemas)
            frame_of(dialect, model="m", system="s", tools=schemas)
        names = {tool.name for tool in parts.tools}
        assert names == {"read", "edit", "write", "glob", "grep", "shell", "job_output", "job_kill", "web_fetch"}
