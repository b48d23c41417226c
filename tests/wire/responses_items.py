"""OpenAI Responses items as the provider, and others who speak Open Responses, might send them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.wire.odd_json import Verbatim, texts, values
from tests.wire.pieces import base64_texts, data_urls, ids, names, with_marks

item_ids = st.sampled_from([{}, {"id": "msg_1"}, {"id": "x"}])


def _block() -> st.SearchStrategy[Any]:
    urls = data_urls() | st.just("https://example.org/a.png")
    return st.one_of(
        with_marks({"type": "input_text", "text": texts}),
        with_marks({"type": "input_image", "image_url": urls, "detail": "auto"}),
        with_marks({"type": "input_image", "file_id": "file-1", "detail": "low"}),
        with_marks({"type": "input_file", "filename": "a.pdf", "file_data": data_urls() | base64_texts()}),
        with_marks({"type": "input_file", "file_url": "https://example.org/a.pdf"}),
        with_marks({"type": "input_file", "file_id": "file-1"}),
        with_marks({"type": "input_audio", "input_audio": with_marks({"data": base64_texts(), "format": "wav"})}),
        values,
    )


def _said() -> st.SearchStrategy[Any]:
    return st.one_of(
        with_marks({"type": "output_text", "text": texts, "annotations": st.just([])}),
        with_marks({"type": "refusal", "refusal": texts}),
        values,
    )


@st.composite
def _with_id(draw: st.DrawFn, members: dict[str, Any]) -> Any:
    return draw(with_marks(members | draw(item_ids)))


def _spoken() -> st.SearchStrategy[Any]:
    content = st.one_of(texts, st.lists(_block(), max_size=4), st.none())
    named = {"role": st.sampled_from(["user", "system", "developer"]), "content": content}
    return with_marks(named) | with_marks({**named, "type": "message"})


def _output() -> st.SearchStrategy[Any]:
    content = st.one_of(texts, st.lists(_block(), max_size=3), st.none())
    kinds = st.sampled_from(["function_call_output", "custom_tool_call_output"])
    return st.one_of(
        _with_id({"type": kinds, "call_id": ids, "output": content}),
        with_marks({"type": "computer_call_output", "call_id": ids, "output": values}),
        with_marks({"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": st.booleans()}),
    )


def _reasoning() -> st.SearchStrategy[Any]:
    summary = st.lists(with_marks({"type": "summary_text", "text": texts}), max_size=2)
    content = st.lists(with_marks({"type": "reasoning_text", "text": texts}), max_size=2)
    return st.one_of(
        _with_id({"type": "reasoning", "summary": summary, "encrypted_content": texts | st.none()}),
        _with_id({"type": "reasoning", "summary": summary, "content": content}),
    )


def _answer() -> st.SearchStrategy[Any]:
    written = texts | st.none() | st.just({"a": Verbatim("1.0e5")})
    said = st.lists(_said(), max_size=3) | texts
    return st.one_of(
        _with_id({"type": "message", "role": "assistant", "content": said, "phase": "commentary"}),
        with_marks({"role": "assistant", "content": texts}),
        _with_id({"type": "function_call", "call_id": ids, "name": names, "arguments": written}),
        _with_id({"type": "custom_tool_call", "call_id": ids, "name": names, "input": texts}),
        _with_id({"type": "web_search_call", "status": "completed", "action": values}),
        with_marks({"type": "item_reference", "id": "msg_2"}),
        with_marks({"id": "rs_2"}),
        with_marks({"type": "function_call", "name": values}),
    )


@st.composite
def _group(draw: st.DrawFn) -> list[Any]:
    return [*draw(st.lists(_reasoning(), max_size=2)), *draw(st.lists(_answer(), min_size=1, max_size=4))]


def openai_responses_message() -> st.SearchStrategy[Any]:
    """An item, or the items of one answer."""
    return st.one_of(_spoken(), _output(), _answer(), _reasoning(), _group())
