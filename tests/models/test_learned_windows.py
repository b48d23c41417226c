"""What refusals taught of windows: kept for the next session, by many processes at once, and forgotten when told."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unabridged.models.learned_windows import LearnedWindow, LearnedWindows

SERVER = "http://127.0.0.1:11434/v1"
WHEN = datetime(2026, 11, 30, 12, 0, 5, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "windows.json"


def windows(path: Path) -> LearnedWindows:
    return LearnedWindows(path, now=lambda: WHEN)


def test_the_next_session_knows_what_a_refusal_taught(path: Path) -> None:
    learned = windows(path).learn("qwen3:8b", SERVER, 8_192)

    assert learned == LearnedWindow(
        model="qwen3:8b", endpoint="127.0.0.1:11434", tokens=8_192, seen="2026-11-30T12:00:05Z"
    )
    assert windows(path).find("qwen3:8b", SERVER) == learned
    assert windows(path).find("qwen3:8b", "http://127.0.0.1:8000") is None
    assert windows(path).find("qwen3", SERVER) is None
    assert windows(path).find("qwen3:8b") is None


def test_only_the_smallest_limit_is_kept(path: Path) -> None:
    for tokens in (32_000, 8_000, 16_000):
        windows(path).learn("m", SERVER, tokens)

    assert [each.tokens for each in windows(path).all()] == [8_000]
    known = windows(path).learn("m", SERVER, 64_000)
    assert known is not None
    assert known.tokens == 8_000


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(1_000, 10**7)), max_size=8))
def test_what_is_known_is_always_the_least_that_was_seen(tmp_path_factory: pytest.TempPathFactory, seen: list) -> None:
    learned = windows(tmp_path_factory.mktemp("learned") / "windows.json")
    for model, tokens in seen:
        learned.learn(model, "", tokens)

    least = {model: min(tokens for each, tokens in seen if each == model) for model, _ in seen}
    assert {each.model: each.tokens for each in learned.all()} == least


@pytest.mark.parametrize("tokens", [0, -1, 999])
def test_a_number_that_is_no_window_teaches_nothing(path: Path, tokens: int) -> None:
    assert windows(path).learn("m", SERVER, tokens) is None
    assert windows(path).learn("", SERVER, 8_000) is None
    assert not path.exists()


@pytest.mark.parametrize(
    "endpoint",
    [
        "https://user:secret@models.example:8443/team/v1?key=secret#secret",
        "user:secret@models.example:8443/team",
        "HTTPS://MODELS.example:8443/team/v1/",
    ],
)
def test_of_an_address_only_host_and_path_are_written(path: Path, endpoint: str) -> None:
    learned = windows(path).learn("m", endpoint, 8_000)

    assert learned is not None
    assert learned.endpoint == "models.example:8443/team"
    assert "secret" not in path.read_text()
    assert windows(path).find("m", endpoint) == learned


def test_only_its_owner_may_read_it(path: Path) -> None:
    windows(path).learn("m", SERVER, 8_000)

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_model_is_forgotten_at_one_place_or_everywhere(path: Path) -> None:
    learned = windows(path)
    for place in ("", SERVER, "http://other"):
        learned.learn("m", place, 8_000)
    learned.learn("n", SERVER, 8_000)

    assert learned.forget("m", SERVER) == 1
    assert learned.find("m", SERVER) is None
    assert learned.forget("m") == 2
    assert learned.forget("m") == 0
    assert [each.model for each in learned.all()] == ["n"]
    again = learned.learn("m", SERVER, 64_000)
    assert again is not None
    assert again.tokens == 64_000


def test_forgetting_makes_no_file(path: Path) -> None:
    assert windows(path).forget("m") == 0
    assert not path.parent.exists()


BAD = ["{", "[]", '{"windows": [{"model": 1}]}', "\xff", '{"version": 1, "windows": "none"}']


@pytest.mark.parametrize("text", BAD)
def test_a_damaged_file_is_said_and_put_aside_and_stops_nothing(path: Path, text: str) -> None:
    path.parent.mkdir()
    path.write_text(text, encoding="latin-1")

    with pytest.warns(RuntimeWarning, match="damaged, and taken as none"):
        assert windows(path).all() == ()
    with pytest.warns(RuntimeWarning, match="damaged"):
        windows(path).learn("m", SERVER, 8_000)
    assert [each.model for each in windows(path).all()] == ["m"]
    assert path.with_name("windows.json.unreadable").read_text(encoding="latin-1") == text


def test_a_file_of_a_newer_version_is_not_overwritten(path: Path) -> None:
    path.parent.mkdir()
    path.write_text('{"version": 2, "windows": []}')

    with pytest.warns(RuntimeWarning, match="newer version"):
        windows(path).learn("m", SERVER, 8_000)
    assert path.with_name("windows.json.unreadable").read_text() == '{"version": 2, "windows": []}'


def test_a_place_that_cannot_be_written_costs_a_warning_and_no_turn(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.warns(RuntimeWarning, match="not kept for the next session"):
        learned = LearnedWindows(tmp_path / "file" / "windows.json").learn("m", SERVER, 8_000)

    assert learned is not None
    assert learned.tokens == 8_000


LEARN = """
import sys
from pathlib import Path
from unabridged.models.learned_windows import LearnedWindows

learned = LearnedWindows(Path(sys.argv[1]))
for number in range(25):
    learned.learn(f"model-{number}", "", 10_000 + int(sys.argv[2]))
    learned.learn(f"own-{sys.argv[2]}-{number}", "", 10_000)
"""


def test_processes_that_learn_at_once_lose_nothing(path: Path) -> None:
    running = [subprocess.Popen([sys.executable, "-c", LEARN, str(path), str(number)]) for number in range(4)]
    assert [process.wait() for process in running] == [0] * 4

    known = {each.model: each.tokens for each in windows(path).all()}
    assert len(known) == 25 + 4 * 25
    assert {known[f"model-{number}"] for number in range(25)} == {10_000}
    assert sorted(each.name for each in path.parent.iterdir()) == ["windows.json", "windows.json.lock"]


def test_it_lies_in_the_users_state_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("UNABRIDGED_STATE", str(tmp_path / "named"))
    assert LearnedWindows().path == tmp_path / "named" / "windows.json"
    monkeypatch.delenv("UNABRIDGED_STATE")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "xdg"))
    assert LearnedWindows().path == tmp_path / "xdg" / "unabridged" / "windows.json"
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert LearnedWindows().path == tmp_path / ".local" / "state" / "unabridged" / "windows.json"


def test_the_file_is_json_that_a_person_can_read(path: Path) -> None:
    windows(path).learn("m", SERVER, 8_000)

    assert json.loads(path.read_text()) == {
        "version": 1,
        "windows": [
            {"model": "m", "endpoint": "127.0.0.1:11434", "tokens": 8_000, "seen": "2026-11-30T12:00:05Z"},
        ],
    }
    assert len(path.read_text().splitlines()) > 5
