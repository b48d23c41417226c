"""What an operator decides: where the database is, which models there are, how much is taken in. TOML, then flags.

    database = "postgresql://..."          # or a file; without it a file in the user's data folder

    [models.chat]
    model = "claude-sonnet-4-6"

    [models.fast]
    provider = "openai_chat"
    model = "qwen3"
    base_url = "http://gpu-1:8000/v1"
    api_key_env = "GPU_KEY"
    window = 32000

Projects choose among these models by name; where they are and what they are paid with stays here.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import msgspec

from unabridged.errors import BadInput, BadSetting

MEGABYTE = 1024 * 1024
LOG_LEVELS = ("debug", "info", "warning", "error")
_ORIGIN = re.compile(r"https?://[a-z0-9.-]+(:\d{1,5})?|https?://\[[0-9a-f:]+\](:\d{1,5})?")
_DAY_S = 86_400
_RANGES: tuple[tuple[str, float, float], ...] = (
    ("port", 0, 65_535),
    ("workers", 1, 256),
    ("max_body", 1_024, 1_024 * MEGABYTE),
    ("max_upload", 1_024, 1_024 * MEGABYTE),
    ("max_waiting", 0, 1_024 * 1_024 * MEGABYTE),
    ("upload_hours", 0, 24 * 365),
    ("frame_minutes", 0, 60 * 24 * 30),
    ("heartbeat_s", 0.1, _DAY_S),
    ("grace_s", 0, _DAY_S),
    ("turn_loops", 0, 256),
)


class ModelConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One model, as `models.connect` takes it."""

    model: str
    provider: str | None = None
    base_url: str | None = None
    api_key_env: str | None = None
    """The variable of the environment that holds the key; None: the provider's own."""
    window: int | None = None
    sees: bool | None = None
    """Whether it takes pictures; None: the registry says."""


class ServerConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that an operator decides."""

    database: str = ""
    """A file, `:memory:`, or a URL of PostgreSQL; "": a file in the user's data folder."""
    synchronous: str = "FULL"
    data: str = ""
    """The folder for what is no row: folders of sessions in which commands run. "": in the user's data folder."""
    models: dict[str, ModelConfig] = msgspec.field(default_factory=dict[str, ModelConfig])
    host: str = "127.0.0.1"
    port: int = 8484
    workers: int = 1
    """Processes that serve; more than one need a database that all of them reach."""
    cors: tuple[str, ...] = ()
    """Origins of pages that may ask, such as `https://app.example.com`; none by default."""
    hosts: tuple[str, ...] = ()
    """Names that this server is asked by, such as `chat.example.com` or `*.example.com`; none: by any."""
    open_metrics: bool = False
    """Whether `/metrics` is given to anybody; else only to who has a key of an admin."""
    max_body: int = 4 * MEGABYTE
    """Bytes of a request's body, uploads aside."""
    max_upload: int = 32 * MEGABYTE
    upload_hours: float = 24.0
    """How long an upload waits to be used in a message."""
    max_waiting: int = 512 * MEGABYTE
    """Bytes of uploads of one end user that wait to be used, at most."""
    frame_minutes: float = 10.0
    """How long the frames of a turn that has ended can be watched."""
    heartbeat_s: float = 15.0
    grace_s: float = 30.0
    """How long a server that is asked to end lets its turns come to theirs."""
    turn_loops: int | None = None
    """Threads that turns run in, so that no request of others waits for the database with them. 0: the server's own
    loop, which is twice as fast where the database is a file; None: 0 with SQLite, 2 with PostgreSQL."""
    command_tool: bool = True
    """Whether projects may turn on the tool that runs commands here."""
    command_network: bool = False
    """Whether those commands may reach the network where their project wants it: this machine's own ports as well."""
    private_urls: bool = False
    """Whether media may be fetched from addresses of this machine and its network."""
    json_logs: bool = False
    log_level: str = "info"
    """`debug`, `info`, `warning` or `error`. With `debug` a line may hold what a user wrote."""

    def __post_init__(self) -> None:
        for name, least, most in _RANGES:
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                raise BadSetting(name, value, f"give a number from {least:,} to {most:,}")
        for origin in self.cors:
            if origin != "*" and not _ORIGIN.fullmatch(origin):
                raise BadSetting("cors", origin, "give an origin: https://, a host, a port if it has one, and no path")
        if self.log_level not in LOG_LEVELS:
            raise BadSetting("log_level", self.log_level, f"give one of {', '.join(LOG_LEVELS)}")
        if self.workers > 1 and self.database == ":memory:":
            raise BadSetting("workers", self.workers, "a database in memory is one process's own: name a file or a URL")


def read_config(path: Path) -> ServerConfig:
    """Read a configuration. Raises `BadInput` with the name of what is wrong."""
    try:
        return msgspec.convert(tomllib.loads(path.read_text("utf-8")), type=ServerConfig)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise BadInput(f"the configuration {path} cannot be used: {error}") from None
