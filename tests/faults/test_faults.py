"""Every call on files fails once: the last commit answers, and the next run mends what was left.

A small library that the C compiler makes is preloaded; it fails the nth open, read, write, map,
sync, rename or unlink below the project's folders, the engine's own too. The suite takes a sample
of the points, the marked test all of them.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from support.faults import ERRORS, KINDS, SCENARIOS, compile_faults
from support.forks import CAN_FORK, Forks, open_forks

JOB = "import sys; from support.faults import run_job; print(run_job(*sys.argv[1:]))"

EVERY = sum(KINDS.values())

SAMPLE = 6
"""How many calls of a scenario fail in the suite, half of them with all that follow."""

RECORD = "LEAFMARK_FAULTS_RECORD"
"""Where the marked job writes its counts, one line of JSON for a scenario."""


@dataclass
class Faults:
    """Runs the scenarios of `support.faults`, each in a fork of its own."""

    forks: Forks
    library: Path
    folder: Path
    points: int = 0
    failed: list[str] = field(default_factory=list)

    def job(self, **asked: object) -> dict[str, object]:
        done = self.forks.run(JOB, [str(self.library), json.dumps(asked)])
        if done.code:
            pytest.fail(f"{asked}\n{done.err[-3000:]}")
        return dict(json.loads(done.out.splitlines()[-1]))

    def prepared(self, scenario: str) -> Path:
        place = self.folder / f"prepared-{scenario}"
        if not place.exists():
            self.job(step="prepare", place=str(self.folder / "place"), scenario=scenario)
            (self.folder / "place").rename(place)
        return place

    def run(self, scenario: str, at: int, number: int, *, sticky: bool = False) -> int:
        """Fail one call, or all from it on, look at what is left, and return how many there were.

        The place has one name: an index lies where the name of its project leads to.
        """
        place = self.folder / "place"
        shutil.copytree(self.prepared(scenario), place, symlinks=True)
        try:
            step = {"kinds": EVERY, "at": at, "errno": number, "sticky": sticky}
            done = self.job(step="run", place=str(place), scenario=scenario, **step)
            self.job(step="check", place=str(place), scenario=scenario)
        finally:
            shutil.rmtree(place, ignore_errors=True)
        self.points += 1
        assert isinstance(done["count"], int)
        return done["count"]


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Faults]:
    folder = tmp_path_factory.mktemp("faults")
    library = compile_faults(folder) if CAN_FORK else None
    if library is None:
        pytest.skip("there is no C compiler for Linux here")
    tests = str(Path(__file__).parents[1])
    names = (
        "import support.faults, leafmark.index.embedded.writer, leafmark.app.indexing.preparing;"
        "import leafmark.app.indexing.embedding, leafmark.app.answering.searching, numpy;"
        "from leafmark.chunking import token_counter; token_counter('o200k_base')('a')"
    )
    environ = {**os.environ, "LD_PRELOAD": str(library)}
    with open_forks(f"sys.path[:0] = [{tests!r}]; {names}", environ) as forks:
        yield Faults(forks, library, folder)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.timeout(600)
def test_a_sample_of_calls_fails(faults: Faults, scenario: str) -> None:
    count = faults.run(scenario, 0, 0)
    assert count > 20
    chosen = random.Random(f"{scenario} {count}").sample(range(1, count + 1), SAMPLE)
    for turn, at in enumerate(chosen):
        faults.run(scenario, at, ERRORS[turn % len(ERRORS)], sticky=bool(turn % 2))


@pytest.mark.slow
@pytest.mark.hours
@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.timeout(0)
def test_every_call_fails(faults: Faults, scenario: str) -> None:
    """All points, with each error, once and from then on; `-m hours` runs it."""
    count = faults.run(scenario, 0, 0)
    before = faults.points
    for at in range(1, count + 1):
        for number in ERRORS:
            faults.run(scenario, at, number, sticky=at % 2 == 0)
    print(f"{scenario}: {count} calls, {faults.points - before} faults", file=sys.stderr)
    if RECORD in os.environ:
        with open(os.environ[RECORD], "a", encoding="utf-8") as file:
            line = {"scenario": scenario, "calls": count, "faults": faults.points - before}
            file.write(json.dumps(line) + "\n")
