"""The texts and media of Responses items and Gemini contents, whatever their kind: every string that a model reads.

What is sealed (`encrypted_content`, thought signatures) is left out: how much it weighs only the provider knows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Media = Callable[[Mapping[str, Any]], int]

SILENT = {
    *("type", "id", "status", "role", "phase", "detail", "server_label", "container_id", "annotations", "execution"),
    *("encrypted_content", "thoughtSignature", "thought_signature", "thought"),
    *("metadata", "internal_chat_message_metadata_passthrough"),
}
"""Members that are no text of the model's."""
WHOLE = {"args", "response", "tools", "action"}
"""Members whose JSON the model reads as it is."""
OUTPUT = {"output", "error", "context"}
"""Members of a function's response that are read as what the function gave back: as text, where they are text."""
FILES = ("inlineData", "inline_data", "fileData", "file_data")
PICTURES = ("input_image", "input_file", "computer_screenshot")


def texts_of(value: object, media: Media) -> Iterator[str | int]:
    """Give every text, and the price of every picture, document and recording."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from texts_of(each, media)
    elif isinstance(value, dict):
        yield from _members(value, media)


def _members(item: Mapping[str, Any], media: Media) -> Iterator[str | int]:
    if item.get("type") in PICTURES or any(isinstance(item.get(name), dict) for name in FILES):
        yield media(item)
        return
    for key, value in item.items():
        if key == "response" and isinstance(value, dict) and value.keys() <= OUTPUT:
            yield from texts_of(value, media)
        elif key in WHOLE:
            yield json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        elif key not in SILENT:
            yield from texts_of(value, media)
