"""Entries that look like OpenAI chat messages and carry an agent's notes besides: what they say, as parts."""

from __future__ import annotations

from unabridged.importers.attached import Record
from unabridged.importers.gathering import Gathering
from unabridged.message import Media, Opaque, Origin, Part, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.wire.json_text import JsonNode
from unabridged.wire.openai_chat.blocks import read_block
from unabridged.wire.splicing import Intake


def content(entry: JsonNode, intake: Intake, member: str = "content") -> tuple[Text | Media | Opaque, ...]:
    """Read content: a text or a list of blocks."""
    found = entry.get(member)
    if found is None:
        return ()
    if isinstance(found.value, str):
        return (Text(found.value),) if found.value else ()
    return tuple(read_block(block, intake) for block in found.items())


def calls(entry: JsonNode) -> list[ToolCall]:
    """Read calls; their arguments may be text that holds JSON or the JSON itself."""
    listed = entry.get("tool_calls")
    return [] if listed is None else [_call(call) for call in listed.items()]


def thoughts(entry: JsonNode) -> list[Part]:
    """Read a model's thoughts: Anthropic's blocks with their signature, or plain text."""
    blocks = entry.get("thinking_blocks")
    listed = [] if blocks is None else blocks.items()
    signed: list[Part] = [
        Reasoning(block.string("thinking"), block.string("signature") or block.string("data") or None,
                  redacted=block.string("type") == "redacted_thinking")
        for block in listed
    ]  # fmt: skip
    plain = entry.string("reasoning_content")
    return signed or ([Reasoning(plain)] if plain else [])


def take(gathering: Gathering, record: Record, user: Origin, call_id: str, *, model: str = "") -> bool:
    """Take an entry as a message; False for a role that is not known.

    Args:
        gathering: Where it goes. System text that leads is the frame's.
        record: The entry.
        user: Who made it if it has the user's role.
        call_id: The call that it answers if it is a result.
        model: Who answered if it is an answer.
    """
    entry, said = record.node, content(record.node, record.intake)
    match entry.string("role"):
        case "system" if not gathering.messages:
            gathering.system("\n".join(part.text for part in said if isinstance(part, Text)))
        case "system":
            gathering.add(record.message(Role.SYSTEM, said, Origin.INJECTED))
        case "user":
            gathering.add(record.message(Role.USER, said, user))
        case "assistant":
            said = said or content(entry, record.intake, "thought")
            parts: tuple[Part, ...] = (*thoughts(entry), *said, *calls(entry))
            gathering.answer(record.message(Role.ASSISTANT, parts, Origin.MODEL), model=model)
        case "tool":
            result = ToolResult(call_id, said)
            gathering.add(record.message(Role.TOOL, (result,), Origin.TOOL_FEEDBACK))
        case _:
            return False
    return True


def asked(gathering: Gathering) -> bool:
    """Tell whether the task has been set: what comes as the user's behind it is what commands gave back."""
    return any(message.origin is Origin.HUMAN for message in gathering.messages)


def _call(call: JsonNode) -> ToolCall:
    function = call.get("function")
    inner = call if function is None or isinstance(function.value, str) else function
    name = inner.string("name") or call.string("function")
    arguments = inner.get("arguments")
    text = "" if arguments is None else arguments.value if isinstance(arguments.value, str) else arguments.source
    return ToolCall(call.string("id"), name, text)
