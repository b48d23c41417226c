"""The agent in a terminal.

    keys ─▶ front ─▶ desk ─▶ events ─▶ telling ─▶ screen

`front.py` decides what typed words mean, `telling.py` shows what happens, `screen.py` is what both draw on. What
is whole is printed and scrolls away with the rest; only what is still coming is drawn anew, in a few lines above the
input.
"""
