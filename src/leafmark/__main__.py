"""The `leafmark` command."""

from __future__ import annotations

import sys
from typing import NoReturn

__all__ = ["main", "program"]

GARBAGE_THRESHOLD = 50_000
"""Allocations between two collections; starting makes many objects and hardly any garbage."""


def program() -> NoReturn:
    """Run the command and end the process at once: tearing the modules down takes a tenth of it."""
    import gc
    import os

    gc.set_threshold(GARBAGE_THRESHOLD, 20, 20)
    code = main()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):  # nobody reads any more, and that was told already
            continue
    os._exit(code)


def main() -> int:
    """Run the command of this process and return its exit code."""
    argv = sys.argv[1:]
    if argv in (["--version"], ["-V"]):
        return _print_version()
    try:
        import os

        from leafmark.cli.entry import run

        return run(argv, os.environ)
    except KeyboardInterrupt:
        # Pressed while the command was being loaded, or while its end was being told.
        print("interrupted", file=sys.stderr)
        return 130


def _print_version() -> int:
    """Print the version, importing nothing else of leafmark."""
    from leafmark import __version__

    try:
        print(f"leafmark {__version__}", flush=True)
    except OSError:
        # Nobody reads: closed, so that the interpreter does not try again on its way out.
        sys.stdout = None
    return 0


if __name__ == "__main__":
    program()
