"""What a Gemini request holds beside its contents: as the REST interface has it, or in `config` as the SDK does."""

from __future__ import annotations

from collections.abc import Iterator

from unabridged.frame import Frame
from unabridged.wire import request
from unabridged.wire.gemini.members import items, member, name_in
from unabridged.wire.json_text import JsonNode, compact
from unabridged.wire.patching import apply

_SETTINGS = ("generationConfig", "generation_config", "config")
_SHAPES = ("responseSchema", "responseJsonSchema")


def max_output(frame: Frame) -> int | None:
    """Give the output limit that the frame asks for, in tokens."""
    for name in _SETTINGS:
        node = request.field(frame, name)
        limit = None if node is None else member(node, "maxOutputTokens")
        if limit is not None and isinstance(limit.value, float) and limit.value.is_integer():
            return int(limit.value)
    return None


def with_max_output(frame: Frame, tokens: int) -> Frame:
    """Give the frame with another output limit, in the field that it has."""
    names = [name for name in _SETTINGS if request.field(frame, name) is not None]
    for name in names:
        node = request.field(frame, name)
        if node is not None and (member(node, "maxOutputTokens") is not None or name == names[-1]):
            return request.with_field(frame, name, _with_limit(node, tokens))
    return request.with_field(frame, _SETTINGS[0], f'{{"maxOutputTokens":{tokens}}}')


def _with_limit(settings: JsonNode, tokens: int) -> str:
    if not isinstance(settings.value, dict):
        return f'{{"maxOutputTokens":{tokens}}}'
    return apply(settings.text, [settings.with_member(name_in(settings, "maxOutputTokens"), str(tokens))])


def texts(frame: Frame) -> Iterator[str]:
    """Give every text of the frame that the provider tokenizes: system text, declared functions, response schema."""
    outside = [node for name in ("systemInstruction", "system_instruction") if (node := request.field(frame, name))]
    settings = [node for name in _SETTINGS if (node := request.field(frame, name)) is not None]
    inside = [node for one in settings if (node := member(one, "systemInstruction")) is not None]
    for node in outside + inside:
        yield from _said(node)
    tools = request.field(frame, "tools")
    for tool in [
        *([] if tools is None else tools.items()),
        *(tool for one in settings for tool in items(one, "tools")),
    ]:
        declared = items(tool, "functionDeclarations")
        yield from (compact(function.source) for function in declared)
        if not declared:
            yield compact(tool.source)
    for one in settings:
        yield from (compact(shape.source) for name in _SHAPES if (shape := member(one, name)) is not None)


def _said(node: JsonNode) -> Iterator[str]:
    """Give the texts of a content, a part, a string, or a list of those: the SDK takes them all."""
    if isinstance(node.value, str):
        yield node.value
    elif isinstance(node.value, list):
        for item in node.items():
            yield from _said(item)
    else:
        text = node.get("text")
        if text is not None:
            yield from _said(text)
        for part in items(node, "parts"):
            yield from _said(part)
