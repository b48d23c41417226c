"""Who may do what: rules, modes, and a person who is asked where they leave it open.

    Asked ─▶ accesses ─▶ rules of the user ─▶ mode ─▶ rules of the project (narrower only) ─▶ a person ─▶ Verdict

`gate.py` implements `access.Permissions`; `bash.py` says what a command line holds, `unwrapping.py` what it would run,
`readonly.py` what only looks. What they let through by mistake meets the sandbox.
"""
