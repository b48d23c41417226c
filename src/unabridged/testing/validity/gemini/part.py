"""Gemini: the shape of one part, whose members may be written in camelCase or snake_case."""

from __future__ import annotations

import re
from collections.abc import Iterator

from unabridged.testing.validity.violation import Json, Violation, as_object

_DATA = frozenset(
    {
        "text",
        "inline_data",
        "file_data",
        "function_call",
        "function_response",
        "executable_code",
        "code_execution_result",
        "tool_call",
        "tool_response",
    }
)
"""Exactly one of these is in a part."""
_BESIDE = frozenset(
    {
        "thought",
        "thought_signature",
        "part_metadata",
        "media_resolution",
        "media_processing",
        "video_metadata",
        "audio_metadata",
        "document_metadata",
        "spreadsheet_metadata",
        "speech_metadata",
        "audio_transcription",
    }
)
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]*={0,2}")


def spelled(value: object) -> dict[str, object]:
    """Give the members of an object under their names in snake_case."""
    members = as_object(value) or {}
    return {re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", key): held for key, held in members.items()}


def check_part(where: str, shown: str, value: object) -> Iterator[Violation]:
    """Yield what is wrong with one part by itself."""
    if as_object(value) is None:
        says = f"Invalid value at '{shown}' (type.googleapis.com/google.ai.generativelanguage.v1beta.Part)"
        yield Violation("part_not_an_object", where, says)
        return
    part = {key: held for key, held in spelled(value).items() if held is not None}
    for member in part.keys() - _DATA - _BESIDE:
        says = f"Invalid JSON payload received. Unknown name \"{member}\" at '{shown}': Cannot find field."
        yield Violation("part_field_unknown", f"{where}.{member}", says)
    data = [key for key in part if key in _DATA]
    if not data:
        says = f"{shown}.data: required oneof field 'data' must have one initialized field\n"
        yield Violation("part_without_data", where, f"* GenerateContentRequest.{says}")
    elif len(data) > 1:
        says = f"Invalid value at '{shown}' (oneof), oneof field 'data' is already set. Cannot set '{data[1]}'"
        yield Violation("part_with_two_data", where, says)
    yield from _signature(where, shown, part.get("thought_signature"))
    yield from _call(where, shown, part)
    yield from _response(where, shown, part)
    yield from _media(where, shown, part)


def _signature(where: str, shown: str, value: object) -> Iterator[Violation]:
    if value is None or (isinstance(value, str) and _BASE64.fullmatch(value) and len(value.rstrip("=")) % 4 != 1):
        return
    says = f"Invalid value at '{shown}.thought_signature' (TYPE_BYTES), Base64 decoding failed for \"{value}\""
    yield Violation("signature_not_base64", f"{where}.thought_signature", says)


def _call(where: str, shown: str, part: Json) -> Iterator[Violation]:
    if "function_call" in part:
        call = spelled(part["function_call"])
        yield from _name(f"{where}.function_call", f"{shown}.function_call", call)
        yield from _struct(f"{where}.function_call", f"{shown}.function_call", "args", call.get("args"))


def _response(where: str, shown: str, part: Json) -> Iterator[Violation]:
    if "function_response" in part:
        response = spelled(part["function_response"])
        yield from _name(f"{where}.function_response", f"{shown}.function_response", response)
        given = response.get("response")
        yield from _struct(f"{where}.function_response", f"{shown}.function_response", "response", given)


def _name(where: str, shown: str, members: Json) -> Iterator[Violation]:
    if not isinstance(members.get("name"), str) or not members["name"]:
        says = f"* GenerateContentRequest.{shown}.name: Name cannot be empty.\n"
        yield Violation("name_empty", f"{where}.name", says)


def _struct(where: str, shown: str, member: str, value: object) -> Iterator[Violation]:
    if value is None or as_object(value) is not None:
        return
    if isinstance(value, list):
        says = f"Unknown name \"{member}\" at '{shown}': Proto field is not repeating, cannot start list."
        yield Violation("not_an_object", f"{where}.{member}", f"Invalid JSON payload received. {says}")
    else:
        says = f"Invalid value at '{shown}.{member}' (type.googleapis.com/google.protobuf.Struct)"
        yield Violation("not_an_object", f"{where}.{member}", says)


def _media(where: str, shown: str, part: Json) -> Iterator[Violation]:
    if "inline_data" in part:
        data = spelled(part["inline_data"]).get("data")
        if not isinstance(data, str) or not _BASE64.fullmatch("".join(data.split())):
            says = f"Invalid value at '{shown}.inline_data.data' (TYPE_BYTES), Base64 decoding failed"
            yield Violation("media_malformed", f"{where}.inline_data.data", says)
    elif "file_data" in part and not spelled(part["file_data"]).get("file_uri"):
        says = f"* GenerateContentRequest.{shown}.file_data.file_uri: file_uri must not be empty.\n"
        yield Violation("media_malformed", f"{where}.file_data.file_uri", says)
