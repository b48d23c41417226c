"""Recorded requests go on with every other provider, as it accepts them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator

import pytest

from tests.repair.crossing import ACROSS, Crossed
from tests.shared import DATA, needs_data
from tests.wire.test_recorded import recorded
from unabridged.message import Text
from unabridged.wire import wire


@needs_data
@pytest.mark.parametrize(("source", "target"), ACROSS)
def test_a_recorded_conversation_is_valid_for_another_provider(source: str, target: str) -> None:
    for body in recorded(source):
        Crossed(body, source, target)


def codex_items() -> Iterator[list[str]]:
    """The Responses items of each recorded session of a coding client."""
    for path in sorted((DATA / "codex-copilot-agentv").glob("*.codex.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            entries = [json.loads(line) for line in lines]
        yield [json.dumps(entry["payload"]) for entry in entries if entry.get("type") == "response_item"][:400]


@needs_data
@pytest.mark.parametrize("target", ["anthropic", "gemini", "openai_chat", "openai_responses"])
def test_a_long_session_of_items_is_valid_everywhere(target: str) -> None:
    for items in codex_items():
        body = f'{{"model":"m","input":[{",".join(items)}]}}'.encode()
        crossed = Crossed(body, "openai_responses", target)
        texts = {part.text for message in crossed.came for part in message.parts if isinstance(part, Text)}
        kept = wire(target).read_request(crossed.request(target), id_prefix="k")[1]
        assert texts <= {part.text for message in kept for part in message.parts if isinstance(part, Text)} | {""}
