"""What a model is told about the arguments of the file tools."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from unabridged.agent.files.known import Known
from unabridged.agent.tool import Tool
from unabridged.agent.tools.edit import Edit
from unabridged.agent.tools.glob import GlobFiles
from unabridged.agent.tools.grep import Grep
from unabridged.agent.tools.read import Read
from unabridged.agent.tools.write import Write


@pytest.fixture
def tools(known: Known) -> list[Tool]:
    return [
        Read(known),
        Edit(known),
        Write(known),
        GlobFiles(known.workspace),
        Grep(known.workspace),
    ]


def schema_of(tool: Tool) -> tuple[dict[str, Any], dict[str, Any]]:
    schema = msgspec.json.schema(tool.arguments)
    parts = schema["$defs"]
    return parts[schema["$ref"].rpartition("/")[2]], parts


def test_every_argument_is_described_and_no_other_is_taken(tools: list[Tool]) -> None:
    for tool in tools:
        own, parts = schema_of(tool)
        assert own["type"] == "object"
        for part in parts.values():
            assert part["additionalProperties"] is False
            assert all(each.get("description") for each in part["properties"].values()), part


def test_the_edits_of_a_file_are_objects(known: Known) -> None:
    own, parts = schema_of(Edit(known))
    edits = own["properties"]["edits"]
    assert own["required"] == ["path", "edits"]
    assert (edits["type"], edits["minItems"]) == ("array", 1)
    each = parts[edits["items"]["$ref"].rpartition("/")[2]]
    assert {name: one["type"] for name, one in each["properties"].items()} == {
        "old": "string",
        "new": "string",
        "all": "boolean",
    }
    assert each["required"] == ["old", "new"]


def test_names_are_as_models_write_them(tools: list[Tool]) -> None:
    for tool in tools:
        assert tool.name.isidentifier()
        assert tool.name.islower()
        assert len(tool.description) > 60
