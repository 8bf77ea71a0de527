"""The installed command, run for real in a home of its own."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.command import Leafmark, Ran, clean_environment
from support.forks import CAN_FORK, Forks, open_forks
from support.programs import IMPORTS, PROGRAM

collect_ignore = ["typed"]  # a program, which type checkers read


@pytest.fixture(scope="session")
def forks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forks | None]:
    """The command, loaded once for all that `leafmark` runs; None where no process forks."""
    if not CAN_FORK:
        yield None
        return
    with open_forks(IMPORTS, clean_environment(tmp_path_factory.mktemp("nobody"))) as forks:
        yield forks


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    return clean_environment(home)


@pytest.fixture
def leafmark(tmp_path: Path, environment: dict[str, str], forks: Forks | None) -> Leafmark:
    """Run `leafmark ARG…` in `cwd`, the test's `work` folder unless said.

    It is forked of one that was loaded already, unless variables say how Python starts.
    """
    (tmp_path / "work").mkdir(exist_ok=True)
    fresh = _fresh(tmp_path / "work", environment)

    def run(*args: str, cwd: Path = tmp_path / "work", stdin: str = "", **extra: str) -> Ran:
        if forks is None or any(name.startswith("PYTHON") for name in extra):
            return fresh(*args, cwd=cwd, stdin=stdin, **extra)
        done = forks.run(PROGRAM, args, stdin=stdin, cwd=cwd, environ=environment | extra)
        assert "Traceback" not in done.err, done.err
        return done

    return run


@pytest.fixture
def fresh_leafmark(tmp_path: Path, environment: dict[str, str]) -> Leafmark:
    """Start the command anew each time, as a user does: with its own imports and hashes."""
    (tmp_path / "work").mkdir(exist_ok=True)
    return _fresh(tmp_path / "work", environment)


def _fresh(work: Path, environment: dict[str, str]) -> Leafmark:
    def run(*args: str, cwd: Path = work, stdin: str = "", **extra: str) -> Ran:
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
