"""What a person typed: a message's text without what clients wrap around it, and words given in answer to a tool."""

from __future__ import annotations

import re

from unabridged.message import Message
from unabridged.summarizer.elements import without
from unabridged.summarizer.gathering.steps import Step
from unabridged.summarizer.quoting import one_line

# Written by clients, not by people: Claude Code, Codex, Cline and Roo, Gemini CLI, Cursor.
_WRAPPERS = (
    "system-reminder|command-name|command-message|local-command-stdout|local-command-stderr|local-command-caveat"
    "|bash-stdout|bash-stderr|task-notification|user-prompt-submit-hook|session-start-hook|post-tool-use-hook"
    "|ide_opened_file|ide_selection|ide_diagnostics|new-diagnostics|environment_details|environment_context"
    "|user_instructions|permissions instructions|additional_data|attached_files|open_and_recently_viewed_files"
    "|user_info|INSTRUCTIONS|skill|turn_aborted|user_shell_command|subagent_notification"
)
_TAG = re.compile(rf"<(?P<closing>/?)(?P<name>{_WRAPPERS})\b[^>]{{0,200}}>")
_AROUND = re.compile(r"</?(?:command-args|user_query|user-message|user_message|bash-input|feedback)>")
_PLACEHOLDER = re.compile(r"^\[(?:Image|Pasted text|Request interrupted by user)[^\]\n]*\][ \t]*$", re.MULTILINE)
_ASKS = re.compile(r"ask_?(?:user|follow_?up)|followup_question|request_user_input|ask_?human|clarif", re.IGNORECASE)
_SAID = re.compile(r"the user (?:said|provided the following (?:reason|feedback)[^:\n]*):\s*", re.IGNORECASE)
LONGEST_ANSWER = 1_500


def typed(message: Message) -> str:
    """Give what a person typed in a message, exactly, without a client's wrapping and outer white space."""
    text = message.text
    if "<" in text:
        text = _AROUND.sub("", without(text, _TAG))
    if "[" in text:
        text = _PLACEHOLDER.sub("", text)
    return text.strip()


def told_to_a_tool(step: Step) -> str:
    """Give what a person said in answer to a call: the choice in a question, the reason why it was declined."""
    if step.outcome.label.startswith("declined"):
        reason = _SAID.search(step.text)
        return step.text[reason.end() :].strip()[:LONGEST_ANSWER] if reason else ""
    asked = _ASKS.search(step.call.name) is not None
    return one_line(step.text[:LONGEST_ANSWER]) if asked and step.answered and not step.outcome.failed else ""
