"""What only the provider that made it can read never goes to another one, whatever else is done to its message."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.scene import Scene
from unabridged.message import Media, MediaKind, Message, Opaque, Origin, Part, Raw, Reasoning, Role, Text, ToolCall
from unabridged.testing.notation import png, tokens
from unabridged.wire import wire

SIGNATURE = "signed-by-another-house"
SECRET = '{"type":"secret_item","data":"sealed-by-another-house"}'
FOREIGN = ("of_another_house", "anthropic", "openai_chat")
ANSWER: dict[str, Any] = {"role": "assistant", "content": [{"type": "text", "text": "One."}, {"type": "x"}]}
BODIES: dict[str, Any] = {"of_another_house": {}, "anthropic": ANSWER, "openai_chat": ANSWER}


def held_elsewhere(id: str, dialect: str, *parts: Part, role: Role = Role.ASSISTANT) -> Message:
    """A message that was held in a dialect, as its log keeps it."""
    origin = Origin.MODEL if role is Role.ASSISTANT else Origin.INJECTED
    return Message(id=id, role=role, parts=parts, origin=origin, raw=Raw(dialect, "{}"))


def sent(scene: Scene) -> str:
    return "".join(scene.fit().texts)


@pytest.mark.parametrize("dialect", ["anthropic", "openai_chat"])
def test_thoughts_of_another_house_are_left_out_when_a_picture_of_their_message_is_taken_out(dialect: str) -> None:
    scene = Scene("U:task", dialect=dialect, window=12_000)
    picture = Media(kind=MediaKind.IMAGE, mime="image/png", digest="p", width=2_000, height=2_000)
    drawn = held_elsewhere("drawn", "of_another_house", Reasoning("Hm.", SIGNATURE), Text("Drawn."), picture)
    scene.transcript.append(drawn, media={"p": png(2_000, 2_000)})
    scene.say("U:more:5.5k A:seen U:next")
    fitted = scene.fit()
    (item,) = (item for item in fitted.items if item.source == "drawn")
    assert item.changed
    assert item.message.text.startswith("Drawn.\n[context: an image")
    assert SIGNATURE not in sent(scene)


@pytest.mark.parametrize("dialect", ["anthropic", "openai_chat"])
def test_they_are_left_out_when_its_call_is_renamed(dialect: str) -> None:
    scene = Scene("U:task", dialect=dialect)
    other = "openai_chat" if dialect == "anthropic" else "anthropic"
    call = ToolCall("", "run", '{"path": "a.py"}')
    scene.transcript.append(held_elsewhere("asked", other, Reasoning("Hm.", SIGNATURE), Text("Look."), call))
    scene.say("U:next")
    assert '"run"' in sent(scene)
    assert SIGNATURE not in sent(scene)


@pytest.mark.parametrize("held", FOREIGN)
def test_an_item_in_system_text_is_only_named_when_that_takes_the_users_role(held: str) -> None:
    target = "openai_chat" if held == "anthropic" else "anthropic"
    scene = Scene("U:task", dialect=target)
    parts = (Text("Be brief."), Opaque("secret_item", SECRET), Media(kind=MediaKind.DOCUMENT, url="file-123"))
    scene.transcript.append(held_elsewhere("rules", held, *parts, role=Role.SYSTEM))
    scene.say("U:next")
    assert "Be brief." in sent(scene)
    assert "sealed-by-another-house" not in sent(scene)
    assert "file-123" not in sent(scene)
    assert "[context: secret_item, which only the provider that made it can read]" in sent(scene)


@pytest.mark.parametrize("held", FOREIGN)
def test_editing_a_message_does_not_make_it_the_next_providers_own(held: str) -> None:
    item = Opaque("x", '{"type": "x"}')
    message = Message(id="m", role=Role.ASSISTANT, parts=(Text("One."), item), raw=Raw(held, json.dumps(BODIES[held])))
    for home in ("anthropic", "openai_chat"):
        edited = wire(home).edit(message, [Text("Two."), item])
        assert edited.raw is not None
        assert edited.raw.dialect == held


def test_long_outputs_of_a_conversation_held_elsewhere_are_cut_and_nothing_sealed_gets_out() -> None:
    scene = Scene("U:task", window=8_000)
    call = ToolCall("c", "run", json.dumps({"content": tokens(5_000)}))
    scene.transcript.append(held_elsewhere("asked", "anthropic", Reasoning("Hm.", SIGNATURE), call))
    scene.say("T(c):5k A U:next")
    assert SIGNATURE not in sent(scene)
