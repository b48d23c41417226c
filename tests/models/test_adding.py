"""Adding the weights of a local model: checked, whole or not there at all, and nothing done twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from tests.models.carried import BODY, WHEEL, index, weights, wheel, written
from unabridged.errors import BadInput
from unabridged.models.local import adding
from unabridged.models.local.adding import add_weights
from unabridged.models.local.weights import SMOLLM2, Weights, weights_of
from unabridged.testing.provider.serving import serving

PACKED = wheel()
TOY = weights(PACKED)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UNABRIDGED_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    for name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_CONSTRAINT", "PIP_FIND_LINKS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    return tmp_path / "models"


def left(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {".lock"}


def test_weights_are_taken_out_of_a_wheel(home: Path, tmp_path: Path) -> None:
    told: list[str] = []

    assert add_weights(TOY, wheel=written(tmp_path / "wheels", PACKED), say=told.append)
    assert TOY.file == home / "toy.gguf"
    assert TOY.file.read_bytes() == BODY
    assert TOY.is_there
    assert TOY.is_whole()
    assert told == [f"checking {WHEEL}"]
    assert left(home) == {"toy.gguf"}
    assert (tmp_path / "wheels" / WHEEL).exists()


def test_pip_downloads_them_without_what_the_package_needs(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path / "wheels", PACKED)
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))

    assert add_weights(TOY)
    assert TOY.file.read_bytes() == BODY
    assert left(home) == {"toy.gguf"}


def test_again_does_nothing(home: Path, tmp_path: Path) -> None:
    add_weights(TOY, wheel=written(tmp_path / "wheels", PACKED))
    before = TOY.file.stat()

    assert not add_weights(TOY)  # not even with nowhere to download from
    assert TOY.file.stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize("damage", [b"GGUF", BODY[:-1] + b"?"], ids=["short", "one byte"])
def test_weights_that_are_damaged_are_replaced(home: Path, tmp_path: Path, damage: bytes) -> None:
    home.mkdir()
    TOY.file.write_bytes(damage)

    assert add_weights(TOY, wheel=written(tmp_path / "wheels", PACKED))
    assert TOY.file.read_bytes() == BODY


def test_a_wheel_with_another_digest_is_not_used(home: Path, tmp_path: Path) -> None:
    other = written(tmp_path / "wheels", wheel(b"GGUF other"))

    with pytest.raises(BadInput, match=r"is not the toy-weights 1\.0 that was published: its SHA-256 is"):
        add_weights(TOY, wheel=other)
    assert left(home) == set()


def test_pip_refuses_a_wheel_with_another_digest(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path / "wheels", wheel(b"GGUF other"))
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))

    with pytest.raises(BadInput, match=r"pip could not download toy-weights==1\.0"):
        add_weights(TOY)
    assert left(home) == set()


def test_weights_inside_with_another_digest_are_not_used(home: Path, tmp_path: Path) -> None:
    expected = msgspec.structs.replace(TOY, sha256="0" * 64)

    with pytest.raises(BadInput, match=r"toy_weights/toy\.gguf is damaged"):
        add_weights(expected, wheel=written(tmp_path / "wheels", PACKED))
    assert left(home) == set()


@pytest.mark.parametrize("packed", [wheel(inside="toy_weights/another"), b"no archive"], ids=["another file", "no zip"])
def test_a_wheel_without_the_weights_is_named(home: Path, tmp_path: Path, packed: bytes) -> None:
    with pytest.raises(BadInput, match=r"does not hold toy_weights/toy\.gguf"):
        add_weights(weights(packed), wheel=written(tmp_path / "wheels", packed))
    assert left(home) == set()


def test_a_wheel_that_is_not_there_is_named(home: Path) -> None:
    with pytest.raises(BadInput, match=r"nowhere\.whl cannot be read"):
        add_weights(TOY, wheel=Path("nowhere.whl"))


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("UNABRIDGED_MODELS", str(tmp_path / "file" / "models"))

    with pytest.raises(BadInput, match="name another in UNABRIDGED_MODELS"):
        add_weights(TOY)


def test_a_python_without_pip_is_told_what_to_do(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adding.importlib.util, "find_spec", lambda name: None)

    with pytest.raises(BadInput, match=r"ensurepip.*uv pip install pip.*--wheel"):
        add_weights(TOY)
    assert left(home) == set()


# Where the tests run in the background of a shell, a signal to interrupt is ignored, and children inherit that.
ADD = """
import signal
import sys
import msgspec
from unabridged.models.local.adding import add_weights
from unabridged.models.local.weights import Weights
signal.signal(signal.SIGINT, signal.default_int_handler)
add_weights(msgspec.json.decode(sys.argv[1], type=Weights))
"""


def adding_from(url: str, toy: Weights) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PIP_INDEX_URL": url}
    del environment["PIP_NO_INDEX"]
    command = [sys.executable, "-c", ADD, msgspec.json.encode(toy).decode()]
    return subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, start_new_session=True)


def wait_for_a_part(folder: Path) -> None:
    deadline = time.monotonic() + 60
    while not any(path.stat().st_size > 50_000 for path in folder.rglob("*") if path.is_file()):
        assert time.monotonic() < deadline, "the download has not begun"
        time.sleep(0.02)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_who_is_stopped_while_it_downloads_leaves_nothing_half(home: Path, how: signal.Signals) -> None:
    with serving(index(PACKED, stop_after=700_000)) as url:
        stopped = adding_from(url, TOY)
        try:
            wait_for_a_part(home)
            assert not TOY.is_there
        finally:
            os.killpg(stopped.pid, how)
            stopped.wait(30)
    assert not TOY.file.exists()
    if how is signal.SIGINT:
        assert left(home) == set()

    with serving(index(PACKED)) as url:
        assert adding_from(url, TOY).wait(60) == 0
    assert TOY.is_whole()
    assert left(home) == {"toy.gguf"}


def test_two_that_add_at_once_both_have_it(home: Path) -> None:
    with serving(index(PACKED)) as url:
        both = [adding_from(url, TOY) for _ in range(2)]
        assert [process.wait(60) for process in both] == [0, 0]
    assert TOY.is_whole()
    assert left(home) == {"toy.gguf"}


def test_the_known_toy_is_pinned_and_others_are_named() -> None:
    assert weights_of(" SmolLM2 ") is SMOLLM2
    assert len(SMOLLM2.wheel_sha256) == len(SMOLLM2.sha256) == 64
    with pytest.raises(BadInput, match="no local model is called 'gpt-5': there is smollm2"):
        weights_of("gpt-5")


def test_weights_lie_in_the_users_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UNABRIDGED_MODELS", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert TOY.file == tmp_path / "unabridged" / "models" / "toy.gguf"
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert TOY.file == tmp_path / ".local" / "share" / "unabridged" / "models" / "toy.gguf"
