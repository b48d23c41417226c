"""Reads trajectories of mini-swe-agent: a list of chat messages, since version 1 in a document with notes.

The first user message is the task. Every later one is what a command gave back, or how the agent asks for another
form of answer, unless the notes say that a person interrupted. Models that speak OpenAI Responses leave their answers
as they came: a list of items each. Format: `docs/v2_migration.md` of SWE-agent/mini-swe-agent.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from unabridged.errors import BadInput
from unabridged.importers.attached import Record
from unabridged.importers.chat_entries import asked, take
from unabridged.importers.detection import Head, document_of
from unabridged.importers.gathering import Gathering, conversations
from unabridged.importers.imported import Imported
from unabridged.importers.json_reading import Fields, decoded, fields_of, text_of
from unabridged.message import Origin
from unabridged.report import Usage
from unabridged.wire import wire
from unabridged.wire.json_text import JsonNode

FORMAT = "mini_swe_agent"

_RESPONSES = "openai_responses"
_OBSERVED = "<returncode>"
_INTERRUPTED = ("UserInterruption", "UserRejection", "UserNewTask")


class MiniSweAgent:
    """Trajectories of mini-swe-agent, `.traj.json`."""

    name = "mini-swe-agent trajectory"

    def recognises(self, head: Head) -> bool:
        """Tell by the name of the format, or by observations in a list of chat messages."""
        first = next(iter(head.objects), Fields())
        if text_of(first, "trajectory_format").startswith("mini-swe-agent"):
            return "messages" in first
        observed = (each for each in head.objects if text_of(each, "content").startswith(_OBSERVED))
        return text_of(first, "role") == "system" and any(text_of(each, "role") == "user" for each in observed)

    def read(self, data: bytes, name: str) -> Iterator[Imported]:
        """Give the one conversation of a trajectory."""
        document, gathering = document_of(data) or b"", Gathering()
        listed = decoded(document, list[msgspec.Raw])
        if listed is None:
            listed = decoded(fields_of(document).get("messages", msgspec.Raw()), list[msgspec.Raw]) or []
        for number, raw in enumerate(listed, 1):
            record = Record(FORMAT, str(raw, "utf-8"))
            try:
                known = _take(gathering, record)
            except BadInput as error:
                gathering.problems.append(f"message {number}: {error}")
                continue
            if not known:
                gathering.problems.append(f"message {number}: of no kind that is known")
            gathering.media |= record.intake.blobs
        return conversations([gathering], data, name)


def _take(gathering: Gathering, record: Record) -> bool:
    entry = record.node
    match entry.string("role") or entry.string("object") or entry.string("type"):
        case "response":
            _response(gathering, entry)
        case "function_call_output":
            _item(gathering, entry.source)
        case "exit":
            pass  # how the run ended: nobody was told
        case _:
            extra = entry.get("extra")
            response = None if extra is None else extra.get("response")
            model = "" if response is None else response.string("model")
            user, id = _origin_of(gathering, extra), entry.string("tool_call_id")
            known = take(gathering, record, user, id, model=model)
            usage = None if response is None else _usage(response, "openai_chat")
            if usage is not None and gathering.calls:
                gathering.used(max(gathering.calls), usage)
            return known
    return True


def _origin_of(gathering: Gathering, extra: JsonNode | None) -> Origin:
    interrupted = extra is not None and extra.string("interrupt_type") in _INTERRUPTED
    return Origin.TOOL_FEEDBACK if asked(gathering) and not interrupted else Origin.HUMAN


def _usage(response: JsonNode, dialect: str) -> Usage | None:
    usage = response.get("usage")
    figures = None if usage is None else decoded(usage.source.encode(), dict[str, object])
    return None if figures is None else wire(dialect).usage({"usage": figures})


def _response(gathering: Gathering, entry: JsonNode) -> None:
    output = entry.get("output")
    if output is not None and output.items():
        message, media = wire(_RESPONSES).read_message(output.source, id="an answer")
        gathering.answer(message, model=entry.string("model"), usage=_usage(entry, _RESPONSES))
        gathering.media |= media


def _item(gathering: Gathering, source: str) -> None:
    message, media = wire(_RESPONSES).read_message(source, id="an item")
    gathering.add(message)
    gathering.media |= media
