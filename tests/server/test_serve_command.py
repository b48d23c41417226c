"""`unabridged serve` as a process: how it starts, what it says, how it ends."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import threading
import time
from pathlib import Path
from typing import Any

import httpx2
import pytest
from typer.testing import CliRunner

from tests.server.operation_scene import Gated, Process, client, made_database, process
from tests.server.scene import Event, events_in
from tests.store.databases import own_server
from unabridged.cli import application
from unabridged.models.discover import find_servers
from unabridged.testing.models import Scripted
from unabridged.testing.provider import FakeProvider, serving


def config(tmp_path: Path, text: str) -> str:
    path = tmp_path / "server.toml"
    path.write_text(text)
    return str(path)


def ask(url: str, key: str, into: list[Event]) -> threading.Thread:
    """Take a turn beside the test."""

    def run() -> None:
        with client(url, key) as http, http.stream("POST", "/chat", json={"message": "Hello"}) as answer:
            into.extend(events_in(answer.iter_lines()))

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def until(holds: Any, within: float = 20.0) -> None:
    ends = time.monotonic() + within
    while not holds():
        assert time.monotonic() < ends, "it did not come to that"
        time.sleep(0.02)


def is_gone(url: str) -> bool:
    try:
        httpx2.get(f"{url}/healthz", trust_env=False)
    except httpx2.TransportError:
        return True
    return False


def test_it_says_where_it_is_answers_and_ends_when_asked(tmp_path: Path) -> None:
    place = tmp_path / "chat.db"
    key, _ = made_database(place)
    provider = FakeProvider(Scripted(["Hello there."]), window=8_000)
    with (
        serving(provider) as at,
        process("--port", "0", "--database", str(place), "-m", f"m@{at}/v1", "-m", f"n@{at}/v1") as server,
        client(server.url, key) as http,
    ):
        ready = http.get("/readyz")
        answer = http.post("/chat", json={"message": "Hello", "stream": False}).json()
        server.signal()
        code = server.ended()

    assert (ready.status_code, answer["status"], answer["text"], code) == (200, "completed", "Hello there.", 0)
    said = "".join(server.said)
    assert server.url in said
    assert "m (default), n" in said
    assert str(place) in said
    assert f"{server.url}/docs" in said


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_first_keys_are_said_once_and_stand_in_no_log(tmp_path: Path, workers: str) -> None:
    with serving(FakeProvider(Scripted([]), window=8_000)) as at:
        given = ("--port", "0", "--database", str(tmp_path / "a.db"), "-m", f"m@{at}/v1", "--log-json")
        with process(*given, "--workers", workers) as server:
            url = server.url
            until(lambda: "curl" in "".join(server.said))
            admin, project = re.findall(r"^  (?:admin|project) +(ub_\S+)", "".join(server.said), re.MULTILINE)
            with client(url, project) as http:
                answer = http.post("/chat", json={"message": "Hello", "stream": False}).json()
            with client(url, admin) as http:
                counted = http.get("/metrics").status_code
            server.signal()
            server.ended()
        with process(*given) as again:
            assert again.url
            again.signal()
            again.ended()

    assert (answer["status"], counted) == ("completed", 200)
    assert "ub_" not in "".join([*server.logged, *again.logged, *again.said])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_running_turn_ends_before_the_server_does(tmp_path: Path, number: int) -> None:
    place = tmp_path / "chat.db"
    key, _ = made_database(place)
    model = Gated()
    frames: list[Event] = []
    with (
        serving(FakeProvider(model, window=8_000)) as at,
        process("--port", "0", "--database", str(place), "-m", f"m@{at}/v1") as server,
        client(server.url, key) as http,
    ):
        turn = ask(server.url, key, frames)
        assert model.asked.wait(20)
        server.signal(number)
        until(lambda: http.get("/readyz").status_code == 503)
        refused = http.post("/chat", json={"message": "Me too"})
        late = http.get("/readyz").json()
        alive = http.get("/healthz").status_code
        model.open.set()
        turn.join()
        code = server.ended()

    assert [frame.type for frame in frames][-2:] == ["message", "end"]
    assert frames[-1].data["status"] == "completed"
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "shutting_down")
    assert refused.headers["Retry-After"]
    assert (late["error"]["code"], alive, code) == ("shutting_down", 200, 0)


def test_a_turn_that_takes_too_long_goes_on_in_the_next_server(tmp_path: Path) -> None:
    place = tmp_path / "chat.db"
    key, _ = made_database(place)
    model = Gated()
    frames: list[Event] = []
    with serving(FakeProvider(model, window=8_000)) as at:
        given = ("--port", "0", "--database", str(place), "-m", f"m@{at}/v1")
        with process(*given, "--config", config(tmp_path, "grace_s = 0.5")) as server:
            turn = ask(server.url, key, frames)
            assert model.asked.wait(20)
            server.signal()
            code = server.ended()
            turn.join()
        model.open.set()
        with process(*given) as server, client(server.url, key) as http:
            session = frames[0].data["session_id"]
            with http.stream("GET", f"/chat/sessions/{session}/turns/1/events") as answer:
                rest = list(events_in(answer.iter_lines()))

    assert code == 0
    assert [frame.type for frame in frames] == ["session"]
    assert rest[-1].type == "end"
    assert rest[-1].data["text"] == model.text


def test_a_second_signal_does_not_wait_for_the_turn(tmp_path: Path) -> None:
    place = tmp_path / "chat.db"
    key, _ = made_database(place)
    model = Gated()
    frames: list[Event] = []
    with (
        serving(FakeProvider(model, window=8_000)) as at,
        process("--port", "0", "--database", str(place), "-m", f"m@{at}/v1") as server,
    ):
        turn = ask(server.url, key, frames)
        assert model.asked.wait(20)
        server.signal()
        time.sleep(0.5)
        began = time.monotonic()
        server.signal()
        code = server.ended()
        took = time.monotonic() - began
        turn.join()
        model.open.set()

    assert code == 128 + signal.SIGTERM
    assert took < 5
    assert [frame.type for frame in frames] == ["session"]


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_several_processes_serve_one_database_and_one_that_dies_is_started_again(tmp_path: Path, engine: str) -> None:
    with contextlib.ExitStack() as made:
        place = str(tmp_path / "chat.db")
        if engine == "postgres":
            place = made.enter_context(made.enter_context(own_server("serving")).database())
        _serves_with_two(place)


def _serves_with_two(place: str) -> None:
    key, admin = made_database(place)
    provider = FakeProvider(Scripted([]), window=8_000)
    with (
        serving(provider) as at,
        process("--port", "0", "--database", place, "-m", f"m@{at}/v1", "--workers", "2") as server,
    ):
        assert server.url
        first = workers_of(server)
        for _ in range(4):
            with client(server.url, key) as http:
                assert http.post("/chat", json={"message": "Hello", "stream": False}).json()["text"] == "Done."
        with client(server.url, admin) as http:
            counted = http.get("/metrics").text
        os.kill(first[0], signal.SIGKILL)
        until(lambda: len(workers_of(server)) == 2 and first[0] not in workers_of(server))
        server.signal()
        code = server.ended()
        left = workers_of(server)

    assert len(first) == 2
    assert 'unabridged_http_requests_total{method="POST",route="/chat",status="2xx"} 4.0' in counted
    assert code == 0
    assert left == []


def workers_of(server: Process) -> list[int]:
    """Give the processes that serve, the youngest first."""
    found: list[int] = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parts = stat.read_text("utf-8", "replace").rpartition(")")[2].split()
            if int(parts[1]) == server.pid and parts[0] != "Z":
                found.append(int(stat.parent.name))
    return sorted(found, reverse=True)


def test_a_taken_port_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other, serving(FakeProvider(Scripted([]))) as at:
        port = str(other.getsockname()[1])
        with process("--port", port, "--database", str(tmp_path / "a.db"), "-m", f"m@{at}/v1") as server:
            code = server.ended()

    assert code == 1
    assert f"port {port} of 127.0.0.1 is taken" in server.everything
    assert "--port" in server.everything
    assert "Traceback" not in server.everything


def test_a_database_that_is_away_is_named_without_its_password() -> None:
    url = "postgresql://somebody:s3cret-pass@127.0.0.1:9/chat"
    with (
        serving(FakeProvider(Scripted([]))) as at,
        process("--port", "0", "--database", url, "-m", f"m@{at}/v1") as server,
    ):
        code = server.ended()

    assert code == 1
    assert "PostgreSQL" in server.everything
    assert "s3cret-pass" not in server.everything
    assert "Traceback" not in server.everything


def test_without_a_model_it_says_how_to_get_one(tmp_path: Path) -> None:
    if find_servers():
        pytest.skip("a server of models runs on this machine: there is one")
    with process("--port", "0", "--database", str(tmp_path / "a.db"), XDG_DATA_HOME=str(tmp_path)) as server:
        code = server.ended()

    assert code == 2
    assert "there is no model" in server.everything
    assert "ANTHROPIC_API_KEY" in server.everything


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("prot = 1", "prot"),
        ("port = 70000", "port"),
        ('cors = ["app.example.com"]', "cors"),
        ('log_level = "loud"', "log_level"),
        ("port = ", "server.toml"),
        ('workers = 2\ndatabase = ":memory:"', "workers"),
    ],
)
def test_a_configuration_that_cannot_work_is_refused_with_the_name_of_what_is_wrong(
    tmp_path: Path, text: str, named: str
) -> None:
    with process("--config", config(tmp_path, text), XDG_DATA_HOME=str(tmp_path)) as server:
        code = server.ended()

    assert code == 2
    assert named in server.everything
    assert "Traceback" not in server.everything


def test_a_model_whose_key_is_missing_is_named(tmp_path: Path) -> None:
    text = '[models.fast]\nmodel = "qwen3"\nbase_url = "http://127.0.0.1:9/v1"\napi_key_env = "GPU_KEY"\n'
    given = ("--config", config(tmp_path, text), "--database", str(tmp_path / "a.db"))
    with process(*given) as server:
        code = server.ended()

    assert code == 2
    assert "GPU_KEY" in server.everything


def test_json_logs_are_json_and_say_where_it_serves(tmp_path: Path) -> None:
    place = tmp_path / "chat.db"
    key, _ = made_database(place)
    with (
        serving(FakeProvider(Scripted([]), window=8_000)) as at,
        process("--port", "0", "--database", str(place), "-m", f"m@{at}/v1", "--log-json") as server,
        client(server.url, key) as http,
    ):
        http.post("/chat", json={"message": "Hello", "stream": False}, headers={"X-Request-Id": "mine-1"})
        server.signal()
        server.ended()

    lines = [json.loads(line) for line in server.logged]
    assert (lines[0]["message"], lines[0]["models"]) == (f"serving at {server.url}", ["m"])
    (asked,) = [line for line in lines if line.get("route") == "/chat"]
    assert (asked["method"], asked["status"], asked["project"], asked["request"]) == ("POST", 200, "home", "mine-1")
    assert server.said == []


def test_the_help_has_every_option_with_examples() -> None:
    said = CliRunner().invoke(application(), ["serve", "--help"], env={"COLUMNS": "80"}).stdout

    options = (
        "--config",
        "--database",
        "--data",
        "--host",
        "--port",
        "--workers",
        "--model",
        "--log-json",
        "--log-level",
    )
    assert [option for option in options if option not in said] == []
    assert "unabridged serve -m qwen3@http://localhost:8000/v1" in said
    assert "[models.fast]" in said
    assert "Exit code" in said
    assert max(map(len, said.splitlines())) <= 80
