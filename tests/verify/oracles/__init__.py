"""Other projects' repairs as judges: of a valid view they have nothing to mend. `make verify-oracles`.

`views` makes views here and writes them as lines of JSON; the oracles read them in an environment of their own.
"""
