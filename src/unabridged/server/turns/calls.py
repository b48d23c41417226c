"""The calls of a turn: those that run here, those that a client carries out, those that wait for their user's word."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.conversation import Conversation
from unabridged.message import Message, Origin, Role, Text, ToolCall, ToolResult
from unabridged.server.frames import ApprovalFrame, ToolOutputFrame, ToolResultFrame
from unabridged.server.problems import ApiError
from unabridged.server.tools.carrying import carry_out
from unabridged.server.tools.tool import Output, Place
from unabridged.server.turns.asked import Approval, Asked
from unabridged.server.turns.live import Live
from unabridged.server.turns.talking import Talk
from unabridged.store.recovery import NOTES, CallState, State, call_states, started
from unabridged.transcript import Transcript

SHOWN = 4_000
"""Characters of a result that its frame shows; all of it is in the messages."""
DECLINED = "[context: the user declined this call{why}. Do not make it again; do something else, or ask]"
UNKNOWN = "there is no tool called {name!r}: use one of those that you were given"
NOTHING = "(no output)"


class Waiting(msgspec.Struct, frozen=True):
    """Why a turn ends with open calls."""

    status: str
    calls: tuple[str, ...]


class Calls:
    """Carries out what it may of the open calls of a session."""

    def __init__(self, live: Live, talk: Talk) -> None:
        self._live = live
        self._talk = talk.conversation
        self._tools = talk.tools
        self._session = live.row.stored.session

    def give(self, asked: Asked, id: str) -> None:
        """Append the results that a client gave, unless an earlier worker did."""
        for nth, given in enumerate(asked.results):
            part = ToolResult(given.call_id, (Text(given.output or NOTHING),), given.is_error)
            message = Message(id=f"{id}.{nth}", role=Role.TOOL, parts=(part,), origin=Origin.TOOL_FEEDBACK)
            if message.id not in self._talk.transcript.position:
                self._talk.add(message)

    async def carry_out(self, approvals: Sequence[Approval] = ()) -> Waiting | None:
        """Carry out the open calls of the newest answer, in order; say what is left for others to do."""
        said = {each.call_id: each for each in approvals}
        open_ones = [each for each in call_states(self._talk.transcript) if each.state is not State.ANSWERED]
        clients = [each.call for each in open_ones if each.call.name in self._tools.client]
        asking: list[ToolCall] = []
        for each in open_ones:
            if each.call.name in self._tools.client:
                continue
            answer = self._without_running(each, said.get(each.call.id))
            if answer is not None:
                self._answer(each.call, answer)
            elif self._tools.own[each.call.name].asks and each.call.id not in said:
                asking.append(each.call)
            else:
                await self._run(each.message, each.call)
        for call in asking:
            says = self._tools.own[call.name].says(call.arguments)
            self._live.publish(ApprovalFrame(call_id=call.id, name=call.name, arguments=call.arguments, says=says))
        left = tuple(call.id for call in (*asking, *clients))
        if not left:
            return None
        return Waiting("awaiting_approval" if asking else "awaiting_tools", left)

    def _without_running(self, each: CallState, said: Approval | None) -> Output | None:
        """Give what stands for the result of a call that is not to run; None for one that may."""
        if each.state is State.INTERRUPTED:
            return Output(text=NOTES[State.INTERRUPTED], is_error=True)
        if each.call.name not in self._tools.own:
            return Output(text=UNKNOWN.format(name=each.call.name), is_error=True)
        if said is not None and not said.allow:
            return Output(text=DECLINED.format(why=f": {said.why}" if said.why else ""), is_error=True)
        return None

    async def _run(self, message: str, call: ToolCall) -> None:
        transcript = self._talk.transcript
        started(transcript.log, message, call.id, branch=transcript.branch)
        place = Place(
            project=self._live.row.project,
            session=self._session,
            talk=self._talk,
            say=lambda text: self._live.publish(ToolOutputFrame(call.id, text)),
        )
        self._answer(call, await carry_out(self._tools.own[call.name], call.arguments, place))

    def _answer(self, call: ToolCall, output: Output) -> None:
        text = output.text or NOTHING
        self._talk.result(call.id, text, is_error=output.is_error)
        self._live.publish(
            ToolResultFrame(
                call_id=call.id, name=call.name, is_error=output.is_error, text=text[:SHOWN], characters=len(text)
            )
        )


def refuse_unknown(talk: Transcript, asked: Asked) -> None:
    """Raise `ApiError` 422 for results and approvals of calls that are not open."""
    wanted = [*(each.call_id for each in asked.results), *(each.call_id for each in asked.approvals)]
    if not wanted:
        return
    there = [each.call.id for each in call_states(talk) if each.state is not State.ANSWERED]
    for id in wanted:
        if id not in there:
            said = f"no call {id!r} is open in this session: these are {', '.join(map(repr, there)) or 'none'}"
            raise ApiError(422, "unknown_call", said)
        there.remove(id)


def open_calls(talk: Conversation) -> bool:
    """Tell whether the newest answer has calls without a result."""
    return any(each.state is not State.ANSWERED for each in call_states(talk.transcript))
