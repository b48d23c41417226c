"""A session as a conversation: with the project's policy, its system text, its tools, and the model of the turn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from unabridged.archive import Archive, StoredShelf
from unabridged.conversation import Conversation
from unabridged.frame import Frame
from unabridged.framing import declared, frame_of
from unabridged.models.asker import Asker
from unabridged.server.limits import Meters
from unabridged.server.models import ModelShelf, Served
from unabridged.server.projects import Tenant
from unabridged.server.tools.toolset import Toolset, toolset_of
from unabridged.server.turns.asked import Asked
from unabridged.server.turns.metered import Metered
from unabridged.server.turns.recent import Opened
from unabridged.store import Session
from unabridged.summarizer import ModelSummarizer
from unabridged.transcript import Transcript
from unabridged.wire import request, wire

MOST_OUTPUT = 32_000
"""Tokens that are asked for where a provider demands a limit and nobody set one."""


class Talk(msgspec.Struct, frozen=True):
    """A conversation, ready for a turn."""

    conversation: Conversation
    tools: Toolset
    served: Served


def talk_of(
    tenant: Tenant, opened: Opened, asked: Asked, models: ModelShelf, meters: Meters, folder: Path | None
) -> Talk:
    """Open a session's conversation as it is stored now. `folder` is where its commands may run."""
    session = opened.session
    settings, served = tenant.settings, models.chosen(tenant.settings, asked.model)
    archive = _archive(tenant, session)
    tools = _tools(tenant, asked, archive, folder)
    frame = _frame(tenant, asked, served, tools)
    talk = opened.speaks(frame, asked.branch) or Conversation(
        frame=frame, log=Transcript(session.log, branch=asked.branch)
    )
    talk.frame, talk.policy, talk.window, talk.summarizer = frame, settings.policy, served.window, None
    talk.archive = archive
    if settings.policy.strategy == "summarize":
        own = models.get(settings.policy.summary_model) if settings.policy.summary_model else served
        asker = Asker(Metered(own.model, meters.counting(tenant, own.model.name)))
        talk.summarizer = ModelSummarizer(asker, window=own.window, model=own.name, sees=own.sees)
    metered = Metered(served.model, meters.counting(tenant, served.model.name, turns=1))
    return Talk(talk, tools, msgspec.structs.replace(served, model=metered))


def frame_before(tenant: Tenant, session: Session, models: ModelShelf) -> Frame:
    """Give what a first request of a session would carry beside its messages, commands left out."""
    asked = Asked()
    tools = _tools(tenant, asked, _archive(tenant, session), None)
    return _frame(tenant, asked, models.chosen(tenant.settings, None), tools)


def _archive(tenant: Tenant, session: Session) -> Archive | None:
    wanted = tenant.settings.policy.archive_to_memory
    return Archive(StoredShelf(session.database, session.key)) if wanted else None


def _tools(tenant: Tenant, asked: Asked, archive: Archive | None, folder: Path | None) -> Toolset:
    client = asked.tools if asked.tools is not None else tenant.settings.client_tools
    return toolset_of(tenant.settings, client, archive, folder)


def _frame(tenant: Tenant, asked: Asked, served: Served, tools: Toolset) -> Frame:
    model, settings = served.model, tenant.settings
    given: dict[str, Any] = {"tools": declared(model.dialect, tools.functions)} if tools.functions else {}
    frame = frame_of(model.dialect, model=model.name, system=settings.system or None, **given)
    most = asked.max_output_tokens or settings.max_output_tokens
    if most is None and model.dialect == "anthropic":  # it demands a limit: what is reserved for an answer anyway
        most = min(MOST_OUTPUT, served.window - int(served.window * settings.policy.threshold))
    if most is None:
        return frame
    if model.dialect == "openai_chat" and not model.endpoint:  # OpenAI's own has another name for it
        return request.with_field(frame, "max_completion_tokens", str(most))
    return wire(model.dialect).with_max_output(frame, most)
