"""Turns: begun by a request, run apart from it, watched by whoever may."""
