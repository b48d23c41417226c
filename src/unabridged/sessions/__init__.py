"""Commands for stored sessions: list and search them, look at any step of the past, keep the store whole.

A shell over `store`, in the words of `replay`. Modules are imported by name, so that the command line starts without
them.
"""
