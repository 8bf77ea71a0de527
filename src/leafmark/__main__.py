"""The `leafmark` command."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> int:
    """Run the command of this process; `--version` imports nothing else."""
    argv = sys.argv[1:]
    if argv in (["--version"], ["-V"]):
        from leafmark import __version__

        sys.stdout.write(f"leafmark {__version__}\n")
        return 0
    import os

    from leafmark.cli.entry import run

    return run(argv, os.environ)


if __name__ == "__main__":
    sys.exit(main())
