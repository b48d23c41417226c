"""A provider for tests: strict where a real one is. It counts, refuses, streams and reports as the four APIs do.

    provider = FakeProvider(Working(2, 1), window=32_000)
    with serving(provider) as url:                        # real HTTP on loopback
        client = openai.OpenAI(base_url=f"{url}/v1", api_key="none")

It is an ASGI application too, for clients that take one.
"""

from __future__ import annotations

from unabridged.testing.provider.app import FakeProvider, Refused, Served
from unabridged.testing.provider.serving import serving

__all__ = ["FakeProvider", "Refused", "Served", "serving"]
