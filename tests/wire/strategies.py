"""Messages as each provider might send them, written as oddly as JSON allows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tests.wire.gemini_contents import gemini_message
from tests.wire.odd_json import Verbatim, texts, values
from tests.wire.pieces import base64_texts, data_urls, ids, json_of, names, with_marks
from tests.wire.responses_items import openai_responses_message


def image_sources() -> st.SearchStrategy[Any]:
    mime = st.sampled_from(["image/png", "image/jpeg", "application/pdf"])
    return st.one_of(
        with_marks({"type": "base64", "media_type": mime, "data": base64_texts()}),
        with_marks({"type": "url", "url": "https://example.org/a.png"}),
        with_marks({"type": "file", "file_id": "file_1"}),
        with_marks({"type": "text", "media_type": "text/plain", "data": texts}),
    )


def anthropic_inner() -> st.SearchStrategy[Any]:
    return st.one_of(
        with_marks({"type": "text", "text": texts}),
        with_marks({"type": st.sampled_from(["image", "document"]), "source": image_sources()}),
        with_marks({"type": "tool_reference", "tool_name": names}),
        values,
    )


def anthropic_block() -> st.SearchStrategy[Any]:
    result = {"type": "tool_result", "tool_use_id": ids}
    return st.one_of(
        anthropic_inner(),
        with_marks({"type": "thinking", "thinking": texts, "signature": texts}),
        with_marks({"type": "redacted_thinking", "data": texts}),
        with_marks({"type": "tool_use", "id": ids, "name": names, "input": values}),
        with_marks(result),
        with_marks({**result, "content": texts, "is_error": st.booleans()}),
        with_marks({**result, "content": st.lists(anthropic_inner(), max_size=3)}),
        with_marks({"type": "server_tool_use", "id": ids, "name": "web_search", "input": values}),
        with_marks({"type": "web_search_tool_result", "tool_use_id": ids, "content": values}),
        with_marks({"type": "text", "text": values}),
    )


def anthropic_message() -> st.SearchStrategy[Any]:
    content = st.one_of(texts, st.lists(anthropic_block(), max_size=4))
    return with_marks({"role": st.sampled_from(["user", "assistant", "system"]), "content": content})


def openai_block() -> st.SearchStrategy[Any]:
    urls = data_urls() | st.just("https://example.org/a.png") | st.just("data:,hello")
    return st.one_of(
        with_marks({"type": "text", "text": texts}),
        with_marks({"type": "refusal", "refusal": texts}),
        with_marks({"type": "image_url", "image_url": with_marks({"url": urls, "detail": "low"}) | urls}),
        with_marks({"type": "input_audio", "input_audio": with_marks({"data": base64_texts(), "format": "wav"})}),
        with_marks(
            {"type": "file", "file": with_marks({"filename": "a.pdf", "file_data": data_urls() | base64_texts()})}
        ),
        with_marks({"type": "file", "file": with_marks({"file_id": "file-1"})}),
        with_marks({"type": "video_url", "video_url": {"url": "https://example.org/a.mp4"}}),
        values,
    )


def openai_content() -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), texts, st.lists(openai_block(), max_size=4))


def openai_call() -> st.SearchStrategy[Any]:
    arguments = texts | st.none() | st.just({"a": Verbatim("1.0e5")})
    function = with_marks({"name": names, "arguments": arguments})
    custom = with_marks({"name": names, "input": texts})
    return st.one_of(
        with_marks({"id": ids, "type": "function", "function": function, "index": 0}),
        with_marks({"id": ids, "type": "custom", "custom": custom}),
        values,
    )


@st.composite
def openai_message(draw: st.DrawFn) -> Any:
    role = draw(st.sampled_from(["system", "developer", "user", "assistant", "assistant", "tool", "function"]))
    members: dict[str, Any] = {"role": role, "content": openai_content()}
    if role == "tool":
        members["tool_call_id"] = ids
    elif role == "function":
        members["name"] = names
    elif role == "assistant":
        optional: dict[str, Callable[[], Any]] = {
            "reasoning_content": lambda: texts | st.none(),
            "reasoning": lambda: texts,
            "reasoning_details": lambda: st.lists(values, max_size=2),
            "refusal": lambda: texts | st.none(),
            "audio": lambda: st.none() | st.just({"id": "audio_1"}),
            "function_call": lambda: with_marks({"name": names, "arguments": texts}),
            "tool_calls": lambda: st.none() | st.lists(openai_call(), max_size=3),
        }
        members |= {key: optional[key]() for key in draw(st.sets(st.sampled_from(sorted(optional))))}
    return draw(with_marks(members))


MESSAGES = {
    "anthropic": json_of(anthropic_message()),
    "openai_chat": json_of(openai_message()),
    "openai_responses": json_of(openai_responses_message()),
    "gemini": json_of(gemini_message()),
}
"""One message as JSON text, by dialect."""
