"""Replay: walks a recorded conversation and shows what a model would have been sent at every step, and why.

A shell over the engine: it holds no policy. `walk` gives one value for each model call; everything else here
shows these values. Modules are imported by name, so that the command line starts without the engine.
"""
