"""What holds a command, whatever it turns out to do: files outside the workspace, the network, secrets, other programs.

`sandbox.py` says what a sandbox is, `choosing.py` tries those that there are and takes the strongest that works.
`processes.py` is how a command starts and ends with all below it, `captured.py` how its output is kept.
"""
