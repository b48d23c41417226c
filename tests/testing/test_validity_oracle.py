"""The pairing rules against an oracle that counts by brute force, over conversations with messages moved about."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from unabridged.testing import violations

Json = dict[str, object]


class Said(NamedTuple):
    """One message: who speaks, and the ids that it calls (assistant) or answers (tool)."""

    who: str
    ids: tuple[str, ...] = ()
    words: bool = False
    """Plain text behind the calls or the results."""


@st.composite
def conversations(draw: st.DrawFn, *, together: bool) -> list[Said]:
    """A sound conversation; `together` puts the results of a batch in one message, or in several."""
    messages = [Said("user", words=True)]
    for step, size in enumerate(draw(st.lists(st.integers(0, 3), min_size=1, max_size=5))):
        ids = tuple(f"c{step}{number}" for number in range(size))
        if not ids:
            messages += [Said("assistant", words=True), Said("user", words=True)]
            continue
        messages.append(Said("assistant", ids, words=draw(st.booleans())))
        order = tuple(draw(st.permutations(ids)))
        split = draw(st.integers(1, size)) if together else 1
        messages += [Said("tool", order[at : at + split]) for at in range(0, size, split)]
        if draw(st.booleans()):
            messages.append(Said("assistant", words=True))
    return messages


@st.composite
def disturbed(draw: st.DrawFn, *, together: bool) -> list[Said]:
    """The same with up to three messages deleted, repeated elsewhere or moved."""
    messages = list(draw(conversations(together=together)))
    for _ in range(draw(st.integers(0, 3))):
        if not messages:
            break
        taken = draw(st.integers(0, len(messages) - 1))
        put = draw(st.integers(0, len(messages) - 1))
        match draw(st.sampled_from(["delete", "repeat", "move"])):
            case "delete":
                del messages[taken]
            case "repeat":
                messages.insert(put, messages[taken])
            case _:
                messages.insert(put, messages.pop(taken))
    return messages


def openai_chat(said: Said) -> Json:
    if said.who == "tool":
        return {"role": "tool", "tool_call_id": said.ids[0], "content": "ok"}
    message: Json = {"role": said.who, "content": "words" if said.words else ""}
    if said.ids:
        function = {"name": "ls", "arguments": "{}"}
        message["tool_calls"] = [{"id": id, "type": "function", "function": function} for id in said.ids]
    return message


def anthropic(said: Said) -> Json:
    role = "assistant" if said.who == "assistant" else "user"
    blocks: list[Json] = []
    for id in said.ids:
        if role == "user":
            blocks.append({"type": "tool_result", "tool_use_id": id, "content": "ok"})
        else:
            blocks.append({"type": "tool_use", "id": id, "name": "ls", "input": {}})
    if said.words:
        blocks.append({"type": "text", "text": "words"})
    return {"role": role, "content": blocks}


def openai_chat_is_broken(messages: list[Said]) -> bool:
    """Each block of a call with the tool messages behind it must balance by itself, and nothing else may hold one."""
    spelled = "".join(f"{said.who[0]}{','.join(said.ids)};" for said in messages)
    blocks = [block for block in spelled.replace("u;", "|u;|").replace("a", "|a").split("|") if block]
    for block in blocks:
        head, *results = block.rstrip(";").split(";")
        calls = [id for id in head[1:].split(",") if id] if head.startswith("a") else []
        answers = [result[1:] for result in ([head] if head.startswith("t") else []) + results]
        if any(calls.count(id) != 1 or answers.count(id) != 1 for id in calls + answers):
            return True
    return not messages


def anthropic_is_broken(messages: list[Said]) -> bool:
    """Number the turns, then ask of each id, one by one, where it is called and where it is answered."""
    if not messages or messages[0].who == "assistant":
        return True
    turns: list[tuple[str, str]] = []
    for said in messages:
        role = "A" if said.who == "assistant" else "U"
        marks = "".join(f"<{id}>" for id in said.ids) + ("w" if said.words else "")
        if turns and turns[-1][0] == role:
            turns[-1] = (role, turns[-1][1] + marks)
        else:
            turns.append((role, marks))
    for id in {id for said in messages for id in said.ids}:
        called = [at for at, (role, marks) in enumerate(turns) for _ in range(marks.count(f"<{id}>")) if role == "A"]
        answered = [at for at, (role, marks) in enumerate(turns) for _ in range(marks.count(f"<{id}>")) if role == "U"]
        if len(called) != 1 or answered != [called[0] + 1]:
            return True
    return any(role == "U" and "w<" in marks for role, marks in turns)


@given(disturbed(together=False))
def test_openai_chat_is_flagged_exactly_when_a_batch_does_not_balance(messages: list[Said]) -> None:
    found = violations("openai_chat", {"messages": [openai_chat(said) for said in messages]})
    assert bool(found) == openai_chat_is_broken(messages), found


@given(disturbed(together=True))
def test_anthropic_is_flagged_exactly_when_a_call_has_not_its_one_result_in_the_next_turn(messages: list[Said]) -> None:
    found = violations("anthropic", {"messages": [anthropic(said) for said in messages]})
    assert bool(found) == anthropic_is_broken(messages), found


@given(conversations(together=False))
def test_an_undisturbed_conversation_is_flagged_in_neither_dialect(messages: list[Said]) -> None:
    assert violations("openai_chat", {"messages": [openai_chat(said) for said in messages]}) == []
    assert violations("anthropic", {"messages": [anthropic(said) for said in messages]}) == []
