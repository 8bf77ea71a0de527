"""One module for each command: what it accepts, and `run`: one use case, rendered.

Nothing but the tables is imported at the top of these modules: `--help` must not
pay for the engine.
"""
