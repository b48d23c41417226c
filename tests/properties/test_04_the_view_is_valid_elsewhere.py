"""Promise 4 for every dialect: whatever was said, with whomever, the next request is one that its provider accepts.

Stories are told in two dialects. Here they go on in the others: as they came, and retold in the provider's own form.
"""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.properties.events import Story
from tests.properties.script import Ask, Line, Script
from tests.properties.stories import stories
from unabridged import repair
from unabridged.engine import Engine
from unabridged.errors import BadInput, CannotFit
from unabridged.framing import frame_of
from unabridged.message import Message
from unabridged.policy import Policy
from unabridged.testing import violations
from unabridged.testing.forms import as_content, as_items
from unabridged.tokens import TokenCounter
from unabridged.tokens.estimate import EstimateCounter
from unabridged.transcript import Transcript
from unabridged.view import Cutter
from unabridged.wire import wire

COUNTER: TokenCounter = EstimateCounter()
MOST_STEPS = 12
DIALECTS = ("openai_responses", "gemini", "anthropic", "openai_chat")


@given(st.sampled_from(DIALECTS), st.booleans(), stories(most_events=14))
def test_every_request_is_valid_for_another_provider_too(dialect: str, retold: bool, story: Story) -> None:
    transcript = Transcript(counter=COUNTER)
    engine = Engine(transcript, dialect=dialect)
    limit: dict[str, Any] = {"max_tokens": 500} if dialect == "anthropic" else {}
    frame = frame_of(dialect, model="m", **limit)
    steps, kept = 0, set[str]()
    for move in Script(story).moves():
        if isinstance(move, Line):
            again = told_again(move, dialect, kept) if retold else None
            message, media = again or (move.message, move.media)
            kept |= {call.id for call in message.calls} if again is None else set()
            transcript.append(message, media=media)
        elif isinstance(move, Ask) and transcript.records and steps < MOST_STEPS:
            steps += 1
            try:
                fitted = engine.commit(engine.fit(frame, Policy(), window=min(story.window, 32_000)))
            except CannotFit:
                continue
            found = [one for one in violations(dialect, fitted.body()) if one.rule != "call_id_too_long"]
            assert found == []
            cutter = Cutter(wire(dialect), COUNTER, transcript.log.media)
            assert repair.mend(fitted.items, dialect, cutter) == (list(fitted.items), ())


def told_again(line: Line, dialect: str, kept: set[str]) -> tuple[Message, dict[str, bytes]] | None:
    """Give a message in another provider's form; None where that has no such message, or results whose calls stayed."""
    if line.raw is None or any(result.call_id in kept for result in line.message.results):
        return None
    body: Any = json.loads(line.raw)
    try:
        if dialect == "openai_responses":
            body = as_items(body, [], line.message.id)
        elif dialect == "gemini":
            body = as_content(body)
        else:
            return None
        return wire(dialect).read_message(json.dumps(body), id=line.message.id, origin=line.message.origin)
    except (BadInput, KeyError, TypeError, IndexError):
        return None
