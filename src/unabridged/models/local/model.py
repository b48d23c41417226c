"""The local toy as a `Model`: the adapter for chat completions, and a server that lives as long as it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator

from unabridged.models.adapter import PATIENCE
from unabridged.models.local.server import USUAL, LocalServer
from unabridged.models.local.weights import SMOLLM2, Weights
from unabridged.models.model import Patience
from unabridged.models.openai_chat import OpenAIChatModel


class LocalModel(OpenAIChatModel):
    """A local model whose server runs. It counts exactly: the server renders a request as it would for an answer."""

    def __init__(self, server: LocalServer, *, patience: Patience = PATIENCE) -> None:
        super().__init__(
            server.weights.name,
            base_url=server.base_url,
            api_key=server.key,
            window=server.window,
            patience=patience,
        )
        # Its port is another one each time; what is learned of its counting holds for the next one as well.
        self.endpoint = f"local/{server.window}"
        self.remark = server.weights.remark
        """What it is good for, to be said where it is offered."""


@contextlib.asynccontextmanager
async def local_model(
    window: int = USUAL, *, weights: Weights = SMOLLM2, patience: Patience = PATIENCE
) -> AsyncGenerator[LocalModel]:
    """Run a local model for as long as the block lasts. `window` is in tokens, 512 to 8,192.

    Raises what `LocalServer` raises.
    """
    server = LocalServer(weights, window=window)
    starting = asyncio.ensure_future(asyncio.to_thread(server.__enter__))
    try:
        await asyncio.shield(starting)
        model = LocalModel(server, patience=patience)
        try:
            yield model
        finally:
            await model.close()
    finally:
        await asyncio.wait([starting])  # who gives up while it starts must not leave it running
        server.stop()
