"""Settings of a project: its policy, its models, its tools, its limits. camelCase in JSON; changed without a restart.

Every change makes a new version. What cannot work is refused with the name of the setting.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import msgspec

from unabridged.errors import BadInput, BadSetting
from unabridged.framing import Function
from unabridged.policy import Policy
from unabridged.server.tools.naming import check_tool, check_tools, size_of

PROJECT_POLICY = Policy(archive_to_memory=False, summarizer_timeout_s=45.0)
"""What a new project begins with: nothing is turned on that its owner did not choose."""
BUSY = ("wait", "refuse")
MOST = 2**53
"""What a limit may be at most: above it, a counter would no longer grow by 1."""
DEEPEST = 64
"""Objects and lists in a tool within each other; far more could not be read again wherever it is needed."""


class Limits(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True, omit_defaults=True):
    """How much may be used, by a project, a key or each end user. None: as much as one likes."""

    turns_per_minute: int | None = None
    tokens_per_day: int | None = None
    spend_per_day: float | None = None
    """US dollars; counted only where prices of the model are known."""

    def __post_init__(self) -> None:
        for name, value in msgspec.to_builtins(self).items():
            if value is not None and not 0 <= value <= MOST:
                raise BadSetting(name, value, f"give a number from 0 to {MOST:,}")


class ClientTool(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A tool that the client carries out. Its result comes with a next request."""

    name: str
    description: str = ""
    parameters: dict[str, Any] = msgspec.field(default_factory=lambda: {"type": "object", "properties": {}})

    def __post_init__(self) -> None:
        if _is_deeper(self.parameters, DEEPEST):
            raise BadSetting(f"tools.{self.name[:80]}.parameters", "deeper", f"nest them at most {DEEPEST} deep")
        check_tool(self.name, self.description, self.parameters)

    @property
    def function(self) -> Function:
        """Give it as a function that models can be told of."""
        return Function(self.name, self.description, self.parameters)


def check_together(tools: Sequence[ClientTool]) -> None:
    """Raise `BadSetting` for tools that cannot be offered together."""
    check_tools([(tool.name, size_of(tool.name, tool.description, tool.parameters)) for tool in tools])


class CommandTool(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Whether commands may be run on the server, in a sandbox, in a folder of the session's own."""

    enabled: bool = False
    approval: str = "always"
    """`always`: the end user is asked for each command; `never`: the sandbox is enough."""
    timeout_s: float = 60.0
    network: bool = False

    def __post_init__(self) -> None:
        if self.approval not in ("always", "never"):
            raise BadSetting("command.approval", self.approval, "give `always` or `never`")
        if not 0 < self.timeout_s <= 3_600:
            raise BadSetting("command.timeoutS", self.timeout_s, "give seconds, more than 0 and at most 3,600")


class ProjectSettings(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """All that a project decides."""

    policy: Policy = PROJECT_POLICY
    model: str | None = None
    """The model that answers, by the name that the server's configuration gives it; None: the server's first."""
    models: tuple[str, ...] | None = None
    """Models that a request may choose; None: only `model`."""
    system: str = ""
    """What every conversation is told first."""
    client_tools: tuple[ClientTool, ...] = ()
    command: CommandTool = CommandTool()
    busy: str = "wait"
    """What a turn does while another of its session runs: `wait` for it, or `refuse` (409)."""
    wait_s: float = 60.0
    """How long it waits at most."""
    stop_on_disconnect: bool = False
    """A turn is stopped when nobody watches it any more."""
    show_reasoning: bool = False
    max_steps: int = 50
    """Answers of the model in one turn, at most."""
    max_output_tokens: int | None = None
    limits: Limits = Limits()
    """Of the whole project."""
    user_limits: Limits = Limits()
    """Of each end user of it."""

    def __post_init__(self) -> None:
        if self.busy not in BUSY:
            raise BadSetting("busy", self.busy, f"known are {', '.join(BUSY)}")
        if not 0 <= self.wait_s <= 3_600:
            raise BadSetting("waitS", self.wait_s, "give seconds, at most 3,600")
        if not 1 <= self.max_steps <= 10_000:
            raise BadSetting("maxSteps", self.max_steps, "give a whole number of at least 1")
        if self.max_output_tokens is not None and self.max_output_tokens < 1:
            raise BadSetting("maxOutputTokens", self.max_output_tokens, "give a whole number of at least 1")
        check_together(self.client_tools)


def _is_deeper(value: Any, levels: int) -> bool:
    """Tell whether something is nested deeper than so many levels."""
    if not isinstance(value, dict | list):
        return False
    held = cast("dict[str, Any] | list[Any]", value)
    inner = list(held.values()) if isinstance(held, dict) else held
    return levels == 0 or any(_is_deeper(each, levels - 1) for each in inner)


def read_settings(text: str | bytes) -> ProjectSettings:
    """Read settings from JSON. What is not said is as a new project has it. Raises `BadInput` with the field's name."""
    try:
        raw = msgspec.json.decode(text, type=dict[str, Any])
        given = msgspec.convert(raw.get("policy", {}), type=dict[str, Any])
        policy: dict[str, Any] = {**msgspec.to_builtins(PROJECT_POLICY), **given}
        return msgspec.convert({**raw, "policy": policy}, type=ProjectSettings)
    except msgspec.ValidationError as error:
        cause = error.__cause__
        raise (cause if isinstance(cause, BadSetting) else BadInput(f"settings of the project: {error}")) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, TypeError) as error:
        raise BadInput(f"settings of the project cannot be read: {error}") from None


def written_settings(settings: ProjectSettings) -> bytes:
    """Give settings as JSON, every field said."""
    return msgspec.json.encode(settings)
