"""Writes the views that the oracles are to look at: one a line, and how many there were as the last line.

They come of stories, broken ones too, and of recorded conversations, where there are any, in a small window. Only
conversations whose calls have ids of their own are taken: the oracles know no other.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from itertools import islice

from hypothesis import HealthCheck, Phase, given, settings

from tests.properties.events import Story
from tests.properties.stories import stories
from tests.properties.walking import walk as lived
from tests.verify.oracles.chat import chat_messages
from tests.verify.recorded import recorded
from unabridged.fitted import Fitted
from unabridged.importers import Imported
from unabridged.message import Message
from unabridged.policy import Policy
from unabridged.replay.walk import walk as walked

DIALECTS = ("openai_chat", "anthropic")
WINDOW = 8_000
"""Of recorded conversations."""
MOST = 12
"""Views of one conversation, the last among them."""

Told = tuple[str, str, list[Fitted]]
"""Name, dialect, views."""


def have_ids_of_their_own(messages: Sequence[Message]) -> bool:
    """Tell whether there are calls, and no two of them have the same id."""
    ids = [call.id for message in messages for call in message.calls]
    return bool(ids) and all(ids) and len(set(ids)) == len(ids)


def some(views: Sequence[Fitted]) -> list[Fitted]:
    """Give so many of the views, at even distances, and the last."""
    step = max(1, -(-len(views) // MOST))
    return [view for place, view in enumerate(reversed(views)) if place % step == 0]


def from_stories(number: int) -> Iterator[Told]:
    """Live through stories until so many conversations are there."""
    told: list[Told] = []

    @settings(
        max_examples=number * 3,
        phases=[Phase.generate],
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(stories())
    def tell(story: Story) -> None:
        if len(told) == number:
            return
        steps = list(lived(story))
        views = [step.fitted for step in steps if step.fitted is not None]
        if views and have_ids_of_their_own([line.message for line in steps[-1].lines]):
            told.append((f"story {len(told)}", story.dialect, some(views)))

    tell()
    yield from told


def from_recordings(number: int) -> Iterator[Told]:
    """Walk so many recorded conversations, of each file some."""
    found = (
        conversation
        for _, _, conversations in recorded()
        for conversation in islice(filter(is_taken, conversations), 25)
    )
    for conversation in islice(found, number):
        steps = walked(conversation, Policy(), window=WINDOW)
        views = [step.fitted for step in steps if step.fitted is not None]
        if views:
            yield conversation.name, conversation.dialect, some(views)


def is_taken(conversation: Imported) -> bool:
    """Tell whether the oracles can look at a conversation."""
    return conversation.dialect in DIALECTS and have_ids_of_their_own(conversation.messages)


def messages_of(view: Fitted) -> list[dict[str, object]]:
    """Give the messages of a request, those of its frame too."""
    return json.loads(view.body())["messages"]


def main() -> int:
    """Write the lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stories", type=int, default=300)
    parser.add_argument("--recorded", type=int, default=200)
    given = parser.parse_args()
    written = 0
    for source, conversations in (
        ("stories", from_stories(given.stories)),
        ("recorded", from_recordings(given.recorded)),
    ):
        for name, dialect, views in conversations:
            for view in views:
                line = {"source": source, "name": name, "messages": chat_messages(dialect, messages_of(view))}
                sys.stdout.write(json.dumps(line) + "\n")
                written += 1
    sys.stdout.write(json.dumps({"written": written}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
