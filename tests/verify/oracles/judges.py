"""The oracles: parts of other projects that mend a history before it is sent. Each says what it would change in a view.

They are imported by name, since they are installed only where `make verify-oracles` runs them.
"""

from __future__ import annotations

import copy
import importlib
import logging
import os
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, Protocol

Json = Mapping[str, Any]


class Judge(Protocol):
    """Looks at the messages of a request."""

    @property
    def name(self) -> str:
        """What looks, and its release."""
        ...

    def would_change(self, messages: Sequence[Json]) -> str | None:
        """Say what it would change; None where it leaves all as it is."""
        ...


class PydanticAI:
    """`pydantic_ai.messages.repair_messages`: orphans dropped, dangling calls answered, neighbours merged.

    Merging is no change: its parts are compared, one after the other, whatever message they stand in.
    """

    def __init__(self) -> None:
        self._its = importlib.import_module("pydantic_ai.messages")
        self.name = f"pydantic-ai {version('pydantic-ai-slim')}, repair_messages"

    def would_change(self, messages: Sequence[Json]) -> str | None:
        """Say whether parts came, went or changed places."""
        came = self._history(messages)
        before = [part for message in came for part in message.parts]
        after = [part for message in self._its.repair_messages(came) for part in message.parts]
        if len(after) != len(before):
            return f"{len(before)} parts became {len(after)}"
        moved = [place for place, (old, new) in enumerate(zip(before, after, strict=True)) if old is not new]
        return f"part {moved[0]} is another" if moved else None

    def _history(self, messages: Sequence[Json]) -> list[Any]:
        names = {call["id"]: _name(call) for message in messages for call in message.get("tool_calls") or ()}
        return [self._message(message, names) for message in messages]

    def _message(self, message: Json, names: Mapping[str, str]) -> Any:
        its, content = self._its, _text(message["content"])
        match message["role"]:
            case "assistant":
                parts = [its.TextPart(content)] if content else []
                for call in message.get("tool_calls") or ():
                    parts.append(its.ToolCallPart(_name(call), _arguments(call), call["id"]))
                return its.ModelResponse(parts=parts)
            case "tool":
                id = message["tool_call_id"]
                part = its.ToolReturnPart(names.get(id, "unknown"), content, id)
            case "user":
                part = its.UserPromptPart(content)
            case _:
                part = its.SystemPromptPart(content)
        return its.ModelRequest(parts=[part])


class LiteLLM:
    """litellm's `sanitize_messages_for_tool_calling`: missing, orphaned and second results, and texts without text."""

    def __init__(self) -> None:
        os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it fetches a list of prices when it is imported
        logging.getLogger("LiteLLM").setLevel(logging.ERROR)  # it warns of each repair, those of spoilt views too
        litellm: Any = importlib.import_module("litellm")
        litellm.modify_params = True  # its switch for all of this
        factory = importlib.import_module("litellm.litellm_core_utils.prompt_templates.factory")
        self._sanitized = factory.sanitize_messages_for_tool_calling
        self.name = f"litellm {version('litellm')}, sanitize_messages_for_tool_calling"

    def would_change(self, messages: Sequence[Json]) -> str | None:
        """Say which message is the first that it would write otherwise."""
        after = list(self._sanitized(copy.deepcopy(list(messages))))
        for place, (old, new) in enumerate(zip(messages, after, strict=False)):
            if old != new:
                return f"message {place} is another: {new}"[:300]
        return None if len(after) == len(messages) else f"{len(messages)} messages became {len(after)}"


def _text(content: object) -> str:
    if isinstance(content, list):
        return "\n".join(str(block.get("text", "[picture]")) for block in content)
    return str(content or "")


def _name(call: Json) -> str:
    return (call.get("function") or call.get("custom") or {})["name"]


def _arguments(call: Json) -> str:
    inner = call.get("function") or call.get("custom") or {}
    return inner.get("arguments") or inner.get("input") or ""
