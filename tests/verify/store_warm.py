"""Loads what every agent needs before it says its first word. Agents are forks of a process that has imported this."""

from __future__ import annotations

import tests.verify.store_agent
import tests.verify.store_race
import unabridged.store.postgres
from unabridged.tokens import default_counter
from unabridged.wire import wire

__all__ = ["tests", "unabridged"]

default_counter().count("warm")
wire("openai_chat")
