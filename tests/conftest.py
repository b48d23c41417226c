"""What every test runs under: one async backend, and how hard hypothesis tries."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, Phase, settings

# No deadline, and slow data generation is no failure: the machine may be shared.
settings.register_profile("dev", max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
# The same examples in every run: CI says whether a change broke something, `make verify-promises` looks for more.
settings.register_profile("ci", settings.get_profile("dev"), max_examples=30, derandomize=True, print_blob=True)
examples = int(os.environ.get("UNABRIDGED_EXAMPLES") or 2_000)
settings.register_profile("verify", settings.get_profile("dev"), max_examples=examples, print_blob=True)
# A planted fault has to be seen, not explained: `make verify-planted`.
seen = (Phase.explicit, Phase.generate)
settings.register_profile("planted", settings.get_profile("verify"), phases=seen, database=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or "dev")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Async tests run on asyncio; nothing in the project uses another loop."""
    return "asyncio"
