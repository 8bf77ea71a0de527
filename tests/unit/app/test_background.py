"""Work beside an answer, when the program ends before it does."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import threading
from leafmark.app.background import begin

begun = threading.Event()

def work():
    begun.set()
    threading.Event().wait(0.2)
    print("done", flush=True)

begin("model", work, waited_for={waited_for})
begun.wait()
"""


@pytest.mark.parametrize(("waited_for", "said"), [(True, "done\n"), (False, "")])
def test_the_end_of_the_program_waits(waited_for: bool, said: str) -> None:
    program = PROGRAM.format(waited_for=waited_for)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert (done.stdout, done.stderr) == (said, "")
