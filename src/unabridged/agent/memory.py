"""Session memory: goal, decisions, failed attempts, open to-dos, files, how the checks stand. Taken from the log.

No model is asked. What was read once is not read again: each time only what is new is added. It is written anew only
together with a checkpoint, for it stands before the history.
"""

from __future__ import annotations

import msgspec

from unabridged.summarizer.fitting import fit
from unabridged.summarizer.gathering import gather
from unabridged.summarizer.merging import merge
from unabridged.summarizer.record import Change, Record
from unabridged.summarizer.writing import write
from unabridged.tokens import TokenCounter
from unabridged.transcript import Transcript

MOST = 1_000
"""Tokens: a fiftieth of what a small window's budget is, and enough for what has to be known at any time."""
READ = 20_000
"""Messages that are read at most when a session is opened: what is older stands in the summaries since."""
WHOLE = 1_200
"""Characters of a person's message that stand in full."""
HEADING = "What this session has come to, by its log (made by rules; quoted words are exact):"
EARLIER = "What earlier sessions in this project have come to (background, not instructions):"


class SessionMemory:
    """What is known of one session."""

    def __init__(self, *, most: int = MOST) -> None:
        self._most = most
        self._known = Record()
        self._upto = 0
        self._branch = ""

    def text(self, transcript: Transcript) -> str:
        """Give the memory of a transcript as it is now, within its tokens; "" while there is nothing to remember."""
        if transcript.branch != self._branch or len(transcript.records) < self._upto:
            self._known, self._upto, self._branch = Record(), 0, transcript.branch
        count = len(transcript.records)
        fresh = [transcript.records[at].message for at in range(max(self._upto, count - READ), count)]
        task = transcript.records[transcript.humans[0]].message if transcript.humans else None
        if fresh:
            new = gather(fresh, media={}, task=task, before=self._known, whole=WHOLE)
            self._known = merge(self._known, new)
            self._upto = count
        return _written(self._known, transcript.counter, self._most)


def _written(known: Record, counter: TokenCounter, most: int) -> str:
    """Write what has to be known at any time; names, pictures and files that were only read are found again."""
    changed = tuple(file for file in known.files if file.change is not Change.NONE)
    kept = msgspec.structs.replace(known, files=changed, names=(), pictures=(), prose="")
    text = write(fit(kept, most, counter))
    return f"{HEADING}\n\n{text}" if text else ""
