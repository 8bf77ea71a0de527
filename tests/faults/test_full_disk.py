"""A disk that is really full: a small file system in memory, mounted for one process alone."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.faults import act_on_a_full_disk, prepare_place

ROOM = "24m"
FREE_KB = {"build": (0, 8), "update": (0, 8), "rebuild": (0,)}

RUN = """
import json, shutil, subprocess, sys
from pathlib import Path

sys.path[:0] = json.loads(sys.argv[1])
from support.faults import act_on_a_full_disk, prepare_place

place, scenario = sys.argv[2:4]
for free in json.loads(sys.argv[4]):
    prepare_place(place, scenario)
    print(free, act_on_a_full_disk(place, scenario, 1024 * free), flush=True)
    for path in Path(place).iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
"""

assert callable(act_on_a_full_disk)
assert callable(prepare_place)


def _mounted(place: Path, command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command for which a small file system is mounted at `place`, and for nothing else."""
    mount = 'mount -t tmpfs -o "size=$1,mode=700" none "$2" && shift 2 && exec "$@"'
    whole = ["unshare", "-Urm", "sh", "-c", mount, "sh", ROOM, str(place), *command]
    return subprocess.run(whole, capture_output=True, text=True)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    made = tmp_path / "disk"
    made.mkdir()
    if shutil.which("unshare") is None or _mounted(made, ["true"]).returncode:
        pytest.skip("no file system can be mounted here")
    return made


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("scenario", FREE_KB)
def test_a_run_on_a_full_disk_loses_nothing(place: Path, scenario: str) -> None:
    path = json.dumps([str(Path(__file__).parents[1])])
    free = json.dumps(FREE_KB[scenario])
    done = _mounted(place, [sys.executable, "-c", RUN, path, str(place), scenario, free])
    assert done.returncode == 0, done.stderr[-3000:]
    said = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    assert list(said) == [str(each) for each in FREE_KB[scenario]]
    assert said["0"].startswith("io:"), said
    assert "make room on the disk" in said["0"], said
