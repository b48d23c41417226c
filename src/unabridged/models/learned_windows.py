"""What providers' refusals taught of windows, kept for the next session: one small file for all processes.

    windows = LearnedWindows()
    windows.learn("qwen3:8b", "http://127.0.0.1:11434", 8_192)
    windows.find("qwen3:8b", "http://127.0.0.1:11434").tokens      # 8192, and no more than that ever again

Only the smallest limit is kept: a larger one was no limit when the smaller was met. Losing the file costs one refusal
each, so nothing here stops a turn: what cannot be read or written is said as a warning, and work goes on.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
import warnings
from collections.abc import Callable, Generator, Iterable
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from unabridged.budget import LEAST_WINDOW
from unabridged.folders import state_folder
from unabridged.models.endpoints import place_of

FILE = "windows.json"
VERSION = 1


class LearnedWindow(msgspec.Struct, frozen=True, kw_only=True):
    """The smallest limit that one model at one endpoint was seen to have."""

    model: str
    endpoint: str
    """Host, port and path. "" for the provider's own address."""
    tokens: int
    seen: str
    """When, as an ISO time in UTC."""


class _Kept(msgspec.Struct, frozen=True):
    version: int = VERSION
    windows: tuple[LearnedWindow, ...] = ()


class LearnedWindows:
    """The file of learned windows: that of the user, or another."""

    def __init__(self, path: Path | None = None, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self.path = path if path is not None else state_folder() / FILE
        self._now = now

    def all(self) -> tuple[LearnedWindow, ...]:
        """Give all that was learned, by model and endpoint."""
        kept = self._read()
        return () if kept is None else kept.windows

    def find(self, model: str, endpoint: str = "") -> LearnedWindow | None:
        """Give what was learned of a model at an endpoint; None for nothing."""
        place = place_of(endpoint)
        return next((each for each in self.all() if (each.model, each.endpoint) == (model, place)), None)

    def learn(self, model: str, endpoint: str, tokens: int) -> LearnedWindow | None:
        """Keep a limit that a refusal named, unless a smaller one is known; gives the one that holds.

        None for a number that is no window: below 1,000 tokens no conversation can be held.
        """
        if not model or tokens < LEAST_WINDOW:
            return None
        place = place_of(endpoint)
        new = LearnedWindow(model=model, endpoint=place, tokens=tokens, seen=f"{self._now():%Y-%m-%dT%H:%M:%SZ}")
        try:
            with self._locked():
                windows = {(each.model, each.endpoint): each for each in self._kept()}
                known = windows.get((model, place))
                if known is not None and known.tokens <= tokens:
                    return known
                self._write({**windows, (model, place): new}.values())
        except OSError as error:
            _warn(f"the window of {model} is not kept for the next session: {self.path}: {error.strerror or error}")
        return new

    def forget(self, model: str, endpoint: str | None = None) -> int:
        """Forget a model, at one endpoint or at all of them; gives how many limits are gone. Raises `OSError`."""
        place = None if endpoint is None else place_of(endpoint)
        if not self.path.exists():
            return 0
        with self._locked():
            windows = self._kept()
            left = [each for each in windows if each.model != model or place not in (None, each.endpoint)]
            if len(left) < len(windows):
                self._write(left)
        return len(windows) - len(left)

    def _read(self) -> _Kept | None:
        """Read the file; None, and a warning, where it cannot be read as one of ours."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return _Kept()
        except OSError as error:
            _warn(f"learned windows cannot be read: {self.path}: {error.strerror or error}")
            return None
        try:
            kept = msgspec.json.decode(data, type=_Kept)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            _warn(f"learned windows are damaged, and taken as none: {self.path}: {error}")
            return None
        if kept.version > VERSION:
            _warn(f"learned windows are of a newer version, and taken as none: {self.path}")
            return None
        return kept

    def _kept(self) -> tuple[LearnedWindow, ...]:
        """Read what is about to be replaced. A file that is not ours is put aside first: nothing is overwritten."""
        kept = self._read()
        if kept is None:
            os.replace(self.path, self.path.with_name(f"{self.path.name}.unreadable"))
            return ()
        return kept.windows

    def _write(self, windows: Iterable[LearnedWindow]) -> None:
        kept = sorted(windows, key=lambda each: (each.model, each.endpoint))
        data = msgspec.json.format(msgspec.json.encode(_Kept(windows=tuple(kept))), indent=1)
        handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data + b"\n")
            os.replace(name, self.path)
        except BaseException:  # also where somebody stops the process: no half file stays
            Path(name).unlink(missing_ok=True)
            raise

    @contextlib.contextmanager
    def _locked(self) -> Generator[None]:
        """Hold the lock of the file, so that two processes do not both read before either writes."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self.path.with_name(f"{self.path.name}.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # goes with the file, and with the process
            yield


def _warn(words: str) -> None:
    warnings.warn(words, RuntimeWarning, stacklevel=3)
