"""A summary without a model: what can be taken from the messages by rules, as much of it as fits.

The user's words stand in it exactly; a chain of such summaries keeps them as they are.
"""

from __future__ import annotations

from unabridged.summarizer.fitting import fit
from unabridged.summarizer.gathering import gather
from unabridged.summarizer.merging import merge
from unabridged.summarizer.reading import read
from unabridged.summarizer.record import Record
from unabridged.summarizer.request import Summary, SummaryRequest
from unabridged.summarizer.writing import write

WHOLE_SHARE = 0.4
"""A person's message stands in full up to so many characters for each token of the limit."""
LEAST_WHOLE, MOST_WHOLE = 400, 4_000


class Extractive:
    """Sums up by rules: no model, no wait, the same text for the same messages."""

    async def summarize(self, request: SummaryRequest) -> Summary:
        """Give what `extract` gives."""
        return extract(request)


def extract(request: SummaryRequest) -> Summary:
    """Give a summary of at most `request.limit` tokens, made by rules. Never raises.

    What an earlier one said is carried over: lists are united, the newest wins. A text of another hand stands first, as
    it was, or its head and tail. The text is empty where the limit leaves no room for anything.
    """
    return Summary(text=write(fit(known(request), request.limit, request.counter)))


def known(request: SummaryRequest) -> Record:
    """Give all that is known without a model of the span and of what came before it."""
    before = read(request.previous or "")
    whole = min(MOST_WHOLE, max(LEAST_WHOLE, int(request.limit * WHOLE_SHARE)))
    after = gather(request.messages, media=request.media, task=request.task, before=before, whole=whole)
    return merge(before, after)
