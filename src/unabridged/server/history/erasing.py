"""A session is erased: its turns are stopped first, then all that it has goes, on disk too."""

from __future__ import annotations

import logging
import time

from unabridged.server.projects import Tenant
from unabridged.server.services import Services
from unabridged.server.tools.folders import erase_folder, session_folder

LOG = logging.getLogger("unabridged.server")
WAIT_S = 5.0
"""How long turns that run are waited for. One that does not end by then finds its session gone."""
LOOK_S = 0.05


def erase(services: Services, tenant: Tenant, id: str) -> None:
    """Erase a session, whoever works on it. Raises `NotFound`."""
    session = tenant.sessions.open(id)
    ends = time.monotonic() + WAIT_S
    for number in services.turns.running(session):
        services.turns.stop(tenant, id, number)
    while services.turns.running(session) and time.monotonic() < ends:
        time.sleep(LOOK_S)
    tenant.sessions.erase(id)
    try:
        erase_folder(session_folder(services.config.data, tenant.project, id))
    except OSError as error:  # the session is gone, and whoever asked can do nothing about the disk
        LOG.error("the folder of an erased session could not be erased: %s", error)
