"""Settings of the agent: what was given on the command line, else the user's own file, else what is usual.

Nothing is read from the folder that is worked in: neither a `.env` nor settings of a project can say where requests go,
with which key, or what is allowed.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Literal

import msgspec

from unabridged.errors import BadInput, BadSetting
from unabridged.folders import config_folder
from unabridged.policy import Policy

FILE = "agent.toml"
Mode = Literal["plan", "ask", "accept-edits", "auto"]


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How an agent works."""

    model: str = ""
    """As its provider names it; "" takes the one that `unabridged models` would choose."""
    provider: str | None = None
    base_url: str | None = None
    window: int | None = None
    """Tokens, where it is known better than the registry does."""
    summary_model: str = ""
    """Sums up what leaves the view; "" is the model itself."""
    strategy: Literal["trim", "summarize"] = "summarize"
    threshold: float = 0.8
    max_steps: int = 500
    token_budget: int | None = None
    """Input and output of one turn together."""
    mode: Mode = "ask"
    gate: bool = True
    """Remind the model once of tests, lint, types or a build that were asked for and not shown."""
    memory: Literal["session", "project", "off"] = "session"
    """What is told before the history; `project` adds what the last session in this folder came to."""
    web: bool = False
    """Offer a tool that reads pages."""
    network: bool = False
    """Let commands reach the network."""
    sandbox: Literal["auto", "bubblewrap", "landlock", "dangerously-none"] = "auto"
    allow: tuple[str, ...] = ()
    """Rules such as `shell(npm test *)`: what they name runs without a question."""
    deny: tuple[str, ...] = ()
    """Rules such as `read(secrets/**)`: what they name never runs."""
    add_dirs: tuple[str, ...] = ()
    """More folders to work in."""
    constitution: str = ""
    """A file whose text stands in the place of the first layer."""

    def __post_init__(self) -> None:
        if self.max_steps < 1:
            raise BadSetting("max_steps", self.max_steps, "give at least 1")
        if self.token_budget is not None and self.token_budget < 1:
            raise BadSetting("token_budget", self.token_budget, "give a number of tokens, or leave it out")
        self.policy()

    def policy(self) -> Policy:
        """Give the policy of its conversations. Raises `BadSetting`."""
        return Policy(
            strategy=self.strategy,
            threshold=self.threshold,
            fold_in_turn=True,
            archive_to_memory=True,
            summary_model=self.summary_model or None,
        )


def settings_of(path: Path | None = None, **given: object) -> Settings:
    """Give the settings: `given` ones that are not None win over those of the user's file.

    Raises `BadInput` for a file that cannot be read or names something that is no setting.
    """
    file = path if path is not None else config_folder() / FILE
    written = _read(file)
    chosen = {name: value for name, value in given.items() if value is not None}
    try:
        return msgspec.convert({**written, **chosen}, Settings)
    except msgspec.ValidationError as error:
        known = ", ".join(field.name for field in msgspec.structs.fields(Settings))
        raise BadInput(f"settings of the agent ({file}): {error}; known are {known}") from None


def _read(file: Path) -> dict[str, object]:
    try:
        with file.open("rb") as opened:
            return tomllib.load(opened)
    except FileNotFoundError:
        return {}
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise BadInput(f"the settings in {file} cannot be read: {error}") from None
