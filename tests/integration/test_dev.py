"""`./dev`, the Python that it sets up (stand-ins install nothing), and what a failing test says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]

STAND_IN = """#!/bin/sh
case "$0 $*" in */bin/*"$FAILING"*) exit 3 ;; esac
case $1 in
--version) echo "Python 3.VERSION.0" ;;
-c) case $2 in *version_info*) [ VERSION -ge 11 ] && [ VERSION -lt 15 ] ;; esac ;;
-m) case $2 in venv)
    mkdir -p "$3/bin"
    for name in python leafmark ruff mypy lint-imports; do cp "$0" "$3/bin/$name"; done ;;
esac ;;
esac
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """What `./dev` needs of a checkout, with stand-ins beside it."""
    if os.name == "nt":
        pytest.skip("./dev is a shell script")
    for name in ("dev", "constraints.txt", "pyproject.toml"):
        shutil.copy(CHECKOUT / name, tmp_path)
    for version in ("11", "14", "15"):
        stand_in = tmp_path / f"stand-in-{version}"
        stand_in.write_text(STAND_IN.replace("VERSION", version))
        stand_in.chmod(0o755)
    return tmp_path


def dev(
    copy: Path,
    python: str | None,
    path: str | None = None,
    arguments: Sequence[str] = ("run", "--version"),
    failing: str = "none of them",
) -> tuple[int, str, str]:
    """Return the exit code of `./dev`, its output, and what it said.

    A stand-in fails where its command line holds `failing`.
    """
    environment = {"PATH": path or os.environ["PATH"], "HOME": str(copy), "FAILING": failing}
    if python is not None:
        environment["LEAFMARK_PYTHON"] = str(copy / python)
    ran = subprocess.run(
        ["/bin/sh", str(copy / "dev"), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return ran.returncode, ran.stdout, ran.stderr


def test_another_python_that_is_named_is_set_up(copy: Path) -> None:
    set_up = "setting up .venv with Python 3.{}.0\n"
    assert dev(copy, "stand-in-11") == (0, "Python 3.11.0\n", set_up.format(11))
    assert dev(copy, "stand-in-14") == (0, "Python 3.14.0\n", set_up.format(14))
    assert dev(copy, "stand-in-14") == (0, "Python 3.14.0\n", "")
    assert dev(copy, None) == (0, "Python 3.14.0\n", "")


def test_a_python_that_the_parsers_have_no_wheels_for_is_not_taken(copy: Path) -> None:
    tools = copy / "tools"
    tools.mkdir()
    for tool in ("dirname", "locale", "cmp", "mktemp"):
        found = shutil.which(tool)
        if found is not None:
            (tools / tool).symlink_to(found)
    code, out, err = dev(copy, "stand-in-15", path=str(tools))
    assert (code, out) == (2, "")
    assert err == (
        "error: leafmark needs Python 3.11 to 3.14, and none was found on the PATH\n"
        "  hint: install it, or name it: LEAFMARK_PYTHON=/path/to/python3 ./dev run\n"
    )


@pytest.mark.parametrize(
    ("failing", "told"),
    [
        ("none of them", ""),
        ("ruff format", "== format"),
        ("ruff check", "== lint"),
        ("mypy", "above: types"),
        ("lint-imports", "above: types"),
        ("pytest tests/integration/cluster", "above: cluster"),
        ("pytest tests/integration --ignore", "above: command"),
        ("pytest tests/browser", "above: others"),
        ("pytest tests/unit", "above: inner"),
        ("pytest --ignore=tests/integration", "above: tests"),
        ("pytest", "above: tests cluster command others inner"),
    ],
)
def test_every_check_that_fails_fails_the_whole(copy: Path, failing: str, told: str) -> None:
    browser = copy / "tools" / "chromium"
    browser.parent.mkdir()
    browser.symlink_to("/bin/true")
    path = f"{browser.parent}{os.pathsep}{os.environ['PATH']}"
    code, _, err = dev(copy, "stand-in-14", path, ("test",), failing)
    assert (code != 0) is (told != "")
    assert err.rstrip().endswith(told or "rooms"), err


SLOW_PROPERTY = """
import time
from hypothesis import given, strategies as st
from hypothesis.internal.conjecture import engine

engine.MAX_SHRINKING_SECONDS /= 30  # of the suite's own

@given(st.lists(st.integers(0, 10**9), min_size=1))
def test_sums_are_small(numbers):
    time.sleep(0.3)
    assert sum(numbers) < 10**6
"""


def test_a_failing_example_is_told_before_the_time_is_over(tmp_path: Path) -> None:
    (tmp_path / "test_slow.py").write_text(SLOW_PROPERTY)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "conftest", "-o", "timeout=20", "test_slow.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT / "tests")},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 1
    assert "Failing test case: test_sums_are_small(" in ran.stdout
    assert "FAILED test_slow.py::test_sums_are_small - assert" in ran.stdout  # and nothing else
