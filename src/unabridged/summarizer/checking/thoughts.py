"""Takes thoughts out of a text: models that think aloud put them before, or around, what they were asked for."""

from __future__ import annotations

import re

from unabridged.summarizer.elements import closed

_THOUGHTS = "think|thinking|thought|reasoning|analysis|scratchpad|reflection|inner_monologue"
# A tag in backticks is spoken of, not used.
_TAG = re.compile(rf"(?<!`)<(?P<closing>/?)(?P<name>{_THOUGHTS})\b[^>\n]{{0,100}}>", re.IGNORECASE)
_BRACKET = re.compile(r"(?<!`)\[(?P<closing>/?)(?P<name>THINK)\]")
_HARMONY = re.compile(r"<\|channel\|>\s*(?P<channel>\w+)[^<\n]{0,80}(?:<\|message\|>)?|<\|(?:end|return|call)\|>")
_HARMONY_MARKS = re.compile(r"<\|start\|>\s*\w*|<\|(?:message|end|return)\|>")


def without_thoughts(text: str) -> str:
    """Give a text without what a model thought aloud. Thoughts that it begins with and never ends leave nothing."""
    if "<|channel|>" in text:
        text = _final_channel(text)
    for tag in (_TAG, _BRACKET):
        text = _without(text, tag)
    return text


def _without(text: str, tag: re.Pattern[str]) -> str:
    kept: list[str] = []
    at = 0
    for start, end in closed(text, tag):
        kept.append(text[at:start])
        at = end
    rest = text[at:]
    lone = tag.search(rest)
    if lone is not None and not lone["closing"] and not "".join([*kept, rest[: lone.start()]]).strip():
        return ""
    if lone is not None and lone["closing"] and not "".join(kept).strip():
        # Some servers take the opening tag away with the prompt's end: all before a lone closing tag was thought.
        return rest[lone.end() :]
    return "".join([*kept, rest])


def _final_channel(text: str) -> str:
    """Give what was said on Harmony's channel for the user; all of it where no channel is named so."""
    marks = list(_HARMONY.finditer(text))
    if not marks:  # a mark that names no channel: nothing says what was thought
        return _HARMONY_MARKS.sub("", text)
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    said = [
        text[mark.end() if mark["channel"] == "final" else mark.start() : end]
        for mark, end in zip(marks, ends, strict=True)
        if mark["channel"] not in ("analysis", None)
    ]
    return _HARMONY_MARKS.sub("", "".join([text[: marks[0].start()], *said]))
