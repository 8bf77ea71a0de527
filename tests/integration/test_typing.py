"""A user's script, checked against the types that the package says: mypy checks it as our own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import playwright
import pytest

import leafmark

SCRIPT = Path(__file__).parent / "typed" / "user_script.py"


@pytest.mark.slow
def test_pyright_takes_a_users_script(tmp_path: Path) -> None:
    assert (Path(leafmark.__file__).parent / "py.typed").is_file()
    driver = Path(playwright.__file__).with_name("driver")  # which holds a Node.js
    search = os.pathsep.join([str(driver), os.environ["PATH"]])
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, str(SCRIPT)]
    environ = {**os.environ, "PATH": search, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    ran = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environ)
    assert ran.stdout == "0 errors, 0 warnings, 0 informations\n", ran.stdout + ran.stderr
