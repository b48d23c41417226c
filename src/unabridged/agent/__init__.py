"""A coding agent that does not forget: a loop over the engine, with tools and permissions; its transcript stays whole.

    transcript ─▶ fit ─▶ model ─▶ append ─▶ permissions ─▶ tools ─▶ append ─▶ fit ...

`tool.py` says what a tool is, `access.py` what it may touch, `events.py` what is told to whoever watches.
"""
