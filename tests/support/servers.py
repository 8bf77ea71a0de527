"""The servers, started as a user starts them."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["PATIENCE_S", "serving"]

PATIENCE_S = 60.0


@contextmanager
def serving(
    folder: Path, environment: dict[str, str], command: str, *options: str, told: str
) -> Iterator[str]:
    """Run a command that serves on a free port; give the address in its line, a pattern `told`."""
    with subprocess.Popen(
        [sys.executable, "-m", "leafmark", command, "--port", "0", *options],
        cwd=folder,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.fullmatch(told, line)
        assert found, line + process.stderr.read()
        try:
            yield found[1]
        finally:
            process.send_signal(signal.SIGINT)
            _, noise = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, noise) == (130, "interrupted\n")
