"""A user's script, checked against the types that the package says."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "typed" / "user_script.py"


@pytest.mark.slow
def test_mypy_takes_a_users_script_at_its_strictest(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path)]
    ran = subprocess.run(
        [*command, "--config-file", "", SCRIPT], capture_output=True, text=True, cwd=tmp_path
    )
    assert ran.stdout == "Success: no issues found in 1 source file\n"


@pytest.mark.slow
def test_pyright_takes_it_too(tmp_path: Path) -> None:
    pyright = shutil.which("pyright")
    if pyright is None:
        pytest.skip("pyright is not installed")
    python = ["--pythonpath", sys.executable]
    ran = subprocess.run([pyright, *python, SCRIPT], capture_output=True, text=True, cwd=tmp_path)
    assert "0 errors, 0 warnings" in ran.stdout
