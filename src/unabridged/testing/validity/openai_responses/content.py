"""OpenAI Responses: the content of a message item, and what a call gave back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unabridged.testing.validity.violation import Json, Violation, as_list, as_object, kind_of

_SAID = ("output_text", "refusal")
_GIVEN = ("input_text", "input_image", "input_file", "scoped_content", "input_audio")
_RETURNED = ("input_text", "input_image", "input_file")
_KNOWN = (
    "input_text",
    "input_image",
    "input_audio",
    "output_text",
    "refusal",
    "input_file",
    "computer_screenshot",
    "summary_text",
    "encrypted_content",
)
_HOLDS = {"input_text": "text", "output_text": "text", "refusal": "refusal", "input_audio": "input_audio"}
_ONE_OF = {"input_image": ("image_url", "file_id"), "input_file": ("file_data", "file_url", "file_id")}


def check_content(where: str, shown: str, role: str, item: Json) -> Iterator[Violation]:
    """Yield what is wrong with the content of a message."""
    content = item.get("content")
    if content is None:
        yield Violation("content_missing", f"{where}.content", f"Missing required parameter: '{shown}.content'.")
    elif not isinstance(content, str):
        allowed = _SAID if role == "assistant" else _GIVEN
        yield from _blocks(f"{where}.content", f"{shown}.content", content, allowed)


def check_output(where: str, shown: str, item: Json) -> Iterator[Violation]:
    """Yield what is wrong with the output of a call."""
    output = item.get("output")
    if output is None:
        yield Violation("output_missing", f"{where}.output", f"Missing required parameter: '{shown}.output'.")
    elif not isinstance(output, str):
        yield from _blocks(f"{where}.output", f"{shown}.output", output, _RETURNED)


def _blocks(where: str, shown: str, content: object, allowed: tuple[str, ...]) -> Iterator[Violation]:
    blocks = as_list(content)
    if blocks is None:
        says = f"expected one of a string or array of objects, but got {kind_of(content)} instead."
        yield Violation("content_not_text_or_blocks", where, f"Invalid type for '{shown}': {says}")
    for position, value in enumerate(blocks or ()):
        yield from _block(f"{where}.{position}", f"{shown}[{position}]", value, allowed)


def _block(where: str, shown: str, value: object, allowed: tuple[str, ...]) -> Iterator[Violation]:
    block = as_object(value) or {}
    kind = block.get("type")
    given = kind if isinstance(kind, str) else ""
    if given not in (*_KNOWN, *_GIVEN):
        yield Violation("block_kind_unknown", f"{where}.type", _unsupported(given, _KNOWN))
    elif given not in allowed:
        yield Violation("block_in_wrong_role", where, _unsupported(given, allowed))
    elif given in _HOLDS and block.get(_HOLDS[given]) is None:
        member = _HOLDS[given]
        yield Violation("block_malformed", f"{where}.{member}", f"Missing required parameter: '{shown}.{member}'.")
    elif given in _ONE_OF and all(block.get(member) is None for member in _ONE_OF[given]):
        member = _ONE_OF[given][0]
        yield Violation("block_malformed", f"{where}.{member}", f"Missing required parameter: '{shown}.{member}'.")


def _unsupported(given: str, supported: Sequence[str]) -> str:
    *before, last = (f"'{name}'" for name in supported)
    comma = "," if len(before) > 1 else ""
    return f"Invalid value: '{given}'. Supported values are: {', '.join(before)}{comma} and {last}."
