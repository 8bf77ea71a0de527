"""Kills from outside at random times, in rounds: nothing torn, nothing lost; marked `hours`."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from support.faults import check_after_kill, prepare_place
from support.forks import CAN_FORK, Forks, open_forks

ACT = "import sys; from support.faults import act; act(*sys.argv[1:])"
CHECK = "import sys; from support.faults import check_after_kill; check_after_kill(*sys.argv[1:])"
PREPARE = "import sys; from support.faults import prepare_place; prepare_place(*sys.argv[1:])"

ROUNDS = int(os.environ.get("LEAFMARK_KILLS", "250"))
"""For each of the four scenarios."""

RECORD = "LEAFMARK_KILLS_RECORD"
"""Where the counts go, one line of JSON for a scenario."""

assert callable(check_after_kill)
assert callable(prepare_place)


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    if not CAN_FORK:
        pytest.skip("this system has no forks")
    tests = str(Path(__file__).parents[1])
    names = (
        "import support.faults, leafmark.index.embedded.writer, leafmark.app.indexing.preparing;"
        "import leafmark.app.indexing.embedding, leafmark.app.answering.searching, numpy;"
        "from leafmark.chunking import token_counter; token_counter('o200k_base')('a')"
    )
    with open_forks(f"sys.path[:0] = [{tests!r}]; {names}") as forks:
        yield forks


def _kill(process: int) -> None:
    with suppress(ProcessLookupError):  # it has just ended by itself
        os.kill(process, signal.SIGKILL)


def _killed(forks: Forks, place: Path, scenario: str, after_s: float) -> int:
    """Run a scenario in a process that is killed after a while; return its exit code."""
    with open(os.devnull, "r+b") as nothing:
        streams = [nothing.fileno()] * 3
        child = forks.start(ACT, [str(place), scenario], streams)
        killer = threading.Timer(after_s, _kill, (child,))
        killer.start()
        code = forks.wait()
        killer.cancel()
        killer.join()
    return code


@pytest.mark.slow
@pytest.mark.hours
@pytest.mark.timeout(0)
@pytest.mark.parametrize("scenario", ["build", "update", "rebuild", "embedding"])
def test_killed_at_random(forks: Forks, tmp_path: Path, scenario: str) -> None:
    place, prepared = tmp_path / "place", tmp_path / "prepared"
    assert forks.run(PREPARE, [str(place), scenario]).code == 0
    place.rename(prepared)
    shutil.copytree(prepared, place)
    began = time.monotonic()
    _killed(forks, place, scenario, 600.0)
    whole_s = time.monotonic() - began
    shutil.rmtree(place)
    dice, killed = random.Random(scenario), 0
    for number in range(ROUNDS):
        shutil.copytree(prepared, place)
        code = _killed(forks, place, scenario, dice.uniform(0.0, whole_s))
        killed += code == -signal.SIGKILL
        done = forks.run(CHECK, [str(place), scenario])
        assert done.code == 0, (scenario, number, done.err[-3000:])
        shutil.rmtree(place)
    print(f"{scenario}: {ROUNDS} rounds, {killed} killed", file=sys.stderr)
    if RECORD in os.environ:
        with open(os.environ[RECORD], "a", encoding="utf-8") as file:
            line = {"scenario": scenario, "rounds": ROUNDS, "killed": killed}
            file.write(json.dumps(line) + "\n")
