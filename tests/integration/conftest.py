"""The installed command, run for real in a home of its own."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.command import Leafmark, Ran, clean_environment


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    return clean_environment(home)


@pytest.fixture
def leafmark(tmp_path: Path, environment: dict[str, str]) -> Leafmark:
    """Run `leafmark ARG…` in `cwd`, the test's `work` folder unless said."""
    work = tmp_path / "work"
    work.mkdir()

    def run(*args: str, cwd: Path = work, stdin: str | None = None, **extra: str) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "leafmark", *args],
            cwd=cwd,
            env=environment | extra,
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Ran(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def work(tmp_path: Path, leafmark: Leafmark) -> Path:
    """The folder in which `leafmark` runs."""
    return tmp_path / "work"


@pytest.fixture
def handbook(tmp_path: Path) -> Path:
    """A copy of the folder that ships with the repository."""
    source = Path(__file__).parents[2] / "examples" / "handbook"
    target = tmp_path / "handbook"
    shutil.copytree(source, target)
    return target
