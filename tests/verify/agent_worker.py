"""A model for one long task: it changes many modules, one after the other, and looks again after whatever went wrong.

It knows how far it is, and reads in the results what came of each call, as a careful model does: a call that was
interrupted is looked into before it is made again.
"""

from __future__ import annotations

import json
from enum import Enum, auto
from typing import Any, cast

from unabridged.testing import Asked, Call, Reply

STEPS_EACH = 4
"""Of a module: read, edit, read again, run."""
SUMMARY = """## Completed goals
The modules are changed one after the other in the order of their numbers: each is read, changed, read again, and run.
What was changed so far was read again after it was changed, and the command of each module ended with exit code 0.
## Key decisions
The name that begins with old is replaced by the one that begins with new, and nothing else is changed in any module.
## Files read and modified
The modules whose numbers are lower than that of the one that is worked on now were read and modified.
## Open work
The modules that are left are to be changed in the same manner, until the last of them was changed and run.
## Facts and constraints
The user has said that forbidden.txt must never be touched, and that every module is to be run after its change.
"""


class Phase(Enum):
    """What is done to the present module next."""

    READ = auto()
    EDIT = auto()
    CHECK = auto()
    RUN = auto()


class Worker:
    """Works on modules `m000.py` to the last."""

    def __init__(self, modules: int) -> None:
        self.modules = modules
        self.at = 0
        self.phase = Phase.READ
        self.asked = 0
        """Requests of the task, without those for summaries."""
        self.repeated = 0
        """Calls that were made again."""
        self._waits = False

    def reply(self, asked: Asked) -> Reply:
        """Give the next step."""
        if "tools" not in asked.body:
            return Reply(text=SUMMARY)
        self.asked += 1
        if self._waits:
            self._read(last_result(asked))
        if self.at == self.modules:
            return Reply(text=f"All {self.modules} modules are changed and were run.")
        self._waits = True
        return Reply(text=f"Module {self.at:03}: {self.phase.name.lower()}.", calls=(self._call(),))

    def _call(self) -> Call:
        name = f"m{self.at:03}"
        match self.phase:
            case Phase.READ | Phase.CHECK:
                return Call("read", json.dumps({"path": f"{name}.py"}))
            case Phase.EDIT:
                edits = [{"old": f"def old_{self.at:03}(", "new": f"def new_{self.at:03}("}]
                return Call("edit", json.dumps({"path": f"{name}.py", "edits": edits}))
            case Phase.RUN:
                return Call("shell", json.dumps({"command": f"python3 {name}.py"}))

    def _read(self, result: str) -> None:
        """Look what came of the call before."""
        before = self.phase, self.at
        match self.phase:
            case Phase.READ | Phase.CHECK if f"def new_{self.at:03}(" in result:
                self.phase = Phase.RUN
            case Phase.READ if f"def old_{self.at:03}(" in result:
                self.phase = Phase.EDIT
            case Phase.EDIT:
                self.phase = Phase.CHECK if "[context: this call was" not in result else Phase.READ
            case Phase.RUN if f"ran {self.at:03}" in result and "[exit 0, " in result:
                self.phase, self.at = Phase.READ, self.at + 1
            case Phase.CHECK:
                self.phase = Phase.READ
            case _:
                pass
        self.repeated += before == (self.phase, self.at)


def last_result(asked: Asked) -> str:
    """Give the newest result that a request of chat completions shows."""
    messages = cast("list[dict[str, Any]]", asked.body["messages"])
    return next((str(message["content"]) for message in reversed(messages) if message.get("role") == "tool"), "")
