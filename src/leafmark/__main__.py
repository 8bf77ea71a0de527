"""The `leafmark` command."""

from __future__ import annotations

import sys
from typing import NoReturn, TextIO

GARBAGE_THRESHOLD = 50_000
"""Allocations between two collections; starting makes many objects and hardly any garbage."""


def program() -> NoReturn:
    """Run the command and end the process at once: tearing the modules down takes a tenth of it."""
    import gc
    import os

    gc.set_threshold(GARBAGE_THRESHOLD, 20, 20)
    _fill_descriptors()
    sys.stdout = _own_descriptor(sys.stdout)
    code = main()  # which has flushed the output
    try:
        if sys.stderr is not None:
            sys.stderr.flush()
    except (OSError, ValueError):  # nobody reads any more, and that was told already
        pass
    os._exit(code)


def _fill_descriptors() -> None:
    """Take the numbers of closed streams, or a file of ours gets one, and what libraries print."""
    import os

    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _own_descriptor(stream: TextIO) -> TextIO:
    """Return standard output by a descriptor of its own; the usual one is standard error now.

    Libraries that load models tell there what they do, from C as well, and from threads
    that end late: that is no data. A stream that is closed or no file stays as it is.
    """
    import os

    try:
        if stream.fileno() != 1:
            return stream
        copy = os.dup(1)
    except (AttributeError, OSError, ValueError):
        return stream
    try:
        os.dup2(2, 1)
    except OSError:  # it is closed
        os.close(copy)
        return stream
    buffering = 1 if stream.line_buffering else -1
    return open(copy, "w", buffering, stream.encoding, stream.errors)


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
        from leafmark.cli.console import INTERRUPTED

        return INTERRUPTED
    except Exception as error:
        # A bug, or no memory: by Python's own 1 scripts know that nothing was found.
        from leafmark.errors import refusal_of

        known = refusal_of(error)
        if known is None:
            sys.excepthook(*sys.exc_info())
        else:
            print(f"error: {known.placed_message}", file=sys.stderr)
        return 2


def _print_version() -> int:
    """Print the version, importing nothing else of leafmark."""
    from leafmark import __version__

    try:
        if sys.stdout is None:
            raise OSError(9, "it is closed")
        print(f"leafmark {__version__}", flush=True)
    except OSError as error:
        return _not_printed(error)
    return 0


def _not_printed(error: OSError) -> int:
    """Say why the version could not be printed, unless nobody reads."""
    from contextlib import suppress

    from leafmark.cli.console import undelivered
    from leafmark.render.terminal import PLAIN, render_error

    told = undelivered(error)
    if isinstance(told, BrokenPipeError):
        return 0
    with suppress(OSError, AttributeError):  # standard error may be full or closed, too
        sys.stderr.write(render_error(told, PLAIN))
    return told.exit_code


if __name__ == "__main__":
    program()
