"""Gemini contents as the provider, its SDKs and hand-written clients might send them."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import strategies as st

from tests.wire.odd_json import Pairs, Verbatim, texts, values
from tests.wire.pieces import base64_texts, names, with_marks

SIGNED: dict[str, st.SearchStrategy[Any]] = {
    "thoughtSignature": st.sampled_from(["c2lnbmVk", "", "skip_thought_signature_validator"])
}
some_ids = st.sampled_from([{}, {"id": "c1"}, {"id": ""}, {"id": "call-2"}])


def snake(value: Any) -> Any:
    """The same with every member in snake_case, but for what is the client's own."""
    if isinstance(value, Pairs):
        return Pairs((re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", key), _inside(key, v)) for key, v in value)
    return [snake(item) for item in value] if isinstance(value, list) else value


def _inside(key: str, value: Any) -> Any:
    return value if key in ("args", "response") else snake(value)


def _media() -> st.SearchStrategy[Any]:
    mime = st.sampled_from(["image/png", "audio/wav", "video/mp4", "application/pdf", ""])
    inline = with_marks({"mimeType": mime, "data": base64_texts()})
    linked = with_marks({"fileUri": "https://example.org/a.png", "mimeType": mime})
    return with_marks({"inlineData": inline}) | with_marks({"fileData": linked})


@st.composite
def _named(draw: st.DrawFn, kind: str, members: dict[str, Any]) -> Any:
    return draw(with_marks({kind: with_marks({"name": names, **members, **draw(some_ids)})}))


def _responses() -> st.SearchStrategy[Any]:
    context = st.lists(texts, max_size=2)
    return st.one_of(
        with_marks_alone({"output": texts}),
        with_marks_alone({"error": texts}),
        with_marks_alone({"result": texts}),
        with_marks_alone({"output": values}),
        with_marks_alone({"output": texts, "context": context}),
        st.dictionaries(texts, values, max_size=2),
    )


def with_marks_alone(members: dict[str, Any]) -> st.SearchStrategy[Any]:
    """What a function gave back: nobody adds members of their own to it."""
    return st.fixed_dictionaries(
        {key: value if isinstance(value, st.SearchStrategy) else st.just(value) for key, value in members.items()}
    )


def _part() -> st.SearchStrategy[Any]:
    return st.one_of(
        with_marks({"text": texts}),
        with_marks({"text": texts, **SIGNED}),
        with_marks({"text": texts, "thought": True}),
        with_marks({"text": texts, "thought": True, **SIGNED}),
        _media(),
        _named("functionCall", {"args": st.dictionaries(texts, values, max_size=2)}),
        _named("functionCall", {}),
        _named("functionResponse", {"response": _responses(), "parts": st.lists(_media(), max_size=2)}),
        _named("functionResponse", {"response": _responses()}),
        with_marks({"executableCode": with_marks({"language": "PYTHON", "code": texts}), **SIGNED}),
        with_marks({"codeExecutionResult": with_marks({"outcome": "OUTCOME_OK", "output": texts})}),
        values,
    )


@st.composite
def _signed_call(draw: st.DrawFn) -> Any:
    part = draw(_named("functionCall", {"args": st.just({"a": Verbatim("1.0e5")})}))
    return Pairs([*part, ("thoughtSignature", draw(SIGNED["thoughtSignature"]))])


@st.composite
def gemini_message(draw: st.DrawFn) -> Any:
    """A content, with its members in either spelling."""
    parts = draw(st.lists(_part() | _signed_call(), max_size=4))
    role = draw(st.sampled_from([{"role": "user"}, {"role": "model"}, {"role": "model"}, {"role": "function"}, {}]))
    content = draw(with_marks({**role, "parts": st.just(parts)}))
    return snake(content) if draw(st.booleans()) else content
