"""Strategies for hypothesis: texts of every kind, messages and transcripts in each dialect, broken ones too.

    @given(transcripts("anthropic", most_tokens=800))
    def test_my_agent_goes_on_with_any_transcript(messages): ...

Few numbers are drawn for a message and a text is one of them, so that thousands are told in a minute and a failure
shrinks to the plainest conversation that still fails. Needs the extra `testing` (hypothesis).
"""

from __future__ import annotations

from unabridged.errors import BadInput

try:
    import hypothesis as _  # noqa: F401 (whether it is there is the question)
except ModuleNotFoundError as missing:
    raise BadInput("unabridged.testing.strategies needs hypothesis: pip install 'unabridged[testing]'") from missing

from unabridged.testing.strategies.faults import Fault, broken_transcripts
from unabridged.testing.strategies.telling import WHOLE_KINDS
from unabridged.testing.strategies.texts import texts
from unabridged.testing.strategies.transcripts import messages, transcripts

__all__ = ["WHOLE_KINDS", "Fault", "broken_transcripts", "messages", "texts", "transcripts"]
