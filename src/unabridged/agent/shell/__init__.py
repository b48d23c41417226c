"""The shell tool: one command to its end, or in the background; nothing of it stays behind.

`shell.py` is the tool, `jobs.py` what runs in the background.
"""
