"""What the routes work with, put together once for a process."""

from __future__ import annotations

import msgspec

from unabridged.server.config import ServerConfig
from unabridged.server.ending import Ending
from unabridged.server.keys import Keys
from unabridged.server.limits import Meters
from unabridged.server.media.taking import MediaIntake
from unabridged.server.metrics import Metrics
from unabridged.server.models import ModelShelf
from unabridged.server.projects import Projects
from unabridged.server.readiness import Readiness
from unabridged.server.turns.turns import Turns
from unabridged.store import Store


class Services(msgspec.Struct, frozen=True, kw_only=True):
    """All of it."""

    config: ServerConfig
    store: Store
    keys: Keys
    projects: Projects
    meters: Meters
    models: ModelShelf
    media: MediaIntake
    turns: Turns
    metrics: Metrics
    ending: Ending
    readiness: Readiness
