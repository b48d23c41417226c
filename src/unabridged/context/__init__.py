"""The components of the MyCodeAgent articles, by their names, over the engine of this library.

    history = HistoryManager()
    summarize = create_summary_generator(llm.invoke)                   # or without one: then old messages are trimmed
    context = ContextEngine(prompts, tools=schemas, summary_generator=summarize)
    history.append_user("Fix the failing test.")
    context.compact_if_needed(history_manager=history)        # at the start of each step
    view = context.build_model_view(history_manager=history)
    answer = llm.invoke_raw(view.messages, tools=schemas)

Who comes from the articles ("Code Agent Anatomy" 09 and 12) finds every name and call here. What they decide, the
engine decides: nothing in this package counts, cuts or plans on its own. Where the articles' behaviour is not kept,
the docstring of the component says so and names the page of `docs/decisions/` with the reason; `docs/articles.md`
lists every fragment with its test.
"""

from __future__ import annotations

from unabridged.context.budget_policy import CompactDecision, ContextBudgetPolicy
from unabridged.context.compactor import ContextCompactor
from unabridged.context.engine import ContextEngine
from unabridged.context.history import HistoryManager, Round, RoundSegmenter
from unabridged.context.model_errors import ModelError, ModelErrorKind, classify_model_error
from unabridged.context.model_view import CompactInfo, ContextBuilder, ModelView
from unabridged.context.projection import MessageNormalizer, ProjectionBuilder, ProjectionResult
from unabridged.context.settings import ContextConfig
from unabridged.context.store import CompactStore
from unabridged.context.summary_generator import SummaryGenerator, create_summary_generator

__all__ = [
    "CompactDecision",
    "CompactInfo",
    "CompactStore",
    "ContextBudgetPolicy",
    "ContextBuilder",
    "ContextCompactor",
    "ContextConfig",
    "ContextEngine",
    "HistoryManager",
    "MessageNormalizer",
    "ModelError",
    "ModelErrorKind",
    "ModelView",
    "ProjectionBuilder",
    "ProjectionResult",
    "Round",
    "RoundSegmenter",
    "SummaryGenerator",
    "classify_model_error",
    "create_summary_generator",
]
