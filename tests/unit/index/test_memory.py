"""Writing where the process may take little memory: the engine would end it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.indexes import contents, index

LIMITED = """
import resource, sys
from pathlib import Path
sys.path[:0] = [sys.argv[1]]
from leafmark.errors import StorageError
from support import indexes

resource.setrlimit(resource.RLIMIT_AS, (400_000_000, resource.RLIM_INFINITY))
try:
    indexes.index(Path(sys.argv[2]), {"b.md": "new\\n"})
except StorageError as err:
    print(err.message, err.hint, sep="\\n")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited otherwise, or not at all")
def test_too_little_memory_is_an_error_and_no_abort(tmp_path: Path) -> None:
    index(tmp_path, {"a.md": "old\n"})
    before = contents(tmp_path)
    tests = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, tests, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    assert done.stdout == (
        "cannot write the index: 400 MB of memory are allowed\n"
        "allow 600 MB or more: `ulimit -v unlimited`\n"
    )
    assert contents(tmp_path) == before
