"""Which tools a model is told of: the server's and the client's, checked before anything is sent."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from tests.sandbox.living import living
from tests.server.scene import Scene, events_in, scene
from tests.server.tools.commanding import works
from unabridged.archive import Archive, MemoryShelf
from unabridged.errors import BadSetting
from unabridged.sandbox.sandbox import Level
from unabridged.server.caller import Scope
from unabridged.server.settings import ClientTool, CommandTool, ProjectSettings, read_settings
from unabridged.server.tools import confining
from unabridged.server.tools.naming import MOST_TOOLS
from unabridged.server.tools.toolset import toolset_of
from unabridged.server.turns.asked import Asked
from unabridged.store import open_store
from unabridged.testing.models import Call, Reply, Scripted
from unabridged.testing.provider import FakeProvider

OBJECT: dict[str, Any] = {"type": "object", "properties": {}}
COMMANDS = {"command": {"enabled": True, "approval": "never", "timeoutS": 20}}


def deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


BAD_SCHEMAS: list[dict[str, Any]] = [
    {},
    {"type": "string"},
    {"type": ["object", "null"]},
    {"type": "object", "properties": []},
    {"type": "object", "properties": {"a": "string"}},
    {"type": "object", "properties": {"a": {"type": 7}}},
    {"type": "object", "properties": {"a": {"type": "array", "items": [1]}}},
    {"type": "object", "properties": {"a": {"enum": "x"}}},
    {"type": "object", "required": "a"},
    {"type": "object", "required": [1]},
    {"type": "object", "anyOf": {}},
    {"type": "object", "properties": {"a": {"$ref": "https://example.org/schema.json"}}},
    {"type": "object", "$defs": {"a": {"$ref": "file:///etc/passwd"}}},
    {"type": "object", "description": "x" * 40_000},
    {"type": "object", "description": "\ud800"},
    deep(40),
    deep(100_000),
]


@pytest.mark.parametrize("schema", BAD_SCHEMAS, ids=range(len(BAD_SCHEMAS)))
def test_a_schema_that_no_provider_takes_is_refused_with_its_place(schema: dict[str, Any]) -> None:
    with pytest.raises(BadSetting, match=r"tools\.look") as refused:
        ClientTool(name="look", parameters=schema)

    assert len(str(refused.value)) < 4_000


@pytest.mark.parametrize(
    "schema",
    [
        OBJECT,
        {"type": "object"},
        deep(10),
        {
            "type": "object",
            "properties": {
                "a": {"type": ["string", "null"], "enum": ["x", None], "default": [1]},
                "b": {"type": "array", "items": {"$ref": "#/$defs/c"}},
                "c": True,
                "type": {"const": "type"},
            },
            "required": ["a"],
            "additionalProperties": False,
            "$defs": {"c": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
        },
    ],
    ids=range(4),
)
def test_a_usual_schema_is_taken_as_it_is(schema: dict[str, Any]) -> None:
    assert ClientTool(name="look-It_up2", parameters=schema).function.parameters == schema


@pytest.mark.parametrize("name", ["", "a b", "a.b", "é", "a\n", "x" * 65, "look/up", "search_history", "run_command"])
def test_a_name_that_no_provider_takes_or_the_server_has_is_refused(name: str) -> None:
    with pytest.raises(BadSetting):
        ClientTool(name=name)


def test_tools_are_refused_together_where_they_cannot_be_offered_together() -> None:
    one = ClientTool(name="one")
    large = [ClientTool(name=f"large-{nth}", description="x" * 30_000) for nth in range(9)]
    many = [ClientTool(name=f"tool-{nth}") for nth in range(MOST_TOOLS + 1)]
    for tools in ((one, one), tuple(large), tuple(many)):
        with pytest.raises(BadSetting, match="setting `tools`"):
            Asked(text="hello", tools=tools)
        with pytest.raises(BadSetting, match="setting `tools`"):
            ProjectSettings(client_tools=tools)
    assert len(Asked(tools=tuple(many[:MOST_TOOLS])).tools or ()) == MOST_TOOLS


def test_settings_with_a_bad_tool_are_refused_with_its_name() -> None:
    with pytest.raises(BadSetting, match="read_history"):
        read_settings('{"clientTools": [{"name": "read_history"}]}')


def test_the_order_is_history_commands_and_then_the_clients_as_given(tmp_path: Path) -> None:
    works(Level.BUBBLEWRAP)
    settings = ProjectSettings(command=CommandTool(enabled=True))
    client = tuple(ClientTool(name=name) for name in ("zebra", "ape"))
    names = [
        [each.name for each in toolset_of(settings, client, Archive(MemoryShelf()), tmp_path).functions]
        for _ in range(3)
    ]

    assert names == [["search_history", "read_history", "run_command", "zebra", "ape"]] * 3
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("network", [False, True])
def test_where_no_sandbox_works_commands_are_not_offered_and_the_operator_reads_why_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, network: bool
) -> None:
    monkeypatch.setattr(confining, "KINDS", ((Level.BUBBLEWRAP, lambda given: pytest.fail("not to be used")),))
    monkeypatch.setattr("unabridged.sandbox.choosing.bwrap", lambda: None)
    confining.confining.cache_clear()
    settings = ProjectSettings(command=CommandTool(enabled=True, network=network))
    with caplog.at_level(logging.WARNING, "unabridged.server"):
        offered = [toolset_of(settings, (), None, tmp_path).functions for _ in range(3)]
    confining.confining.cache_clear()

    assert offered == [(), (), ()]
    (record,) = caplog.records
    assert "bwrap is not installed" in record.getMessage()


def test_landlock_is_not_enough_where_sockets_are_open(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("unabridged.sandbox.choosing.bwrap", lambda: None)
    confining.confining.cache_clear()
    found = confining.confining(network=True)
    confining.confining.cache_clear()

    assert found is None
    assert "other programs of this machine" in caplog.text


@pytest.fixture
def serve(tmp_path: Path):
    """Serve a project whose model follows a script, with commands turned on."""
    works(Level.BUBBLEWRAP)

    def serving(lines: list[Reply | str], settings: dict[str, Any] | None = None, **config: Any):
        provider = FakeProvider(Scripted(lines), window=32_000)
        return scene(open_store(":memory:"), provider, settings or COMMANDS, data=str(tmp_path / "data"), **config)

    return serving


def command(text: str) -> Reply:
    return Reply(calls=(Call("run_command", '{"command": "' + text + '"}'),))


def results(at: Scene, path: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    return [frame.data for frame in at.frames(path, body) if frame.type == "tool_result"]


def test_a_turn_runs_commands_in_a_folder_of_its_session_and_streams_what_they_print(serve: Any) -> None:
    with serve([command("echo hello > f; pwd; echo done"), "Done.", command("cat f"), "Done.", command("ls -A")]) as at:
        frames = at.frames("/chat", {"message": "go", "session_id": "one"})
        streamed = "".join(frame.data["text"] for frame in frames if frame.type == "tool_output")
        assert streamed.endswith("/work\ndone\n")
        assert "/data/workspaces/" in streamed
        assert frames[-1].data["status"] == "completed"
        assert results(at, "/chat/sessions/one/turns", {"message": "again"})[0]["text"].startswith("hello\n[exit 0")
        assert results(at, "/chat", {"message": "go", "session_id": "two"})[0]["text"].startswith(
            "(no output)\n[exit 0"
        )


def test_a_command_waits_for_its_users_word_where_the_project_wants_that(serve: Any, tmp_path: Path) -> None:
    asks = {"command": {"enabled": True, "approval": "always"}}
    lines = [command("echo ran > f"), "Fine.", command("cat f"), "Done."]
    with serve(lines, asks) as at:
        frames = at.frames("/chat", {"message": "go", "session_id": "s"})
        (asked,) = [frame.data for frame in frames if frame.type == "approval"]
        assert asked["says"] == "echo ran > f"
        assert frames[-1].data["status"] == "awaiting_approval"
        assert not (tmp_path / "data").exists()
        refused = {"approvals": [{"call_id": asked["call_id"], "allow": False}]}
        assert at.frames("/chat/sessions/s/turns", refused)[-1].data["status"] == "completed"
        frames = at.frames("/chat/sessions/s/turns", {"message": "and now?"})
        (again,) = frames[-1].data["awaiting"]
        allowed = {"approvals": [{"call_id": again, "allow": True}]}
        assert "No such file" in results(at, "/chat/sessions/s/turns", allowed)[0]["text"]


def test_a_turn_that_is_stopped_leaves_nothing_of_its_command(serve: Any) -> None:
    with serve([command("echo up; sleep 63.31 & setsid sleep 63.31"), "Done."]) as at, at.client() as client:
        with client.stream("POST", "/chat", json={"message": "go", "session_id": "s"}) as answer:
            for event in events_in(answer.iter_lines()):
                if event.type == "tool_output":
                    assert living("sleep 63.31")
                    assert client.post("/chat/sessions/s/turns/1/stop").status_code == 202
        assert event.data["status"] == "stopped"
        assert not living("sleep 63.31")
        assert at.frames("/chat/sessions/s/turns", {"message": "go on"})[-1].data["status"] == "completed"


@pytest.mark.parametrize(
    ("settings", "config"),
    [({"command": {"enabled": False}}, {}), (COMMANDS, {"command_tool": False})],
    ids=["project", "operator"],
)
def test_where_it_is_turned_off_a_model_that_calls_it_runs_nothing(
    serve: Any, tmp_path: Path, settings: dict[str, Any], config: dict[str, Any]
) -> None:
    with serve([command("touch f"), "Done."], settings, **config) as at:
        assert "no tool called" in results(at, "/chat", {"message": "go"})[0]["text"]
    assert not (tmp_path / "data").exists()


def test_a_client_cannot_put_a_tool_of_its_own_in_the_place_of_the_servers(serve: Any) -> None:
    with serve([]) as at, at.client() as client, at.client(at.key_of(Scope.USER, owner="eve")) as eve:
        for asking in (client, eve):
            for tools in ([{"name": "run_command"}], [{"name": "look", "parameters": {"type": "string"}}]):
                answer = asking.post("/chat", json={"message": "go", "tools": tools})
                assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad_setting")
        assert at.provider.served == []
