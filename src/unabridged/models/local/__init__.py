"""A toy model on this machine: real tokens, a real window, real refusals, and nothing to pay.

    unabridged models add smollm2

    async with local_model(window=2_048) as model:        # of unabridged.models.local.model
        async for event in model.stream(fitted.body()):
            ...

SmolLM2 has 135 million parameters. It answers in seconds on one core and is often wrong. It cannot summarize: asked
to, it repeats itself. It is there to see a window fill up, not to get work done.
"""
