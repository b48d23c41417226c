"""What the loop says: to the model where something has to go on, and to the person where it cannot."""

from __future__ import annotations

from unabridged.agent.events import Ending
from unabridged.models.model import ModelError
from unabridged.models.overflow import ErrorKind

INTERRUPTED = "the user interrupted this turn"
CONTINUE = (
    "[context: your answer was cut off at the output limit. Go on exactly where it ended; do not begin again. If you "
    "were writing a call, make it with less at once]"
)
SAY_SOMETHING = "[context: your answer was empty. Go on with the task: make a call, or give the answer]"
SAYS_REPEATS = (
    "[context: this is the {times}th time that the same calls gave the same results. Repeating them will not help: try "
    "something else, or say what is in the way]"
)
_ADVICE = {
    ErrorKind.RATE_LIMIT: "wait a while and say `continue`, or choose another model",
    ErrorKind.CONTENT_FILTER: "the last message was taken back: say it in other words",
    ErrorKind.PAYLOAD: "what was too large was taken back: send less, or smaller pictures",
    ErrorKind.OVERFLOW: "use a model with a larger window, or begin with a smaller message",
    ErrorKind.OUTPUT_LIMIT: "ask for less output in the settings",
    ErrorKind.STRUCTURE: "the provider does not take this history: please report it, and go on in a new session",
}


def advice(error: ModelError) -> str:
    """Say what went wrong with a model, and what to do."""
    meaning = error.meaning
    if meaning.billing:
        return f"{error}: money is missing, or a plan is used up; look at the provider's console"
    if meaning.status in (401, 403):
        return f"{error}: look at the key, and at what it may use"
    remedy = _ADVICE.get(meaning.kind, "say `continue` to try again; what was done so far is kept")
    return f"{error}: {remedy}"


def ending_of(error: ModelError) -> Ending:
    """Say how a turn ends: the provider failed, or what it refused could not be made right."""
    mended = (ErrorKind.OVERFLOW, ErrorKind.OUTPUT_LIMIT)
    return Ending.RECOVERY_FAILED if error.meaning.kind in mended else Ending.MODEL_ERROR
