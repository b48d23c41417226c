"""The server, through the official client: in this process, and as the command that a client starts."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from unabridged import Conversation
from unabridged.mcp.library import ImportedShelves, Library, StoredShelves
from unabridged.mcp.server import server_of
from unabridged.store import Project, Store, open_store
from unabridged.store.filing import write_session

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "s.db"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two transcripts, and a file that is none."""
    made = tmp_path / "transcripts"
    made.mkdir()
    for name, asked, answered in (
        ("lake.json", "Where does the bus to the lake stop?", "At the mill."),
        ("code.json", "fix read_file in src/app.py", "Done."),
    ):
        both = [{"role": "user", "content": asked}, {"role": "assistant", "content": answered}]
        (made / name).write_text(json.dumps(both))
    (made / "notes.txt").write_bytes(b"\x00\x01nothing")
    return made


def said(project: Project, id: str, *texts: str) -> None:
    talk = Conversation(model="m", log=project.create(id=id, title=f"about {id}").log)
    for text in texts:
        talk.user(text)


async def call(client: Client, name: str, **arguments: Any) -> str:
    result = await client.call_tool(name, arguments)
    (block,) = result.content
    assert block.type == "text"
    return block.text


@asynccontextmanager
async def served(shelves: StoredShelves | ImportedShelves) -> AsyncIterator[Client]:
    async with Client(server_of(Library(shelves))) as client:
        yield client


async def test_a_client_finds_four_tools_that_only_read(store: Store) -> None:
    async with served(StoredShelves(store.project("p"))) as client:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["search_history", "read_history", "list_sessions", "context_report"]
        assert all(tool.annotations is not None and tool.annotations.read_only_hint for tool in tools)
        assert all(tool.description for tool in tools)


async def test_a_stored_session_is_searched_and_read(store: Store) -> None:
    project = store.project("p")
    said(project, "one", "hello", "The vault opens with gallimaufry.")
    async with served(StoredShelves(project)) as client:
        found = await call(client, "search_history", session="one", query="vault", limit=1)
        assert found == "[1] user: The vault opens with gallimaufry."
        assert await call(client, "read_history", session="one", id="1") == "The vault opens with gallimaufry."


async def test_what_is_said_meanwhile_is_found(store: Store) -> None:
    project = store.project("p")
    said(project, "one", "hello")
    async with served(StoredShelves(project)) as client:
        assert (await call(client, "search_history", session="one", query="kite")).startswith("Nothing found")
        Conversation(model="m", log=project.open("one").log).user("A red kite.")
        assert await call(client, "search_history", session="one", query="kite") == "[1] user: A red kite."


async def test_without_a_session_the_newest_are_searched(store: Store) -> None:
    project = store.project("p")
    said(project, "one", "a red kite")
    said(project, "two", "a green house")
    async with served(StoredShelves(project)) as client:
        assert await call(client, "search_history", query="kite") == "session one  about one\n[0] user: a red kite"
        assert [line[:3] for line in (await call(client, "list_sessions")).splitlines()] == ["two", "one"]
        assert (await call(client, "list_sessions", title="ABOUT ONE")).startswith("one ")


async def test_another_project_is_not_there(store: Store) -> None:
    said(store.project("theirs"), "one", "a red kite")
    async with served(StoredShelves(store.project("p"))) as client:
        assert (await call(client, "search_history", query="kite")).startswith("Nothing found")
        assert "no session" in await call(client, "search_history", query="kite", session="one")
        assert await call(client, "list_sessions") == "There is no such conversation."


async def test_transcripts_in_a_folder_are_served(folder: Path) -> None:
    async with served(ImportedShelves(folder)) as client:
        listed = (await call(client, "list_sessions")).splitlines()
        assert {line.split()[0] for line in listed} == {"lake.json", "code.json"}
        assert "[0] user: fix read_file in src/app.py" in await call(client, "search_history", query="readFile")
        assert await call(client, "read_history", session="lake.json", id="1") == "At the mill."


@pytest.mark.parametrize(
    "id", ["../s.db", "nowhere.json", "lake.json#2", "lake.json#x", "notes.txt", "", "/etc/passwd"]
)
async def test_nothing_outside_the_folder_is_reached(folder: Path, id: str) -> None:
    async with served(ImportedShelves(folder)) as client:
        told = await call(client, "read_history", session=id, id="0")
        assert told == f"This cannot be done: there is no conversation {id!r} here: list_sessions gives their ids"


async def test_a_report_says_what_a_model_would_be_shown(store: Store) -> None:
    project = store.project("p")
    said(project, "one", *(f"story {number}: " + "a grey stone rolls on. " * 40 for number in range(60)))
    async with served(StoredShelves(project)) as client:
        assert "All of it fits into a window of 128,000 tokens" in await call(client, "context_report", session="one")
        small = await call(client, "context_report", session="one", window=20_000)
        assert small.startswith("60 messages, ")
        assert "In a window of 20,000 tokens a model is shown" in small
        before = len(project.open("one").log.entries)
        await call(client, "context_report", session="one", window=20_000)
        assert len(project.open("one").log.entries) == before
        assert "cannot be done" in await call(client, "context_report", session="one", window=10)


async def test_the_command_serves_a_client_that_starts_it(folder: Path) -> None:
    arguments = ["-c", "from unabridged.cli import main; main()", "mcp", "--import", str(folder)]
    async with Client(StdioServerParameters(command=sys.executable, args=arguments)) as client:
        assert "At the mill" in await call(client, "search_history", query="mill")


async def test_what_its_user_hid_is_not_given(store: Store, tmp_path: Path) -> None:
    said(store.project("home"), "s", "The kite is red.", "The boat is a secret.")
    talk = Conversation(model="m", log=store.project("home").open("s").log)
    library = Library(StoredShelves(store.project("home")))
    async with Client(server_of(library)) as client:
        assert "secret" in await call(client, "search_history", query="secret boat", session="s")
        talk.hide(talk.transcript.records[1].message.id)
        for session in ("s", ""):
            assert "secret" not in await call(client, "search_history", query="secret boat", session=session)
        assert "No message has" in await call(client, "read_history", session="s", id="1")
        assert "kite" in await call(client, "read_history", session="s", id="0")

    (tmp_path / "files").mkdir()
    write_session(store.project("home").open("s"), tmp_path / "files" / "log.jsonl")
    async with Client(server_of(Library(ImportedShelves(tmp_path / "files")))) as client:
        assert "secret" not in await call(client, "search_history", query="secret boat", session="log.jsonl")
        assert "No message has" in await call(client, "read_history", session="log.jsonl", id="1")
        assert "kite" in await call(client, "search_history", query="red kite", session="log.jsonl")
