"""The `leafmark` command."""

from __future__ import annotations

import sys
from typing import NoReturn, TextIO

GARBAGE_THRESHOLD = 50_000
"""Allocations between two garbage collections: a start makes many objects and little garbage."""


def program() -> NoReturn:
    """Run the command and end the process at once: tearing down the modules takes a tenth of it."""
    import gc
    import os

    gc.set_threshold(GARBAGE_THRESHOLD, 20, 20)
    _fill_descriptors()
    sys.stdout = _own_descriptor(sys.stdout)
    code = main()  # flushes the output
    try:
        if sys.stderr is not None:
            sys.stderr.flush()
    except (OSError, ValueError):  # the reader is gone, and the error was reported already
        pass
    os._exit(code)


def _fill_descriptors() -> None:
    """Occupy the numbers of closed streams, or one of our files gets what libraries print."""
    import os

    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _own_descriptor(stream: TextIO) -> TextIO:
    """Return standard output on a descriptor of its own; the usual one becomes standard error.

    Libraries that load models print messages there, from C as well, and from threads that end
    late: they must not mix with our data. A stream that is closed or not a file stays unchanged.
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
        # Pressed while the command was loading, or while its end was being reported.
        print("interrupted", file=sys.stderr)
        from leafmark.cli.console import INTERRUPTED

        return INTERRUPTED
    except Exception as error:
        # A bug, or no memory. Python's own exit code 1 would tell scripts that there is no result.
        from leafmark.errors import refusal_of

        known = refusal_of(error)
        if known is None:
            sys.excepthook(*sys.exc_info())
        else:
            print(f"error: {known.placed_message}", file=sys.stderr)
        return 2


def _print_version() -> int:
    """Print the version without importing anything else of leafmark."""
    from leafmark import __version__

    try:
        if sys.stdout is None:
            raise OSError(9, "it is closed")
        print(f"leafmark {__version__}", flush=True)
    except OSError as error:
        return _report_unprinted(error)
    return 0


def _report_unprinted(error: OSError) -> int:
    """Report why the version could not be printed, unless the reader is gone."""
    from contextlib import suppress

    from leafmark.cli.console import output_error
    from leafmark.render.terminal import PLAIN, render_error

    problem = output_error(error)
    if isinstance(problem, BrokenPipeError):
        return 0
    with suppress(OSError, AttributeError):  # standard error may be full or closed, too
        sys.stderr.write(render_error(problem, PLAIN))
    return problem.exit_code


if __name__ == "__main__":
    program()
