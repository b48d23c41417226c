"""llama.cpp's own server with the weights of a local model, on loopback, for as long as a block lasts.

    with LocalServer(SMOLLM2, window=2_048) as server:
        client = OpenAI(base_url=server.base_url, api_key=server.key)

It runs in a process of its own: what crashes in it, or takes memory, ends with it, and an answer that is half-way does
not hold up the end. A key that is made for this one run keeps others on the machine out.
"""

from __future__ import annotations

import http.client
import importlib.util
import json
import secrets
import select
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from unabridged.errors import BadInput, BadSetting, UnabridgedError
from unabridged.models.local.weights import SMOLLM2, Weights
from unabridged.models.served import Props

INSTALL = "pip install 'unabridged[local]'"
START_S = 60.0
LEAST, MOST = 512, 8_192
USUAL = 2_048
"""Tokens; soon full, and answered in seconds."""
CHILD = Path(__file__).with_name("child.py")


class LocalServer:
    """A server of one local model; enter it to start it. `window` is what it is asked to have, in tokens.

    Raises `BadSetting` for a window that it cannot have, and on entering `BadInput` where the weights or the extra
    `local` are not installed, or the server does not start.
    """

    def __init__(self, weights: Weights = SMOLLM2, *, window: int = USUAL) -> None:
        if not LEAST <= window <= min(MOST, weights.window):
            raise BadSetting("window", window, f"{weights.title} takes {LEAST:,} to {min(MOST, weights.window):,}")
        self.weights = weights
        self.window = window
        """Tokens: as asked for, and once it runs, as the server itself says."""
        self.key = secrets.token_urlsafe(24)
        self.base_url = ""
        """Where OpenAI's API begins, once it runs."""
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        """Start it. Takes a second."""
        if not self.weights.is_there:
            raise BadInput(f"{self.weights.name} is not installed: `unabridged models add {self.weights.name}`")
        if importlib.util.find_spec("xllamacpp") is None:
            raise BadInput(f"a local model needs the extra `local`: {INSTALL}")
        command = [sys.executable, "-P", str(CHILD)]
        # In a session of its own: an interrupt from the keyboard is for the program, which then ends this one.
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        try:
            address = self._started(self._process)
            self.base_url = f"{address}/v1"
            self.window = self._window(address)
        except BaseException:  # nothing stays behind, also when somebody interrupts
            self.stop()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Stop it."""
        self.stop()

    def stop(self) -> None:
        """Stop it at once, whatever it is doing; again does nothing."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.communicate()

    def _started(self, process: subprocess.Popen[str]) -> str:
        assert process.stdin is not None
        assert process.stdout is not None
        order = {"file": str(self.weights.file), "name": self.weights.name, "key": self.key, "window": self.window}
        try:
            process.stdin.write(json.dumps(order) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            raise UnabridgedError("the local server ended before it began") from None
        deadline = time.monotonic() + START_S
        while select.select([process.stdout], [], [], max(0.0, deadline - time.monotonic()))[0]:
            line = process.stdout.readline()
            if not line:
                break
            if not line.startswith("{"):  # the runtime's own words
                continue
            said: dict[str, str] = json.loads(line)
            if "address" in said:
                return said["address"]
            raise BadInput(f"the local server does not start with {self.weights.file}: {said.get('error', line)}")
        raise UnabridgedError(f"the local server has not started in {START_S:g} s, or ended: is there memory for it?")

    def _window(self, address: str) -> int:
        """Ask the server for its window: it may have made another of what it was asked for."""
        connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=START_S)
        try:
            connection.request("GET", "/props", headers={"Authorization": f"Bearer {self.key}"})
            props = msgspec.json.decode(connection.getresponse().read(), type=Props)
        except (OSError, http.client.HTTPException, msgspec.DecodeError) as error:
            raise UnabridgedError(f"the local server does not say how large its window is: {error}") from error
        finally:
            connection.close()
        return props.default_generation_settings.n_ctx
