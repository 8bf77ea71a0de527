"""Killed at any instant, the last committed state answers and the next run converges."""

from __future__ import annotations

import os
import random
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.forks import Forks, open_forks
from support.indexes import contents, index, search

from leafmark.index import check_index, open_reader
from leafmark.index.folder import Layout

# Puts a new version of every source and commits, again and again; says when it has
# committed. It kills itself at the nth of the steps that touch the disk.
CHILD = """
import os, sys
from pathlib import Path
from support import indexes
from support.dying import Dying
from leafmark.index import manifest
from leafmark.index.embedded import writer

dying = Dying(int(sys.argv[2]))

os.fsync, os.replace = dying(os.fsync), dying(os.replace)
writer.IndexWriter.put = dying(writer.IndexWriter.put)
writer.IndexWriter._check = dying(writer.IndexWriter._check)
writer.IndexWriter._publish = dying(writer.IndexWriter._publish)
writer.write_snapshot = dying(writer.write_snapshot)
root, first, rounds, rebuild = Path(sys.argv[1]), *map(int, sys.argv[3:6])
for version in range(first, first + rounds):
    settings = indexes.IndexOptions(f"s{version if rebuild else 0}", {"t": "english"})
    sources = {f"{n}.md": f"# T\\n\\nversion{version} common\\n" for n in range(4)}
    indexes.index(root, sources, settings=settings)
    print(version, flush=True)
"""


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    """Has imported what the children need."""
    tests = str(Path(__file__).parents[2])
    names = "from support import dying, indexes; import leafmark.index.embedded.writer"
    with open_forks(f"sys.path[:0] = [{tests!r}]; {names}") as forks:
        yield forks


def _run(
    forks: Forks, root: Path, *, kill_at: int, first: int, rounds: int, rebuild: bool
) -> tuple[int, int]:
    """Return the child's exit code and the last version that it said was committed."""
    arguments = [root, kill_at, first, rounds, int(rebuild)]
    done = forks.run(CHILD, [*map(str, arguments)])
    said = done.out.split()
    return done.code, int(said[-1]) if said else -1


def _version(root: Path) -> int:
    """The one version that all sources are in."""
    reader = open_reader(root)
    words = [term for term, _ in reader.terms("body_english", "version") if search(reader, term)]
    (word,) = words
    everything = [f"t:{number}.md#t" for number in range(4)]
    assert search(reader, word) == search(reader, "common") == everything
    assert len(reader.manifest) == 4
    return int(word.removeprefix("version"))


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize("rebuild", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_killed_at_every_step(forks: Forks, tmp_path: Path, rebuild: bool) -> None:
    assert _run(forks, tmp_path, kill_at=0, first=0, rounds=1, rebuild=rebuild) == (0, 0)
    committed, version, kills = 0, 1, 0
    while True:
        code, said = _run(
            forks, tmp_path, kill_at=kills + 1, first=version, rounds=1, rebuild=rebuild
        )
        assert _version(tmp_path) in (committed, version)  # durable, though not yet said
        assert check_index(tmp_path) == []
        if code == 0:
            break
        assert (code, said) == (-signal.SIGKILL, -1)
        committed, version, kills = _version(tmp_path), version + 1, kills + 1
    assert kills >= 8
    assert _version(tmp_path) == version


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_before_anything_was_committed(forks: Forks, tmp_path: Path) -> None:
    for kill_at in range(1, 7):
        code, _ = _run(forks, tmp_path / "index", kill_at=kill_at, first=0, rounds=1, rebuild=False)
        assert code == -signal.SIGKILL
    index(tmp_path / "index", {"a.md": "fresh\n"})
    index(tmp_path / "other", {"a.md": "fresh\n"})
    assert contents(tmp_path / "index") == contents(tmp_path / "other")


# No file may grow beyond a limit: the engine sees a real failed write, not an injected one.
FULL = """
import resource, sys
from pathlib import Path
from leafmark.errors import StorageError
from support import indexes

resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
sources = {f"{n}.md": f"# T\\n\\nnew common {n} {n * 7919}\\n" * 20 for n in range(200)}
try:
    indexes.index(Path(sys.argv[1]), sources)
except StorageError as err:
    print(err.message)
else:
    print("done")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no limits on files")
def test_a_write_that_fails_inside_the_engine(forks: Forks, tmp_path: Path) -> None:
    index(tmp_path, {f"{number}.md": "old common\n" for number in range(4)})
    before, files = contents(tmp_path), os.listdir(Layout(tmp_path).text(1))
    limits = [100, 400, 1500, 4000, 20_000, 10_000_000]
    answers = []
    for limit in limits:
        done = forks.run(FULL, [str(tmp_path), str(limit)])
        assert done.code == 0, done.err
        answers.append(done.out.strip())
        if answers[-1] != "done":
            assert contents(tmp_path) == before
            assert check_index(tmp_path) == []
            assert sorted(os.listdir(Layout(tmp_path).text(1))) == sorted(files)
    *failures, last = answers
    assert last == "done"
    assert set(failures) <= {
        "cannot write the index: file too large",
        "cannot write the index: a write failed",
        "done",
    }
    assert len([each for each in failures if each != "done"]) >= 3
    assert len(open_reader(tmp_path).manifest) == 200


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_at_random_inside_the_engine(forks: Forks, tmp_path: Path) -> None:
    """The engine's own steps cannot be counted, so these kills come from outside."""
    chance = random.Random(11)
    assert _run(forks, tmp_path, kill_at=0, first=0, rounds=1, rebuild=False) == (0, 0)
    version = 0
    for _ in range(10):
        arguments = [str(tmp_path), "0", str(version + 1), "1000", "0"]
        ours, theirs = os.pipe()
        with open(os.devnull) as nothing, open(ours) as out:
            child = forks.start(CHILD, arguments, [nothing.fileno(), theirs, 2])
            os.close(theirs)
            said = [int(out.readline()) for _ in range(chance.randint(1, 4))]
            for _ in range(chance.randrange(200_000)):
                pass
            os.kill(child, signal.SIGKILL)
            said += [int(line) for line in out.read().split()]
            assert forks.wait() == -signal.SIGKILL
        version = _version(tmp_path)
        assert version in (said[-1], said[-1] + 1)
        assert check_index(tmp_path) == []
