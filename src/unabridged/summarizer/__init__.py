"""Summaries of what leaves the view: by rules, or by a model whose answer is checked.

`extract(request)` sums up by rules. `await summarize_within(summarizer, request, 45)` asks a summarizer, within
a time, and never raises what it raises. `back_off(reports)` says whether it is too soon to ask again. How a summary is
shown to a model is `markers.archived`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from unabridged.summarizer.backoff import BackOff, back_off
from unabridged.summarizer.request import NoSummary, Summarizer, Summary, SummaryRequest, WhyNoSummary

if TYPE_CHECKING:
    from unabridged.summarizer.asking import Answer, Ask, Question
    from unabridged.summarizer.extractive import Extractive, extract
    from unabridged.summarizer.model_summarizer import ModelSummarizer
    from unabridged.summarizer.within import summarize_within

_HOME = {
    "Answer": "asking",
    "Ask": "asking",
    "Extractive": "extractive",
    "ModelSummarizer": "model_summarizer",
    "Question": "asking",
    "extract": "extractive",
    "summarize_within": "within",
}

__all__ = [
    "Answer",
    "Ask",
    "BackOff",
    "Extractive",
    "ModelSummarizer",
    "NoSummary",
    "Question",
    "Summarizer",
    "Summary",
    "SummaryRequest",
    "WhyNoSummary",
    "back_off",
    "extract",
    "summarize_within",
]


def __getattr__(name: str) -> object:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'unabridged.summarizer' has no attribute {name!r}")
    return getattr(import_module(f"unabridged.summarizer.{home}"), name)
